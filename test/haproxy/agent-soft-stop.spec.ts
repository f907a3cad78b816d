import pino from 'pino';
import { expect, it } from 'vitest';
import { buildDrainServer } from '../../src/agent/drain/build-drain-server.ts';
import { createDrain } from '../../src/agent/drain/create-drain.ts';
import type { Operation } from '../../src/protocol/operation.ts';
import { useAgentScene } from '../fixtures/agent-scene.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { useHoldingServers } from '../fixtures/holding-servers.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { siteFiles, visit } from '../fixtures/site-config.ts';

const drain = {
  socket: '/nowhere/drain.sock',
  minWaitMs: 0,
  quietPeriodMs: 20,
  maxWaitMs: 60_000,
  ignoreFrontends: [],
};
const intervalMs = 60_000;
const refused = { status: 503, body: { stage: 'soft_stop', code: 'HAPTIC_ERR_AGENT_SOFT_STOP' } };

describeEachLine('a HAProxy that is told to end', (line) => {
  const scene = useAgentScene(line, { drain, reloadIntervalMs: intervalMs });
  const holdingServer = useHoldingServers();
  /** A request is on it, so that it does not end at once. */
  const begin = async () => {
    const { talk, site, echo } = scene();
    const held = await holdingServer();
    const here = site({
      app: [{ name: 'a', port: await echo('one') }],
      slow: [{ name: 's', port: held.port }],
    });
    const files = siteFiles(here, { '/': 'app', '/slow': 'slow' });
    expect((await talk.reload(files)).body).toMatchObject({ ok: true, mode: 'reload' });
    const answer = visit(here, '/slow');
    await held.visited();
    const routes = (key: string) => ({
      ...files,
      'maps/path.map': `${files['maps/path.map'] ?? ''}${key} app\n`,
    });
    const add = (key: string): Operation[] => [{ kind: 'map_add', path: 'maps/path.map', key, value: 'app' }];
    return { held, here, answer, files, routes, add };
  };
  const isGone = (pid: number) => {
    try {
      process.kill(pid, 0);
      return undefined;
    } catch {
      return true;
    }
  };
  const tellToEnd = async () => {
    const { haproxy } = scene();
    const pids = [haproxy.pid(), await haproxy.workerPid()];
    process.kill(haproxy.pid(), 'SIGUSR1');
    await eventually('the worker listens no more', () =>
      haproxy.cli('show info').then(
        () => undefined,
        () => true,
      ),
    );
    return { ended: () => eventually('HAProxy has ended', () => (pids.every(isGone) ? true : undefined)) };
  };

  it('gets updates while it drains and none afterwards, and ends', async () => {
    const { held, here, answer, routes, add } = await begin();
    const { talk, harness, haproxy } = scene();
    expect((await harness.state()).features).toContain('soft_stop');
    let connections = 0;
    let isBusy = true;
    const server = buildDrainServer({
      drain: createDrain({
        ...drain,
        count: () => Promise.resolve(isBusy ? connections++ : connections),
        pollMs: 5,
        now: () => performance.now(),
      }),
      announceSoftStop: harness.agent.announceSoftStop,
      log: pino({ enabled: false }),
    });
    const drained = server.inject('/drain');
    await eventually('the drain has begun', () => (connections > 1 ? true : undefined));
    expect((await talk.runtime(routes('/late'), add('/late'))).body).toMatchObject({ mode: 'runtime' });
    expect((await visit(here, '/late')).body).toBe('one');
    isBusy = false;
    expect((await drained).json()).toMatchObject({ reason: 'quiet' });
    await server.close();

    for (const reply of [
      await talk.runtime(routes('/too-late'), add('/too-late')),
      await talk.reload(routes('/too-late')),
    ])
      expect(reply).toMatchObject(refused);
    expect(talk.files).toEqual(routes('/late'));
    expect(await haproxy.reloads()).toBe(1);
    const { ended } = await tellToEnd();
    expect(await talk.reload(routes('/too-late'))).toMatchObject(refused);
    held.release();
    expect((await answer).body).toBe('done');
    await ended();
  });

  it('is not reloaded any more, though that was scheduled', async () => {
    const { held, answer, routes } = await begin();
    const { talk, harness, advance } = scene();
    expect((await talk.reload(routes('/new'))).body.mode).toBe('scheduled');
    await harness.agent.announceSoftStop();
    const { ended } = await tellToEnd();
    advance(intervalMs);
    // Two looks of the alarm clock.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    held.release();
    expect((await answer).body).toBe('done');
    await ended();
  });

  it('is not reloaded either if nobody has announced it', async () => {
    const { held, answer, routes } = await begin();
    const { talk, advance } = scene();
    advance(intervalMs);
    const { ended } = await tellToEnd();
    const reply = await talk.reload(routes('/new'));
    expect(reply.body).toMatchObject({ ok: false, error: { stage: 'reload' } });
    expect(reply.body.error?.message).toContain('HAProxy ends');
    held.release();
    expect((await answer).body).toBe('done');
    await ended();
  });

  it('serves on with updates, and with the reload that was due, if it is not told to end after all', async () => {
    const { held, here, answer, routes } = await begin();
    const { talk, harness, advance } = scene();
    held.release();
    await answer;
    expect((await talk.reload(routes('/new'))).body.mode).toBe('scheduled');
    await harness.agent.announceSoftStop();
    expect(await talk.reload(routes('/newer'))).toMatchObject(refused);
    advance(intervalMs);
    await eventually('the reload is done', async () =>
      (await harness.state()).running_plan_id === 'plan-2' ? true : undefined,
    );
    expect((await visit(here, '/new')).body).toBe('one');
    advance(intervalMs);
    expect((await talk.reload(routes('/newer'))).body).toMatchObject({ ok: true, mode: 'reload' });
  });

  it('gets updates again when another one was started in its place', async () => {
    const { held, here, answer, routes, add } = await begin();
    const { talk, harness, haproxy } = scene();
    held.release();
    await answer;
    await harness.agent.announceSoftStop();
    await haproxy.kill();
    await haproxy.start();
    const reply = await eventually('the agent takes updates', async () => {
      const told = await talk.runtime(routes('/new'), add('/new'));
      return told.status === 200 ? told : undefined;
    });
    expect(reply.body).toMatchObject({ ok: true });
    expect((await visit(here, '/new')).body).toBe('one');
  });
});
