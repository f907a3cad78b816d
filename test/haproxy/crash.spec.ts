import { afterAll, beforeAll, expect, it } from 'vitest';
import { noCrashFigures, runEpisode } from '../fixtures/crash/crash-run.ts';
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

    it.each([1, 2])(
      'ends with the last accepted or the new site as a whole, by at most one reload (seed %i)',
      async (seed) => {
        const figures = noCrashFigures();
        const agentFlags = [
          '--reload-interval-min',
          '0s',
          '--reload-timeout',
          '10s',
          '--drain-timeout',
          '500ms',
        ];
        const setting = { line, pool, upstreams: upstreams.endpoints, agentFlags };
        await runEpisode(setting, { seed, runs: 2, victims: ['agent'], imageCopies: false }, figures);
        expect(figures.runs).toBe(2);
        expect(figures.mostReloads).toBeLessThanOrEqual(1);
      },
      120_000,
    );
  },
  (line) => line === '2.6' || line === '3.4',
);
