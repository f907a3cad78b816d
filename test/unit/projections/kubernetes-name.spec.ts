import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kubernetesName } from '../../../src/projections/kubernetes-name.ts';

describe('kubernetesName', () => {
  it.each(['a', 'a-b', 'a1', '1a', '1', 'x'.repeat(63)])('takes %j for a label', (name) => {
    expect(kubernetesName.label(name)).toBe(true);
  });

  it.each(['', '-a', 'a-', 'A', 'a.b', 'a_b', 'a b', 'a\n', 'ä', 'x'.repeat(64), 1, null, undefined, {}])(
    'does not take %j for a label',
    (name) => expect(kubernetesName.label(name)).toBe(false),
  );

  it.each(['http', 'h2', '8080-web', 'a'.repeat(15)])('takes %j for the name of a port', (name) => {
    expect(kubernetesName.portName(name)).toBe(true);
  });

  it.each(['80', '8-0', 'a--b', '-a', 'a-', 'HTTP', 'a_b', 'a'.repeat(16), '', 80])(
    'does not take %j for the name of a port: it would be a number, or no name at all',
    (name) => expect(kubernetesName.portName(name)).toBe(false),
  );

  it('takes longer labels in a name of an object than in a domain', () => {
    const long = `${'a'.repeat(64)}.b`;
    expect(kubernetesName.subdomain(long)).toBe(true);
    expect(kubernetesName.domain(long)).toBe(false);
    for (const check of [kubernetesName.subdomain, kubernetesName.domain]) {
      expect(check('web-0.shop.example.com')).toBe(true);
      for (const name of ['a..b', '.a', 'a.', '*.a', 'a_b', 'a.'.repeat(127)])
        expect(check(name)).toBe(false);
      expect(check(`${'a.'.repeat(126)}a`)).toBe(true);
      expect(check(`${'a.'.repeat(127)}a`)).toBe(false);
    }
  });

  it('never takes white space, control characters, "_" or "/"', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom(' ', '\n', '\0', '_', '/', '#', ';'),
        fc.string(),
        (a, b, c) => {
          for (const check of Object.values(kubernetesName)) expect(check(`${a}${b}${c}`)).toBe(false);
        },
      ),
    );
  });
});
