import { EMPTY, of } from 'rxjs';
import { expect, it } from 'vitest';
import type { ResolvedConfig } from '../../../src/world/load-report.ts';
import { createTryConfig } from '../../../src/world/try-config.ts';

it('tries a configuration that anybody may have sent without the tests in which HAProxy answers requests', async () => {
  const asked: ResolvedConfig[] = [];
  const tryConfig = createTryConfig<object>({
    shipped: [],
    open: () => of({ ok: true, value: { world: {}, pathErrors: [] } }),
    test: (resolved) => {
      asked.push(resolved);
      return EMPTY;
    },
    trial: () => EMPTY,
    close: () => undefined,
  });
  const spec = {
    podSelector: { matchLabels: { app: 'haproxy' } },
    watchedResources: {},
    haproxyConfig: { template: 'global\n' },
    validationTests: {
      both: {
        assertions: [
          { type: 'traffic', request: { path: '/' }, expect: { status: 200 } },
          { type: 'contains', target: 'haproxy.cfg', pattern: 'global' },
        ],
      },
      other: { assertions: [{ type: 'haproxy_valid' }] },
    },
  };
  const trying = tryConfig({ metadata: { name: 'main', namespace: 'haptic' }, spec }, []).subscribe();
  await expect.poll(() => asked.length).toBe(1);
  trying.unsubscribe();
  const { validationTests = {} } = asked[0]?.config ?? {};
  expect(
    Object.entries(validationTests).map(([name, { assertions }]) => [
      name,
      assertions?.map(({ type }) => type),
    ]),
  ).toEqual([
    ['both', ['contains']],
    ['other', ['haproxy_valid']],
  ]);
});
