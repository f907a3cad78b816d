import { describe, expect, it } from 'vitest';
import { type CanaryClaim, chooseCandidates } from '../../../../src/projections/ingress/choose-candidates.ts';
import { chooseRoute } from '../../../../src/projections/ingress/choose-route.ts';
import type { Claim } from '../../../../src/projections/ingress/claim.ts';
import { type Canary, canaryOf } from '../../../../src/projections/policies/canary.ts';
import type { JoinedPolicy } from '../../../../src/projections/policies/join-policies.ts';

const open: JoinedPolicy = { kind: 'open' };

function claim(name: string, { namespace = 'shop', service = name, created = 1 } = {}): Claim {
  return {
    host: 'x.com',
    kind: 'exact',
    group: 'x.com',
    match: 'prefix',
    path: '/p',
    owner: { kind: 'Ingress', namespace, name },
    created,
    position: 0,
    field: 'spec.rules[0].http.paths[0]',
    backendField: 'spec.rules[0].http.paths[0].backend',
    ...(service !== '' && { ref: { namespace, service, port: 80 } }),
  };
}

const share = (part: number): Canary => ({ matches: [], share: part });

function choose(
  main: Claim | undefined,
  canaries: readonly CanaryClaim[],
  policy: JoinedPolicy = open,
  ofCanary: JoinedPolicy = policy,
) {
  const problems: string[] = [];
  const askedFor: string[] = [];
  const reader = {
    report: ({ reason, owner, message }: { reason: string; owner: { name: string }; message: string }) =>
      void problems.push(`${owner.name} ${reason} ${message}`),
  };
  const route = chooseRoute(main === undefined ? [] : [main], reader, () => policy);
  const chosen = chooseCandidates(route, canaries, reader, (_, by) => {
    askedFor.push(by.name);
    return ofCanary;
  });
  return { route: chosen, problems, askedFor };
}

const canary = (
  name: string,
  what: Canary,
  more: Parameters<typeof claim>[1] & { closed?: boolean } = {},
) => ({
  ...claim(name, more),
  canary: what,
  closed: more.closed ?? false,
});

describe('chooseCandidates', () => {
  it('adds who else may answer, by what the main Ingress says', () => {
    const { route, askedFor } = choose(claim('main'), [canary('next', share(0.25))], {
      ...open,
      rule: 'shop_main',
    });
    const key = route?.choice ?? '';
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(route).toMatchObject({
      backend: 'shop_main_80',
      target: `shop_main_80/shop_main/${key}`,
      candidates: [{ backend: 'shop_next_80', owner: { name: 'next' } }],
      choices: { key, matches: [], shares: [{ below: 2 ** 30, target: 'shop_next_80/shop_main' }] },
    });
    expect(askedFor).toEqual(['main']);
  });

  it('keeps the place of the rule where there is none', () => {
    const { route } = choose(claim('main'), [canary('next', share(1))]);
    expect(route?.target).toBe(`shop_main_80//${route?.choice}`);
    expect(route?.choices?.shares).toEqual([{ below: 2 ** 32, target: 'shop_next_80' }]);
  });

  it('has one key for a route, and another for others', () => {
    const key = (path: string) =>
      choose({ ...claim('main'), path }, [canary('next', share(1))]).route?.choice ?? '';
    expect(key('/a')).toBe(key('/a'));
    expect(key('/a')).not.toBe(key('/b'));
  });

  it.each([
    [0, []],
    [1 / 1_000_000, [4294]],
    [999_999 / 1_000_000, [4_294_963_001]],
    [1, [4_294_967_296]],
  ])('gives a share of %d these limits: %j', (part, limits) => {
    const { route } = choose(claim('main'), [canary('next', share(part))]);
    expect((route?.choices?.shares ?? []).map(({ below }) => below)).toEqual(limits);
  });

  it('adds shares up, the oldest first, and never to more than all', () => {
    const canaries = [canary('c', share(0.75), { created: 3 }), canary('b', share(0.5), { created: 2 })];
    const { route } = choose(claim('main'), canaries);
    expect(route?.choices?.shares).toEqual([
      { below: 2 ** 31, target: 'shop_b_80' },
      { below: 2 ** 32, target: 'shop_c_80' },
    ]);
  });

  it('takes what requests say as the annotations have it, and of two canaries the older', () => {
    const always = canaryOf({ canary: true, canaryByHeader: 'x-a', canaryByCookie: 'b' });
    if (always === undefined) throw new Error('no canary');
    const { route } = choose(claim('main'), [canary('late', always, { created: 2 }), canary('next', always)]);
    expect(route?.choices?.matches).toEqual([
      { kind: 'header', name: 'x-a', value: 'always', target: 'shop_next_80' },
      { kind: 'header', name: 'x-a', value: 'never', target: 'shop_main_80' },
      { kind: 'cookie', name: 'b', value: 'always', target: 'shop_next_80' },
      { kind: 'cookie', name: 'b', value: 'never', target: 'shop_main_80' },
    ]);
  });

  it('tells canaries of nothing, and those of other namespaces', () => {
    expect(choose(undefined, [canary('next', share(1))])).toMatchObject({
      route: undefined,
      problems: [
        'next CanaryMainMissing path "/p" (Prefix) of host x.com is served by no other Ingress: it gets no requests',
      ],
    });
    const stranger = choose(claim('main'), [canary('next', share(1), { namespace: 'other' })]);
    expect(stranger.route).toEqual(choose(claim('main'), []).route);
    expect(stranger.problems).toEqual([
      'next CanaryConflict path "/p" (Prefix) of host x.com is served by Ingress shop/main of another namespace',
    ]);
  });

  it('takes eight at most', () => {
    const many = Array.from({ length: 9 }, (_, n) => canary(`c${n}`, share(0.1)));
    const { route, problems } = choose(claim('main'), many);
    expect(route?.candidates).toHaveLength(8);
    expect(problems).toEqual([expect.stringMatching(/^c8 CanaryConflict .* has 8 canaries already$/)]);
  });

  it.each([
    ['the main Ingress is closed', claim('main'), canary('next', share(1)), { kind: 'closed' }],
    ['the main Ingress has no backend', claim('main', { service: '' }), canary('next', share(1)), open],
    ['the canary has no backend', claim('main'), canary('next', share(1), { service: '' }), open],
    ['the canary is closed', claim('main'), canary('next', share(1), { closed: true }), open],
  ] as const)('has none where %s', (_, main, only, policy) => {
    expect(choose(main, [only], policy).route).toEqual(choose(main, [], policy).route);
  });

  it('has none where the Service of the canary closes it', () => {
    const { route } = choose(claim('main'), [canary('next', share(1))], open, { kind: 'closed' });
    expect(route).toEqual(choose(claim('main'), []).route);
  });
});
