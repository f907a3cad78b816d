import { expect, it } from 'vitest';
import { hideForeignLines } from '../../../src/gate/hide-foreign-lines.ts';

const said = (file: string) =>
  `[ALERT]    (7) : config : parsing [haproxy.cfg:9] : error detected while parsing ACL 'x' : 'PASSWORD=canary' is not a valid IPv4 or IPv6 address at line 1 of file '${file}'.`;

it.each(['/proc/self/environ', '../../x', 'general/../../../x', 'file@/etc/x', 'opt@/etc/x'])(
  'takes out what is repeated of %s, and leaves the places',
  (file) => {
    const shown = hideForeignLines(said(file));
    expect(shown).toBe(
      `[ALERT]    (7) : config : parsing [haproxy.cfg:9] : line 1 of '${file}' cannot be understood; that is no file of the render, so it is not repeated here`,
    );
  },
);

it('does so where an agent has put the stage before it', () => {
  const shown = hideForeignLines(`reload: ${said('/proc/self/environ')}\n${said('/x')}`);
  expect(shown).not.toContain('canary');
  expect(shown).toMatch(/^reload: \[ALERT\].*haproxy\.cfg:9.*\n\[ALERT\].*haproxy\.cfg:9/);
});

it('leaves everything else as it is', () => {
  for (const text of [said('maps/host.map'), 'a\nb', "unable to stat SSL certificate from file 'x'"])
    expect(hideForeignLines(text)).toBe(text);
});
