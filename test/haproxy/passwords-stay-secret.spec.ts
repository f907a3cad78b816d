import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { Subscription, lastValueFrom } from 'rxjs';
import { afterEach, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { controllerParts } from '../../src/cli/controller/controller-parts.ts';
import { startController } from '../../src/cli/start-controller.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { checkRootsIn } from '../../src/gate/check-root.ts';
import { createGate, defaultGateLimits } from '../../src/gate/create-gate.ts';
import { runProcess } from '../../src/gate/run-process.ts';
import { loadKubeConfig } from '../../src/kube/kube-config.ts';
import { kubeTransport } from '../../src/kube/kube-transport.ts';
import { getEntry } from '../../src/lib/ordered-map.ts';
import { redact } from '../../src/lib/redact.ts';
import { sandboxConfig } from '../../src/sandbox/system-config.ts';
import { createApiServer } from '../../src/sandbox/api/create-api-server.ts';
import { acceptingAgent } from '../bench/lib/accepting-agent.ts';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { ingressClass, secret, service } from '../fixtures/kube-objects.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Values of Secrets that policies name; none of them may be seen anywhere. */
const canaries = {
  plain: 'canary-plain-8f31 with "blanks" $HOME',
  hash: `$6$canary8f32$${'c'.repeat(86)}`,
  refusedHash: `$2y$10$canary8f33${'d'.repeat(43)}`,
  user: 'canary-user-8f34',
  refusedUser: 'canary user 8f35',
  junk: 'canary-junk-8f36',
} as const;

const users = (name: string, auth: string) => secret({ name, type: 'Opaque', data: { auth } });

/** As somebody applies it. */
function asNew({ metadata, ...object }: KubeObject): KubeObject {
  const { uid: _uid, resourceVersion: _version, creationTimestamp: _time, ...own } = metadata;
  return { ...object, metadata: own };
}

describeEachLine('what a controller tells of policies', (line) => {
  it('has no value of the Secrets that they name', async () => {
    const server = await createApiServer();
    const folder = await mkdtemp(path.join(tmpdir(), 'haptic-canary-'));
    cleanups.push(
      () => rm(folder, { recursive: true }),
      () => server.close(),
    );
    await lastValueFrom(
      server.client.createMany(
        [
          { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
          ingressClass(),
          service({ name: 'web' }),
          users(
            'users',
            `${canaries.user}::${canaries.plain}\nann:${canaries.hash}\nben:${canaries.refusedHash}\n${canaries.refusedUser}::x\n`,
          ),
          users('hopeless', `ann:${canaries.junk}`),
          secret({ name: 'keys', type: 'Opaque', data: { 'key.pem': canaries.junk } }),
          annotatedIngress('good.example.com', { 'auth-secret': 'users' }),
          annotatedIngress('bad.example.com', { 'auth-secret': 'hopeless' }),
          annotatedIngress('token.example.com', { 'jwt-secret': 'keys' }),
        ].map(asNew),
      ),
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
    const libraries = path.resolve(import.meta.dirname, '../../charts/haptic/libraries');
    const names = sandboxConfig.libraries.map((name) => `${name}.yaml`);
    const told: string[] = [];
    const rendered: string[] = [];
    const controller = startController({
      config: loadConfig(
        await Promise.all(
          names.map(async (name) => ({ name, text: await readFile(path.join(libraries, name), 'utf8') })),
        ),
      ),
      transport,
      client: acceptingAgent(),
      check: (plan) => {
        const file = getEntry(plan.files, 'haproxy.cfg');
        rendered.push(Buffer.concat(file?.content() ?? []).toString());
        return gate.check(plan);
      },
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
    // What is looked for is there, and the problems are told.
    await expect
      .poll(() => rendered.some((config) => config.includes('canary8f32')), { timeout: 20_000 })
      .toBe(true);
    for (const reason of ['PasswordsInvalid', 'KeysInvalid'])
      await expect.poll(() => told.some((text) => text.includes(reason)), { timeout: 20_000 }).toBe(true);
    told.push(`graph ${graph()}`, `metrics ${await controller.registry.metrics()}`);
    for (const [name, value] of Object.entries(vars))
      told.push(`var ${name} ${JSON.stringify(redact(value()))}`);
    const events = await lastValueFrom(server.client.list('v1/events'));
    told.push(`events ${JSON.stringify(events)}`);
    const leaks = told
      .filter((text) => /canary.{0,12}8f3\d|Y2FuYXJ5/.test(text))
      .map((text) => text.slice(0, 2000));
    expect(leaks).toStrictEqual([]);
  });
});
