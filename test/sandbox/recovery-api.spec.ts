import { afterEach, describe, expect, test } from 'vitest';
import type { FaultAction } from '../../src/sandbox/api/faults.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { useRecoveryScene } from '../fixtures/recovery-scene.ts';

const haproxy = newestHaproxyLine();
const kinds = ['ingresses', 'services', 'endpointslices', 'ingressclasses', 'pods'] as const;

describe.skipIf(haproxy === undefined)('the system recovers', () => {
  const scene = useRecoveryScene({ haproxy: haproxy?.path ?? '', watchTimeout: '6s' });
  const { putNew, servesSomethingNew, movesEndpoints, expectRestarts, lastReload } = scene;

  describe('from an API that', () => {
    afterEach(async () => {
      // Whatever the API did, requests went on and every process of ours stayed.
      expect(await scene.load.stop()).toStrictEqual([]);
      expectRestarts({});
      expect(await scene.traffic.reloads(), await lastReload()).toBe(scene.reloads);
    });

    test('is down for a while', async () => {
      const { faults } = scene.traffic.sandbox.api;
      await faults.stopListening();
      const host = await putNew();
      await eventually('the controller noticed', async () =>
        (await scene.traffic.log()).findLast(({ msg }) => msg === 'watch retrying') === undefined
          ? undefined
          : true,
      );
      expect((await scene.traffic.ask(host)).status).toBe(404);
      await faults.resumeListening();
      await scene.traffic.served(host, 'one');
    });

    test('breaks watches off in the middle of a line', async () => {
      const { faults } = scene.traffic.sandbox.api;
      {
        const resumed = eventually('watches are back', () =>
          kinds.every((resource) => faults.openWatches({ resource }) > 0) ? true : undefined,
        );
        faults.cutWatches();
        await servesSomethingNew();
        await resumed;
      }
    });

    test('leaves watches silent: their connections are given up in time', async () => {
      const { faults } = scene.traffic.sandbox.api;
      faults.silenceWatches();
      await servesSomethingNew();
    });

    test('has forgotten the versions that watches resume from', async () => {
      const { faults } = scene.traffic.sandbox.api;
      await faults.stopListening();
      const host = await putNew();
      const gone = scene.recent(1);
      await scene.traffic.remove('networking.k8s.io/v1/ingresses', gone);
      faults.compact();
      await faults.resumeListening();
      await scene.traffic.served(host, 'one');
      await scene.traffic.answeredWith(`${gone}.test`, 404);
    });

    test('answers every kind once with 429, 500, or by closing the connection', async () => {
      const { faults } = scene.traffic.sandbox.api;
      const actions: readonly FaultAction[] = [
        { kind: 'status', code: 429, retryAfterSeconds: 1 },
        { kind: 'status', code: 500 },
        { kind: 'reset' },
      ];
      for (const [i, resource] of kinds.entries()) {
        const action = actions[i % actions.length];
        if (action !== undefined) faults.inject({ match: { method: 'GET', resource }, action, count: 1 });
      }
      faults.closeConnections();
      await servesSomethingNew();
      await movesEndpoints(scene.recent());
    });
  });
});
