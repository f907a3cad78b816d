import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { useRecoveryScene } from '../fixtures/recovery-scene.ts';

const haproxy = newestHaproxyLine();

describe.skipIf(haproxy === undefined)('the system recovers', () => {
  const scene = useRecoveryScene({ haproxy: haproxy?.path ?? '', driftPreventionInterval: '2s' });
  const { putNew, servesSomethingNew, movesEndpoints, expectRestarts, lastReload } = scene;
  const kill = (pid: number | undefined) => {
    if (pid === undefined) throw new Error('it does not run');
    process.kill(pid, 'SIGKILL');
  };
  const workerPid = async () => Number(/^Pid: (\d+)$/m.exec(await scene.traffic.cli('show info'))?.[1]);
  const planKept = () =>
    eventually('the pod keeps the plan of what it runs', async () => {
      const { blob, applied } = await scene.traffic.applied();
      return blob?.id === applied.id && applied.id === (await scene.traffic.settled()).planId
        ? true
        : undefined;
    });

  describe('from a lost process:', () => {
    test.each([
      ['the HAProxy master', () => Promise.resolve(scene.traffic.sandbox.haproxy.pid())],
      ['the HAProxy worker', workerPid],
    ])('%s', async (_, pidOf) => {
      const before = scene.traffic.sandbox.haproxy.pid();
      kill(await pidOf());
      await eventually('HAProxy was started again', () => {
        const now = scene.traffic.sandbox.haproxy.pid();
        return now !== undefined && now !== before ? true : undefined;
      });
      await scene.traffic.served('steady.test', 'one');
      await scene.askAnew();
      await servesSomethingNew();
      await movesEndpoints(scene.recent());
      expect(await scene.load.stop()).toStrictEqual([]);
      expectRestarts({ haproxy: 1 });
      await scene.traffic.settled();
    });

    test('the agent, while nothing happens', async () => {
      const before = scene.traffic.sandbox.agent.pid();
      kill(before);
      await eventually('the agent was started again', () => {
        const now = scene.traffic.sandbox.agent.pid();
        return now !== undefined && now !== before ? true : undefined;
      });
      await servesSomethingNew();
      await movesEndpoints(scene.recent());
      expect(await scene.load.stop()).toStrictEqual([]);
      expect(await scene.traffic.reloads(), await lastReload()).toBe(scene.reloads);
      expectRestarts({ agent: 1 });
    });

    test('the agent, in the middle of a burst of changes', async () => {
      const hosts: string[] = [];
      for (let i = 0; i < 40; i++) {
        hosts.push(await putNew());
        if (i % 10 === 5) await scene.traffic.served(hosts[0] ?? '', 'one');
        if (i === 20) kill(scene.traffic.sandbox.agent.pid());
      }
      for (const host of hosts) await scene.traffic.served(host, 'one');
      await scene.traffic.settled();
      expect(await scene.load.stop()).toStrictEqual([]);
      // Killed within an apply: one reload by the agent's own start, onto the one or the other whole set, whose plan it then knows.
      // Killed between two applies: none.
      expect(await scene.traffic.reloads(), await lastReload()).toBeLessThanOrEqual(scene.reloads + 1);
      expectRestarts({ agent: 1 });
    });

    test('the controller, after its plan was left with the pod: without a reload', async () => {
      await planKept();
      const before = scene.traffic.sandbox.controller.pid();
      kill(before);
      await eventually('the controller was started again', () => {
        const now = scene.traffic.sandbox.controller.pid();
        return now !== undefined && now !== before ? true : undefined;
      });
      await servesSomethingNew();
      await movesEndpoints(scene.recent());
      expect(await scene.load.stop()).toStrictEqual([]);
      expect(await scene.traffic.reloads(), await lastReload()).toBe(scene.reloads);
      expectRestarts({ controller: 1 });
    });

    test('the controller, right after a change: with one reload at most', async () => {
      await planKept();
      const host = await putNew();
      await scene.traffic.served(host, 'one');
      kill(scene.traffic.sandbox.controller.pid());
      await servesSomethingNew();
      await scene.traffic.served(host, 'one');
      expect(await scene.load.stop()).toStrictEqual([]);
      expect(await scene.traffic.reloads(), await lastReload()).toBeLessThanOrEqual(scene.reloads + 1);
      expectRestarts({ controller: 1 });
    });

    test('all three at once', async () => {
      await scene.load.stop();
      kill(scene.traffic.sandbox.controller.pid());
      kill(scene.traffic.sandbox.agent.pid());
      kill(scene.traffic.sandbox.haproxy.pid());
      await servesSomethingNew();
      await scene.traffic.served('steady.test', 'one');
      await eventually('each was started again', () => {
        expectRestarts({ haproxy: 1, agent: 1, controller: 1 });
        return true;
      });
    });
  });

  describe('from a hand on the pod:', () => {
    test('a deleted Pod object is replaced by a pod that serves everything', async () => {
      await scene.load.stop();
      const { client } = scene.traffic.sandbox.api;
      const key = { namespace: 'haptic', name: 'haproxy-0' };
      const { uid } = (await firstValueFrom(client.get('v1/pods', key))).metadata;
      await firstValueFrom(client.delete('v1/pods', key));
      await eventually('another pod is there', async () =>
        (await firstValueFrom(client.get('v1/pods', key))).metadata.uid === uid ? undefined : true,
      );
      await scene.traffic.served('steady.test', 'one');
      await servesSomethingNew();
      await scene.traffic.settled();
      expect(scene.traffic.restarts().controller).toBe(scene.restarts.controller);
    });

    test.each(['maps/host.map', 'haproxy.cfg'])('an edited %s is written anew', async (path) => {
      const file = join(scene.traffic.baseDir, path);
      const before = await readFile(file, 'utf8');
      await writeFile(file, `${before}# by hand\n`);
      await eventually('it is as it was', async () => {
        const text = await readFile(file, 'utf8');
        return text === before ? true : undefined;
      });
      await scene.traffic.settled();
      expect(await scene.load.stop()).toStrictEqual([]);
      await servesSomethingNew();
      expectRestarts({});
    });
  });
});
