import { describe, expect, it } from 'vitest';
import { chooseRoute } from '../../../../src/projections/ingress/choose-route.ts';
import type { Claim } from '../../../../src/projections/ingress/claim.ts';
import { compareClaims } from '../../../../src/projections/ingress/compare-claims.ts';
import { collectFaults } from '../collect-faults.ts';
import { withOtherHosts } from '../../../../src/projections/ingress/with-other-hosts.ts';

function claim(host: string, path = '', position = 0): Claim {
  return {
    ...(host === '' ? { host, kind: 'any', group: '*' } : { host, kind: 'exact', group: host }),
    match: 'prefix',
    path,
    owner: { kind: 'Ingress', namespace: 'shop', name: 'a' },
    created: 1,
    position,
    field: `spec.rules[0].http.paths[${position}]`,
    backendField: `spec.rules[0].http.paths[${position}].backend`,
    ref: { namespace: 'shop', service: 'echo', port: 80 },
  };
}

const brief = (claims: readonly Claim[]) =>
  claims.map(({ group, path, redirectHost = '', position }) => `${position} ${group}${path} ${redirectHost}`);

describe('withOtherHosts', () => {
  const claims = [claim('a.com', '/x'), claim('a.com', '/y', 1), claim('www.b.com', '', 2), claim('', '', 3)];

  it('leaves claims alone where nothing is said, and where there is no host', () => {
    expect(withOtherHosts(claims, {})).toEqual(claims);
    const all = [claim('')];
    expect(withOtherHosts(all, { serverAlias: ['b.com'], fromToWwwRedirect: true })).toEqual(all);
  });

  it('gives as many aliases the paths of the first host as have 1000 of them together', () => {
    const { faults, report } = collectFaults();
    const serverAlias = Array.from({ length: 16 }, (_, i) => `alias-${i}.com`);
    const many = Array.from({ length: 300 }, (_, i) => claim('a.com', `/${i}`, i));
    expect(withOtherHosts(many, { serverAlias }, report)).toHaveLength(4 * 300);
    expect(faults).toEqual([
      {
        reason: 'AnnotationWithoutEffect',
        field: 'metadata.annotations["haproxy-haptic.org/server-alias"]',
        message: 'would be for 16 times 300 paths, of which 1000 are served: has no effect from host 4 on',
      },
    ]);
    expect(withOtherHosts(many.slice(0, 62), { serverAlias })).toHaveLength(17 * 62);
  });

  it('gives an alias the paths of the first host', () => {
    const made = withOtherHosts(claims, { serverAlias: ['c.com', 'a.com', 'www.b.com'] });
    expect(brief(made.slice(4))).toEqual(['4 c.com/x ', '5 c.com/y ']);
    expect(made[4]).toMatchObject({
      beside: true,
      ref: { service: 'echo' },
      field: 'metadata.annotations["haproxy-haptic.org/server-alias"]',
    });
  });

  it('sends other hosts to the first, and those with and without www. to each other', () => {
    const made = withOtherHosts(claims, { redirectFrom: ['c.com'], fromToWwwRedirect: true });
    expect(brief(made.slice(4))).toEqual(['4 c.com a.com', '5 www.a.com a.com', '6 b.com www.b.com']);
    expect(made[4]).not.toHaveProperty('ref');
  });

  it('does not redirect hosts to each other that are both served', () => {
    expect(withOtherHosts([claim('a.com'), claim('www.a.com')], { fromToWwwRedirect: true })).toHaveLength(2);
  });

  it('makes claims that lose to those of rules, however old', () => {
    const [, made] = withOtherHosts([claim('a.com')], { redirectFrom: ['c.com'] });
    const rule = { ...claim('c.com'), created: 9, owner: { kind: 'Ingress', namespace: 'z', name: 'z' } };
    if (made === undefined) throw new Error('no claim');
    expect(compareClaims(made, rule)).toBeGreaterThan(0);
    const problems: string[] = [];
    const report = ({ message }: { readonly message: string }) => problems.push(message);
    expect(chooseRoute([made, rule], { report }, () => ({ kind: 'open' }))).toMatchObject({
      backend: 'shop_echo_80',
    });
    expect(problems).toEqual(['path "/" (Prefix) of host c.com is already served by Ingress z/z']);
    expect(chooseRoute([made], { report }, () => ({ kind: 'closed' }))).toMatchObject({
      backend: 'haptic-closed',
    });
    expect(chooseRoute([made], { report }, () => ({ kind: 'open', rule: 'shop_a' }))).toMatchObject({
      target: 'haptic-other-host/a.com',
    });
  });
});
