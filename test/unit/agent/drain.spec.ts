import { describe, expect, it } from 'vitest';
import { countConnections } from '../../../src/agent/drain/count-connections.ts';
import { createDrain, type DrainDeps } from '../../../src/agent/drain/create-drain.ts';

/** A drain over what the worker tells at each poll; the last one goes on. Time passes with the polls. */
function drainOver(told: readonly (number | undefined | Error)[], options: Partial<DrainDeps> = {}) {
  let time = 0;
  let polls = 0;
  const count = () => {
    const next = told[Math.min(polls, told.length - 1)];
    time = polls++ * 100;
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  };
  const deps = {
    count,
    minWaitMs: 0,
    quietPeriodMs: 300,
    maxWaitMs: 1_000,
    pollMs: 0,
    now: () => time,
    ...options,
  };
  return { drain: createDrain(deps), polls: () => polls };
}

const forever = new AbortController().signal;

describe('a drain', () => {
  it('ends when nothing came for the quiet period', async () => {
    const { drain } = drainOver([5]);
    expect(await drain.wait(forever)).toEqual({ reason: 'quiet', waited_ms: 300 });
  });

  it('begins the quiet period anew with each new connection', async () => {
    const { drain } = drainOver([5, 5, 6, 6, 7]);
    expect(await drain.wait(forever)).toEqual({ reason: 'quiet', waited_ms: 700 });
  });

  it('takes another worker, which counts from nothing, for something that happened', async () => {
    const { drain } = drainOver([5, 5, 0]);
    expect(await drain.wait(forever)).toEqual({ reason: 'quiet', waited_ms: 500 });
  });

  it('ends at its bound though connections keep coming', async () => {
    const { drain } = drainOver(Array.from({ length: 20 }, (_, i) => i));
    expect(await drain.wait(forever)).toEqual({ reason: 'bound', waited_ms: 1_000 });
  });

  it.each([
    ['is not understood', undefined],
    ['does not come', new Error('refused')],
  ])('ends when HAProxy’s answer %s', async (_what, told) => {
    const { drain } = drainOver([5, told]);
    expect(await drain.wait(forever)).toMatchObject({ reason: 'unavailable' });
  });

  it('is not over before the least wait, however quiet it is', async () => {
    const { drain } = drainOver([5], { minWaitMs: 800 });
    expect(await drain.wait(forever)).toEqual({ reason: 'quiet', waited_ms: 800 });
  });

  it('waits no less when HAProxy does not answer', async () => {
    const { drain } = drainOver([undefined], { minWaitMs: 30, now: () => performance.now() });
    const { reason, waited_ms } = await drain.wait(forever);
    expect(reason).toBe('unavailable');
    expect(waited_ms).toBeGreaterThanOrEqual(29);
    const gone = new AbortController();
    const left = drainOver([undefined], { minWaitMs: 60_000 }).drain.wait(gone.signal);
    gone.abort();
    expect(await left).toMatchObject({ reason: 'cancelled' });
  });

  it('is one for all who ask meanwhile', async () => {
    const { drain, polls } = drainOver([5]);
    const [first, second] = await Promise.all([drain.wait(forever), drain.wait(forever)]);
    expect(first).toEqual({ reason: 'quiet', waited_ms: 300 });
    expect(second).toEqual(first);
    expect(polls()).toBe(4);
  });

  it('goes on for the others when one goes away', async () => {
    const { drain } = drainOver([5]);
    const gone = new AbortController();
    const left = drain.wait(gone.signal);
    const stays = drain.wait(forever);
    gone.abort();
    expect(await left).toMatchObject({ reason: 'cancelled' });
    expect(await stays).toMatchObject({ reason: 'quiet' });
  });

  it('ends when the last one goes away, and the next one begins a new one', async () => {
    const { drain, polls } = drainOver([5], { now: () => 0 });
    const gone = new AbortController();
    const left = drain.wait(gone.signal);
    gone.abort();
    expect(await left).toMatchObject({ reason: 'cancelled' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const before = polls();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(polls()).toBe(before);
    const next = drain.wait(forever);
    await new Promise((resolve) => setTimeout(resolve, 20));
    drain.cancel();
    expect(await next).toMatchObject({ reason: 'cancelled' });
    expect(polls()).toBeGreaterThan(before);
  });

  it('does not begin for who has already gone', async () => {
    const { drain } = drainOver([5]);
    expect(await drain.wait(AbortSignal.abort())).toEqual({ reason: 'cancelled', waited_ms: 0 });
  });
});

describe('connections of the traffic', () => {
  const table = [
    '# pxname,svname,scur,conn_tot,',
    'http,FRONTEND,1,40,',
    'https,FRONTEND,1,2,',
    'status,FRONTEND,1,1000,',
    'http,BACKEND,1,7,',
    '',
  ].join('\n');

  it('are those of all frontends that are not ignored', () => {
    expect(countConnections(table, [])).toBe(1_042);
    expect(countConnections(table, ['status'])).toBe(42);
    expect(countConnections(table, ['status', 'http', 'https', 'other'])).toBe(0);
  });

  it.each(['', 'Unknown command.\n', '# pxname,svname\nhttp,FRONTEND\n'])('are not known from %j', (text) => {
    expect(countConnections(text, [])).toBeUndefined();
  });
});
