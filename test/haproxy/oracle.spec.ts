import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { historyOf } from '../fixtures/oracle/histories.ts';
import { runHistory } from '../fixtures/oracle/run-history.ts';
import { createTlsPool, type TlsPool } from '../fixtures/oracle/tls-pool.ts';
import { startUpstreams, type Upstreams } from '../fixtures/oracle/upstreams.ts';

/** The short form of `./dev soak oracle`, which goes through hundreds of pairs. */
const seeds = [1, 2];
const steps = 5;

describeEachLine('a changed process serves what a fresh one serves', (line) => {
  let pool: TlsPool;
  let upstreams: Upstreams;
  beforeAll(async () => {
    pool = await createTlsPool();
    upstreams = await startUpstreams(pool);
  });
  afterAll(() => upstreams.close());

  it.each(seeds)('through the history of seed %d', async (seed) => {
    const history = historyOf(line.line, seed, steps);
    const figures = await runHistory({ line, pool, upstreams: upstreams.endpoints }, history);
    expect(figures.pairs).toBe(steps + 1);
  });
});
