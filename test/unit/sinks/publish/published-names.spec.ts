import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { publishedNames } from '../../../../src/sinks/publish/published-names.ts';

/** DNS subdomain names, as the API server checks them (RFC 1123). */
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const isName = (name: string) => name.length <= 253 && subdomain.test(name);

const configuration = fc
  .stringMatching(/^[a-z0-9]([a-z0-9-]{0,60}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,60}[a-z0-9])?){0,3}$/)
  .filter((name) => name.length <= 253);

describe('publishedNames', () => {
  it('is readable where it can be', () => {
    const names = publishedNames('web');
    expect(names.main).toBe('web-haproxycfg');
    expect(names.twin).toBe('web-haproxycfg-invalid');
    expect(names.file('maps/path-exact.map')).toMatch(/^web-path-exact-map-[0-9a-f]{20}$/);
    expect(names.file('ssl/Ünïcode_Å.pem')).toMatch(/^web-n-code-pem-[0-9a-f]{20}$/);
    expect(names.file('general/...')).toMatch(/^web-[0-9a-f]{20}$/);
  });

  it('is a name that the API takes, for every configuration and every path', () => {
    fc.assert(
      fc.property(configuration, fc.string({ maxLength: 400, unit: 'grapheme' }), (name, path) => {
        const names = publishedNames(name);
        for (const made of [names.main, names.twin, names.file(path)]) expect(made).toSatisfy(isName);
      }),
    );
  });

  it.each([
    ['web', 'maps/host.map', 'web', 'general/host.map'],
    ['web', 'maps/host.map', 'web-host', 'maps/map'],
    ['web', 'maps/a_b', 'web', 'maps/a.b'],
    ['web', 'maps/A', 'web', 'maps/a'],
    ['a', 'b/c', 'a-b', 'c'],
  ])('tells %s of %s from %s of %s', (one, path, other, otherPath) => {
    expect(publishedNames(one).file(path)).not.toBe(publishedNames(other).file(otherPath));
  });

  it('tells long configurations apart', () => {
    const [a, b] = ['a', 'b'].map((end) => publishedNames(`${'x'.repeat(240)}.${end}`));
    expect(a?.main).not.toBe(b?.main);
    expect(a?.file('maps/host.map')).not.toBe(b?.file('maps/host.map'));
  });
});
