import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoServer, startEcho } from '../fixtures/echo-server.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { eventually, freeAddress } from '../fixtures/haproxy-process.ts';
import { endpointSlice, ingress, service } from '../fixtures/kube-objects.ts';
import { answering, snippet, snippetConfig } from '../fixtures/snippet-config.ts';
import { startSandboxTraffic, type SandboxTraffic } from '../fixtures/sandbox-traffic.ts';

const haproxy = newestHaproxyLine();
const configMaps = 'v1/configmaps';

interface Shown {
  readonly count: number;
  readonly objects: readonly { owner: { name: string }; kind: string; words: string }[];
}

describe.skipIf(haproxy === undefined)('an object that HAProxy refuses', () => {
  let traffic: SandboxTraffic;
  let echoes: readonly EchoServer[];
  beforeAll(async () => {
    const one = await startEcho('one');
    // Endpoints of one slice share a port.
    echoes = [one, await startEcho('two', { host: (await freeAddress()).host, port: one.port })];
    traffic = await startSandboxTraffic({ haproxy: haproxy?.path ?? '', config: snippetConfig });
    await traffic.put(snippet('a', answering(201)), ...app('steady'));
    await traffic.served('steady.test', 'one');
    await traffic.answeredWith('a.test', 201);
  });
  afterAll(async () => {
    await traffic.stop();
    await Promise.all(echoes.map((echo) => echo.stop()));
  });

  const app = (name: string, ...servers: readonly number[]) => [
    service({ name, selector: null }),
    endpoints(name, ...servers),
    ingress({ name, rules: [{ host: `${name}.test`, paths: [{ path: '/', service: name }] }] }),
  ];
  const endpoints = (name: string, ...servers: readonly number[]) =>
    endpointSlice({
      service: name,
      ports: [{ port: echoes[0]?.port ?? 0 }],
      endpoints: (servers.length === 0 ? [0] : servers).map((server) => ({
        address: echoes[server]?.host ?? '',
        pod: `${name}-${server}`,
        ready: true,
      })),
    });
  const held = async () =>
    ((await traffic.tap<Shown>('quarantine'))?.objects ?? []).map(
      ({ owner, kind }) => `${owner.name} ${kind}`,
    );
  const holds = (...names: readonly string[]) =>
    eventually(`held are exactly: ${names.join(', ')}`, async () =>
      JSON.stringify(await held()) === JSON.stringify(names) ? true : undefined,
    );

  it('goes on with what it was, while others change, and is taken in once it is good', async () => {
    const load = traffic.keepAsking('a.test', ({ status }) => status === 201);
    await traffic.put(snippet('a', 'http-request return nonsense'), ...app('beside'));
    await traffic.served('beside.test', 'one');
    await holds('a pinned');
    const shown = await traffic.tap<Shown>('quarantine');
    expect(shown?.objects[0]?.words).toContain('nonsense');
    expect(await load.stop()).toEqual([]);
    await traffic.put(snippet('a', answering(202)));
    await traffic.answeredWith('a.test', 202);
    await holds();
  });

  it('is left out if it never was good, and nothing else is', async () => {
    await traffic.put(snippet('new', 'nonsense'), ...app('with-new'));
    await traffic.served('with-new.test', 'one');
    await holds('new excluded');
    await traffic.answeredWith('new.test', 404);
    await traffic.put(snippet('new', answering(203)));
    await traffic.answeredWith('new.test', 203);
    await holds();
  });

  it('does not keep endpoints back, which are in the process after it is good again as before', async () => {
    await traffic.put(snippet('a', 'nonsense'));
    await holds('a pinned');
    await traffic.put(endpoints('steady', 0, 1));
    await traffic.servedBy('steady.test', ['one', 'two']);
    await traffic.put(snippet('a', answering(207)));
    await traffic.answeredWith('a.test', 207);
    await traffic.servedBy('steady.test', ['one', 'two']);
    const servers = await traffic.cli('show servers state shop_steady_80');
    expect(servers.split('\n').filter((line) => line.includes(' shop_steady_80 '))).toHaveLength(2);
    await traffic.settled();
  });

  it('is let go when it is deleted', async () => {
    await traffic.put(snippet('a', 'nonsense'));
    await holds('a pinned');
    await traffic.remove(configMaps, 'a');
    await holds();
    await traffic.answeredWith('a.test', 404);
  });

  it('is told of in the log, when it comes and when it goes', async () => {
    const lines = (await traffic.log()).filter(({ object }) => object === 'ConfigMap shop/new');
    expect(lines.map(({ msg }) => msg)).toEqual([
      'object is refused and left out',
      'object is in effect again',
    ]);
  });
});
