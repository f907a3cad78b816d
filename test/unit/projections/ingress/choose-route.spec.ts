import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../../src/lib/problem.ts';
import { chooseRoute } from '../../../../src/projections/ingress/choose-route.ts';
import type { Claim } from '../../../../src/projections/ingress/claim.ts';

interface Given {
  readonly name?: string;
  readonly namespace?: string;
  readonly created?: number;
  readonly position?: number;
  readonly service?: string | null;
}

function claim({
  name = 'a',
  namespace = 'shop',
  created = 1,
  position = 0,
  service = 'echo',
}: Given): Claim {
  return {
    host: 'x.com',
    kind: 'exact',
    group: 'x.com',
    match: 'prefix',
    path: '/p',
    owner: { kind: 'Ingress', namespace, name },
    created,
    position,
    field: `spec.rules[0].http.paths[${position}]`,
    backendField: `spec.rules[0].http.paths[${position}].backend`,
    ...(service === null ? {} : { ref: { namespace, service, port: 80 } }),
  };
}

function choose(...claims: Claim[]) {
  const problems: Problem[] = [];
  const route = chooseRoute(claims, { report: (problem) => void problems.push(problem) }, () => ({
    kind: 'open',
  }));
  return { route, problems };
}

describe('chooseRoute', () => {
  it('gives the only claim its route', () => {
    const { route, problems } = choose(claim({}));
    expect(problems).toEqual([]);
    expect(route).toMatchObject({ group: 'x.com', match: 'prefix', path: '/p', backend: 'shop_echo_80' });
  });

  it('sends a claim without a usable backend to the one that answers 503', () => {
    expect(choose(claim({ service: null })).route).toMatchObject({ backend: 'haptic-unavailable' });
  });

  it('lets the oldest win, and tells the others by whom they lost', () => {
    const { route, problems } = choose(
      claim({ name: 'a', created: 3 }),
      claim({ name: 'z', created: 1, service: 'oldest' }),
      claim({ name: 'm', created: 2 }),
    );
    expect(route?.backend).toBe('shop_oldest_80');
    expect(problems.map(({ owner, reason, field }) => [owner.name, reason, field])).toEqual([
      ['m', 'ConflictLost', 'spec.rules[0].http.paths[0]'],
      ['a', 'ConflictLost', 'spec.rules[0].http.paths[0]'],
    ]);
    expect(problems[0]?.message).toBe(
      'path "/p" (Prefix) of host x.com is already served by the older Ingress shop/z',
    );
  });

  it('decides between equally old ones by namespace, then name', () => {
    expect(
      choose(claim({ namespace: 'a-b', name: 'a' }), claim({ namespace: 'a', name: 'b' })).route?.owner,
    ).toEqual({
      kind: 'Ingress',
      namespace: 'a',
      name: 'b',
    });
    expect(choose(claim({ name: 'b' }), claim({ name: 'a' })).route?.owner.name).toBe('a');
  });

  it('lets the first of two equal paths of one object win', () => {
    const { route, problems } = choose(
      claim({ position: 1, service: 'second' }),
      claim({ service: 'first' }),
    );
    expect(route?.backend).toBe('shop_first_80');
    expect(problems).toEqual([
      expect.objectContaining({
        field: 'spec.rules[0].http.paths[1]',
        message:
          'path "/p" (Prefix) of host x.com is already served by spec.rules[0].http.paths[0] of the same object',
      }),
    ]);
  });

  it('does not complain about a repetition by the winner itself', () => {
    expect(choose(claim({}), claim({ position: 1 })).problems).toEqual([]);
  });

  it('tells another object even if it asks for the same backend: its other settings are not in effect', () => {
    expect(choose(claim({ name: 'a' }), claim({ name: 'b' })).problems).toHaveLength(1);
  });

  it('decides the same in whatever order the claims come', () => {
    const claims = fc.uniqueArray(
      fc.record({
        name: fc.constantFrom('a', 'b', 'c'),
        namespace: fc.constantFrom('n', 'm'),
        created: fc.constantFrom(1, 2, Number.MAX_SAFE_INTEGER),
        position: fc.nat(3),
        service: fc.constantFrom('s', 't', null),
      }),
      { selector: ({ name, namespace, position }) => `${namespace}/${name}/${position}`, minLength: 1 },
    );
    fc.assert(
      fc.property(
        claims.chain((list) =>
          fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
        ),
        ([list, shuffled]) => {
          expect(choose(...shuffled.map(claim))).toEqual(choose(...list.map(claim)));
        },
      ),
    );
  });
});
