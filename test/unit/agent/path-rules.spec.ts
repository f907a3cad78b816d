import { describe, expect, it } from 'vitest';
import { pathProblem } from '../../../src/agent/files/path-rules.ts';

describe('a manifest path', () => {
  it.each(['haproxy.cfg', 'maps/host.map', 'a/b/c.d', 'ssl/x y.pem', 'x'.repeat(255)])(
    '%j is accepted',
    (file) => {
      expect(pathProblem(file)).toBeUndefined();
    },
  );

  it.each([
    ['', 'empty'],
    ['/etc/passwd', 'absolute'],
    ['../x', 'dot'],
    ['a/../../x', 'canonical'],
    ['a/../b', 'canonical'],
    ['a//b', 'canonical'],
    ['./a', 'canonical'],
    ['a/', 'canonical'],
    ['.hidden', 'dot'],
    ['maps/.haptic-tmp/x', 'dot'],
    ['a\nb', 'control'],
    ['a\u0000b', 'control'],
    ['a\\b', 'backslash'],
    ['x'.repeat(256), '255'],
    ['é'.repeat(128), '255'],
  ])('%j is refused: %s', (file, why) => {
    expect(pathProblem(file)).toContain(why);
  });
});
