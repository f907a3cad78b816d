import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { answering, snippet, snippetConfig } from '../fixtures/snippet-config.ts';
import { startSandboxTraffic, type SandboxTraffic } from '../fixtures/sandbox-traffic.ts';

const haproxy = newestHaproxyLine();

describe.skipIf(haproxy === undefined)(
  'an object that HAProxy refuses, when the controller is restarted,',
  () => {
    let traffic: SandboxTraffic;
    let others = 0;
    beforeAll(async () => {
      traffic = await startSandboxTraffic({ haproxy: haproxy?.path ?? '', config: snippetConfig });
      await traffic.put(snippet('a', answering(201)), snippet('steady', answering(200)));
      await traffic.answeredWith('a.test', 201);
    });
    afterAll(() => traffic.stop());

    const held = async () =>
      (
        (await traffic.tap<{ objects: readonly { owner: { name: string }; kind: string }[] }>('quarantine'))
          ?.objects ?? []
      ).map(({ owner, kind }) => `${owner.name} ${kind}`);
    const holds = (...names: readonly string[]) =>
      eventually(`held are exactly: ${names.join(', ')}`, async () => {
        const now = await held();
        if (now.join() !== names.join()) throw new Error(`held are: ${now.join(', ')}`);
        return true;
      });
    const planKept = () =>
      eventually('the pod keeps the plan of what it runs', async () => {
        const { blob, applied } = await traffic.applied();
        return blob?.id === applied.id ? true : undefined;
      });
    const end = (signal: NodeJS.Signals): void => {
      const pid = traffic.sandbox.controller.pid();
      if (pid === undefined) throw new Error('it does not run');
      process.kill(pid, signal);
    };
    const another = (before: number | undefined) =>
      eventually('the controller was started again', () => {
        const now = traffic.sandbox.controller.pid();
        return now !== undefined && now !== before ? true : undefined;
      });
    const changesOn = async () => {
      const name = `other-${others++}`;
      await traffic.put(snippet(name, answering(200)));
      await traffic.answeredWith(`${name}.test`, 200);
    };

    it.each(['SIGTERM', 'SIGKILL'] as const)(
      'goes on with what it was, while others change, and is taken in once it is good (%s)',
      async (signal) => {
        await traffic.put(snippet('a', answering(201)));
        await traffic.answeredWith('a.test', 201);
        await planKept();
        await traffic.put(snippet('a', 'nonsense'));
        await holds('a pinned');
        const load = traffic.keepAsking('a.test', ({ status }) => status === 201);
        const before = traffic.sandbox.controller.pid();
        end(signal);
        await another(before);
        await changesOn();
        await holds('a pinned');
        expect(await load.stop()).toEqual([]);
        await traffic.put(snippet('a', answering(202)));
        await traffic.answeredWith('a.test', 202);
        await holds();
      },
    );

    it('keeps its route also when the pod has another plan than the one it keeps', async () => {
      await traffic.put(snippet('a', answering(203)));
      await traffic.answeredWith('a.test', 203);
      await planKept();
      await traffic.put(snippet('a', 'nonsense'));
      await holds('a pinned');
      const load = traffic.keepAsking('a.test', ({ status }) => status === 203);
      await changesOn();
      const before = traffic.sandbox.controller.pid();
      end('SIGKILL');
      await another(before);
      await changesOn();
      await holds('a pinned');
      expect(await load.stop()).toEqual([]);
    });

    it('keeps its route also when it went bad while no controller ran', async () => {
      await traffic.put(snippet('a', answering(226)));
      await traffic.answeredWith('a.test', 226);
      await planKept();
      const load = traffic.keepAsking('a.test', ({ status }) => status === 226);
      const before = traffic.sandbox.controller.pid();
      end('SIGKILL');
      await traffic.put(snippet('a', 'nonsense'), snippet('never', 'nonsense'));
      await another(before);
      await changesOn();
      await holds('a pinned', 'never excluded');
      expect(await load.stop()).toEqual([]);
    });

    it('does not come back when it was deleted meanwhile', async () => {
      await planKept();
      const before = traffic.sandbox.controller.pid();
      end('SIGKILL');
      await traffic.remove('v1/configmaps', 'a');
      await another(before);
      await changesOn();
      await holds('never excluded');
      await traffic.answeredWith('a.test', 404);
    });
  },
);
