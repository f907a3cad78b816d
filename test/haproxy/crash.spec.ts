import { afterAll, beforeAll, expect, it } from 'vitest';
import { noCrashFigures, runEpisode, victims } from '../fixtures/crash/crash-run.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { createTlsPool, type TlsPool } from '../fixtures/oracle/tls-pool.ts';
import { startUpstreams, type Upstreams } from '../fixtures/oracle/upstreams.ts';

/** The short form of `./dev soak crash`: the oldest and the newest line. */
describeEachLine(
  'a pod that is killed amid deliveries',
  (line) => {
    let pool: TlsPool;
    let upstreams: Upstreams;
    beforeAll(async () => {
      pool = await createTlsPool();
      upstreams = await startUpstreams(pool);
    });
    afterAll(() => upstreams.close());

    it.each(victims)(
      'ends with the last accepted or the new site as a whole, a killed agent by one reload (%s)',
      async (victim) => {
        const figures = noCrashFigures();
        const agentFlags = [
          '--reload-interval-min',
          '0s',
          '--reload-timeout',
          '60s',
          '--drain-timeout',
          '500ms',
        ];
        const setting = { line, pool, upstreams: upstreams.endpoints, agentFlags };
        await runEpisode(setting, { seed: 1, runs: 1, victims: [victim] }, figures);
        expect(figures.by).toMatchObject({ [victim]: 1 });
      },
      150_000,
    );
  },
  (line) => line === '2.6' || line === '3.4',
);
