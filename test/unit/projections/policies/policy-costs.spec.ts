import { beforeAll, describe, expect, it } from 'vitest';
import { measurePolicyCosts, type PolicyCost } from '../../../fixtures/policy-costs.ts';

/** What docs/annotations.md and docs/policies.md promise, by the plan's verdict. `bench shapes` prints all of it. */
describe('what policies cost', () => {
  let costs: readonly PolicyCost[];
  beforeAll(async () => {
    costs = await measurePolicyCosts();
  }, 180_000);
  const keysOf = (found: readonly PolicyCost[]) => found.map(({ key, line }) => `${key} ${line}`);

  it('is nothing on HAProxy 3.4 for a route that says what another one says', () => {
    const on34 = costs.filter(({ line }) => line === '3.4');
    expect(on34.length).toBeGreaterThan(50);
    // HAProxy takes a cache only from its configuration.
    expect(keysOf(on34.filter(({ newRoute }) => newRoute !== 'runtime'))).toEqual(['cache 3.4']);
  });

  it('is a new backend and nothing else before', () => {
    const others = costs.flatMap(({ key, newRoute }) =>
      newRoute === 'runtime' || key === 'cache' ? [] : newRoute.reload,
    );
    expect(
      others.filter(
        (reason) => !/^backend .* new, and HAProxy \S+ cannot add backends at runtime$/.test(reason),
      ),
    ).toEqual([]);
  });

  it('is another backend, so nothing on HAProxy 3.4, for another value of what is on the lines of servers', () => {
    const onServers = costs.filter(
      ({ isOnServers, line, newValue }) => isOnServers && line === '3.4' && newValue !== undefined,
    );
    expect(onServers.map(({ key }) => key)).toEqual(
      expect.arrayContaining(['maxconn-server', 'maxqueue-server', 'slow-start']),
    );
    // See above.
    expect(keysOf(onServers.filter(({ newValue }) => newValue !== 'runtime'))).toEqual(['cache 3.4']);
  });

  it('is nothing on any line for another value of what is free', () => {
    const free = costs.filter(({ isFree, newValue }) => isFree && newValue !== undefined);
    expect(free.length).toBeGreaterThan(50);
    expect(keysOf(free.filter(({ newValue }) => newValue !== 'runtime'))).toEqual([]);
  });
});
