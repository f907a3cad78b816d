import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import type { Registry } from 'prom-client';
import { of } from 'rxjs';
import { afterEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import type { Controller } from '../../src/cli/controller/controller-deps.ts';
import { startController } from '../../src/cli/start-controller.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { kubeClient, type KubeClient } from '../../src/kube/kube-client.ts';
import { loadKubeConfig } from '../../src/kube/kube-config.ts';
import { kubeTransport, type KubeTransport } from '../../src/kube/kube-transport.ts';
import { valuesOf } from '../../src/lib/ordered-map.ts';
import type { Bundle } from '../../src/protocol/bundle.ts';
import type { ApiServer } from '../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../src/sandbox/api/create-api-server.ts';
import { acceptingAgent } from '../bench/lib/accepting-agent.ts';
import { eventually } from '../fixtures/haproxy-process.ts';

const config = loadConfig([
  {
    name: 'on-demand.yaml',
    text: `
watchedResources:
  configmaps:
    {apiVersion: v1, resources: configmaps, namespaces: [default], labelSelector: uses-secret, debounceInterval: "0"}
  secrets: {apiVersion: v1, resources: secrets, store: on-demand, debounceInterval: "0"}
haproxyConfig:
  template: |
    global
    {{#forEach resources.configmaps as |c|}}
    {{#with (fetch "secrets" c.metadata.namespace c.data.secret) as |s|}}
    # {{c.metadata.name}} has {{s.data.value}}
    {{else}}
    # {{c.metadata.name}} has none
    {{/with}}
    {{/forEach}}
`,
  },
]);

/** A controller on the sandbox's API, whose renders every pod and check accepts. */
interface Scene {
  readonly api: ApiServer;
  readonly client: KubeClient;
  /** Texts of all renders that went out, oldest first. */
  readonly texts: readonly string[];
  readonly problems: () => readonly string[];
  /** Value of a metric by its name with labels. */
  readonly metric: (name: string) => Promise<string | undefined>;
  readonly start: () => void;
}

describe('objects that are read on demand', () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  async function scene(): Promise<Scene> {
    const api = await createApiServer();
    ends.push(() => api.close());
    const folder = await mkdtemp(path.join(tmpdir(), 'haptic-on-demand-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    const kubeconfigPath = path.join(folder, 'kubeconfig');
    await writeFile(kubeconfigPath, api.kubeconfig(), { mode: 0o600 });
    const transport: KubeTransport = kubeTransport(loadKubeConfig({ kubeconfigPath }));
    ends.push(() => transport.close());
    let problems: Bundle['problems'] = [];
    let registry: Registry | undefined;
    const texts: string[] = [];
    const start = (): void => {
      const controller: Controller = startController({
        config,
        transport,
        client: acceptingAgent(),
        check: (plan) => of({ kind: 'accepted', planId: plan.id, warnings: [] }),
        capabilities: {},
        watchTimeoutSeconds: 290,
        log: pino({ level: 'silent' }),
        onFatal: (error) => {
          throw error;
        },
        parts: [
          ({ bundle$ }) =>
            bundle$.subscribe((bundle) => {
              texts.push([...valuesOf(bundle.plan.sections)].map(({ text }) => text).join(''));
            }),
          ({ pipeline }) =>
            pipeline.render$.subscribe((outcome) => {
              if (outcome.kind === 'rendered') ({ problems } = outcome.bundle);
            }),
        ],
      });
      ({ registry } = controller);
      ends.push(() => controller.stop());
    };
    return {
      api,
      client: kubeClient(transport),
      texts,
      problems: () => problems.map(({ message }) => message),
      metric: async (name) =>
        (await registry?.metrics())
          ?.split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.slice(name.length + 1),
      start,
    };
  }

  const configmaps = { apiVersion: 'v1', resources: 'configmaps', namespace: 'default' };
  const secrets = { apiVersion: 'v1', resources: 'secrets', namespace: 'default' };
  const put = async (client: KubeClient, ref: typeof secrets, object: object): Promise<void> => {
    const result = await client.apply(ref, { apiVersion: 'v1', ...object } as KubeObject, {
      fieldManager: 'test',
      force: true,
    });
    if (!result.ok) throw new Error(JSON.stringify(result.failure));
  };
  const putUser = (client: KubeClient, name: string, secret: string) =>
    put(client, configmaps, {
      kind: 'ConfigMap',
      metadata: { name, labels: { 'uses-secret': 'yes' } },
      data: { secret },
    });
  const putSecret = (client: KubeClient, name: string, value: string) =>
    put(client, secrets, { kind: 'Secret', metadata: { name }, data: { value: coded(value) } });
  const coded = (value: string) => Buffer.from(value).toString('base64');
  const says = ({ texts }: Scene, line: string) =>
    eventually(line, () => (texts.at(-1)?.includes(line) === true ? true : undefined));

  test('are in the first render that goes out, however many they are', async () => {
    const it = await scene();
    for (let i = 0; i < 40; i++) {
      await putSecret(it.client, `s${i}`, `value${i}`);
      await putUser(it.client, `u${i}`, `s${i}`);
    }
    it.start();
    await eventually('a render', () => it.texts[0]);
    const first = it.texts[0] ?? '';
    for (let i = 0; i < 40; i++) expect(first).toContain(`# u${i} has ${coded(`value${i}`)}\n`);
  });

  test('follow their Secrets, and come for what is new', async () => {
    const it = await scene();
    await putUser(it.client, 'a', 'tls');
    it.start();
    await says(it, '# a has none');
    await putSecret(it.client, 'tls', 'one');
    await says(it, `# a has ${coded('one')}`);
    await putSecret(it.client, 'tls', 'two');
    await says(it, `# a has ${coded('two')}`);
    await putUser(it.client, 'b', 'tls');
    await says(it, `# b has ${coded('two')}`);
    await it.client.delete(secrets, 'tls');
    await says(it, '# a has none');
  });

  test('that cannot be read hold up nobody else; what they were stands, and a problem names them', async () => {
    const it = await scene();
    await putSecret(it.client, 'good', 'one');
    await putSecret(it.client, 'bad', 'one');
    await putUser(it.client, 'a', 'good');
    await putUser(it.client, 'b', 'bad');
    it.start();
    await says(it, `# b has ${coded('one')}`);
    const heal = it.api.faults.inject({
      match: { method: 'GET', resource: 'secrets', name: 'bad' },
      action: { kind: 'status', code: 403, message: 'not yours' },
    });
    await putSecret(it.client, 'good', 'two');
    await putSecret(it.client, 'bad', 'two');
    await says(it, `# a has ${coded('two')}`);
    await eventually('a problem', () => it.problems().find((message) => message.includes('default/bad')));
    expect(it.problems().join()).toContain('403');
    expect(it.texts.at(-1)).toContain(`# b has ${coded('one')}`);
    expect(
      Number(await it.metric('haptic_on_demand_reads_total{type="secrets",result="failed"}')),
    ).toBeGreaterThan(0);
    expect(await it.metric('haptic_on_demand_object_count{type="secrets"}')).toBe('2');
    heal();
    await says(it, `# b has ${coded('two')}`);
    await eventually('no problem', () => (it.problems().length === 0 ? true : undefined));
  });
});
