import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { Subscription, lastValueFrom } from 'rxjs';
import { afterEach, beforeAll, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { controllerParts } from '../../src/cli/controller/controller-parts.ts';
import { startController } from '../../src/cli/start-controller.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { checkRootsIn } from '../../src/gate/check-root.ts';
import { createGate, defaultGateLimits } from '../../src/gate/create-gate.ts';
import { runProcess } from '../../src/gate/run-process.ts';
import { loadKubeConfig } from '../../src/kube/kube-config.ts';
import { kubeTransport } from '../../src/kube/kube-transport.ts';
import { redact } from '../../src/lib/redact.ts';
import { createApiServer } from '../../src/sandbox/api/create-api-server.ts';
import { acceptingAgent } from '../bench/lib/accepting-agent.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { createTlsPool, type TlsPool } from '../fixtures/oracle/tls-pool.ts';
import { scriptedServer } from '../fixtures/scripted-server.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Each at a place of its own, and none of them may be seen anywhere. */
const canaries = {
  printed: 'canary-printed-7f31',
  unprintable: 'canary unprintable 7f32',
  refused: 'canary-refused-7f33',
  failed: 'canary-failed-7f34',
  bearer: 'canary-bearer-7f35',
  query: 'canary-query-7f36',
  context: 'canary-context-7f37',
  declared: 'canary-declared-7f38',
} as const;
const base64 = (text: string) => Buffer.from(text).toString('base64');

const template = (url: string) => `
global
{{#forEach resources.secrets as |s|}}
{{#if (eq s.metadata.name "printed")}}
userlist {{s.metadata.name}}
    user one insecure-password {{base64Decode s.data.value}}
{{else if (eq s.metadata.name "unprintable")}}
userlist {{s.metadata.name}}
    user one insecure-password {{base64Decode s.data.value}}
{{else if (eq s.metadata.name "refused")}}
backend {{s.metadata.name}}
    tcp-request content reject if { {{base64Decode s.data.value}} }
{{else if (eq s.metadata.name "failed")}}
{{fail (concat "the value " (base64Decode s.data.value) " is not good")}}
{{else if (eq s.metadata.name "bearer")}}
# {{{http (concat "${url}/list?key=" (base64Decode s.data.query)) auth="bearer" token=(base64Decode s.data.value)}}}
{{/if}}
{{/forEach}}
defaults
    mode http
    timeout connect 5s
    timeout client 5s
    timeout server 5s
frontend http
    bind 127.0.0.1:8080
`;

let pool: TlsPool;
beforeAll(async () => {
  pool = await createTlsPool();
});

describeEachLine('what a controller tells', (line) => {
  it('HT#5: has no value of a Secret and no key, whatever goes wrong with them', async () => {
    const server = await createApiServer();
    const web = await scriptedServer((_request, response) => response.writeHead(500).end());
    const folder = await mkdtemp(path.join(tmpdir(), 'haptic-canary-'));
    cleanups.push(
      () => rm(folder, { recursive: true }),
      () => server.close(),
      () => web.close(),
    );
    const secret = (name: string, values: Readonly<Record<string, string>>): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'default' },
      data: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, base64(value)])),
    });
    const key = pool.leaves[0]?.key ?? '';
    const { bearer, query, ...plain } = canaries;
    await lastValueFrom(
      server.client.createMany([
        ...Object.entries(plain).map(([name, value]) => secret(name, { value })),
        secret('bearer', { value: bearer, query }),
        secret('tls', { 'tls.crt': pool.leaves[0]?.cert ?? '', 'tls.key': key }),
      ]),
    );
    const kubeconfigPath = path.join(folder, 'kubeconfig');
    await writeFile(kubeconfigPath, server.kubeconfig(), { mode: 0o600 });
    const transport = kubeTransport(loadKubeConfig({ kubeconfigPath }));
    cleanups.push(() => transport.close());
    const gate = createGate({
      haproxy: line.path,
      withRoot: checkRootsIn(tmpdir()),
      run: runProcess,
      limits: defaultGateLimits,
    });
    const told: string[] = [];
    const controller = startController({
      config: loadConfig([
        {
          name: 'own.yaml',
          text: JSON.stringify({
            httpContent: { allowPrivateAddresses: true },
            templatingSettings: { extraContext: { adminPassword: canaries.context } },
            haproxyConfig: { template: template(web.url) },
            watchedResources: { secrets: { apiVersion: 'v1', resources: 'secrets', debounceInterval: '0' } },
            sslCertificates: {
              'site.pem': {
                template:
                  '{{#forEach resources.secrets as |s|}}{{#if (eq s.metadata.name "tls")}}{{{base64Decode s.data.[tls.crt]}}}\n{{{base64Decode s.data.[tls.key]}}}{{/if}}{{/forEach}}',
              },
            },
            k8sResources: {
              copies: {
                template: `{{#forEach resources.secrets as |s|}}
{{#if (eq s.metadata.name "declared")}}
apiVersion: v1
kind: Secret
metadata:
  name: copy-{{s.metadata.name}}
  namespace: elsewhere
stringData:
  value: {{json (base64Decode s.data.value)}}
{{/if}}
{{/forEach}}`,
              },
            },
          }),
        },
      ]),
      transport,
      client: acceptingAgent(),
      check: (plan) => gate.check(plan),
      capabilities: {},
      watchTimeoutSeconds: 290,
      parts: controllerParts,
      log: pino({ level: 'trace' }, { write: (text: string) => void told.push(`log ${text}`) }),
      onFatal: (error) => {
        throw error;
      },
    });
    const watching = new Subscription();
    cleanups.push(
      () => controller.stop(),
      () => watching.unsubscribe(),
    );
    const { taps, vars, graph } = controller.debug;
    for (const name of taps.names())
      watching.add(
        taps.watch(name)?.subscribe({
          next: (value) => told.push(`tap ${name} ${JSON.stringify(value)}`),
          error: (error: unknown) => expect(error).toBeUndefined(),
        }),
      );
    const has = (pattern: RegExp) => told.some((text) => pattern.test(text));
    await expect.poll(() => has(/tap quarantine .*"count":1/), { timeout: 20_000 }).toBe(true);
    await expect.poll(() => has(/tap http .*answered 500/), { timeout: 20_000 }).toBe(true);
    await expect.poll(() => has(/tap own-resources/), { timeout: 20_000 }).toBe(true);
    await expect.poll(() => has(/Secret default\/unprintable|"unprintable"/), { timeout: 20_000 }).toBe(true);
    told.push(`graph ${graph()}`, `metrics ${await controller.registry.metrics()}`);
    for (const [name, value] of Object.entries(vars))
      told.push(`var ${name} ${JSON.stringify(redact(value()))}`);
    for (const kind of ['events', 'configmaps'])
      told.push(`${kind} ${JSON.stringify(await lastValueFrom(server.client.list(`v1/${kind}`)))}`);
    const secrets = [...Object.values(canaries), ...key.split('\n').filter((text) => text.length > 40)];
    const leaks = secrets
      .flatMap((value) => [value, base64(value)])
      .flatMap((text) =>
        told.filter((one) => one.includes(text)).map((one) => `${text} in ${one.slice(0, 2000)}`),
      );
    expect(leaks).toStrictEqual([]);
  });
});
