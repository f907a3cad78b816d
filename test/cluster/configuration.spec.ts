import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import type { TemplateConfigStatus } from '../../src/api/template-config-status.ts';
import { createNamespace, describeOnCluster } from '../fixtures/control-plane.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { installCrds } from '../fixtures/install-crds.ts';
import type { Kubectl } from '../fixtures/kubectl.ts';

const patience = 60_000;
const snippet = 'frontend-http-900-test';

interface ConfigObject {
  readonly metadata: { readonly generation: number };
  readonly status?: TemplateConfigStatus;
}

describeOnCluster('a controller that follows a configuration on a real API server', (cluster) => {
  const haproxy = newestHaproxyLine();
  let kubectl: Kubectl;
  let namespace: string;
  let controller: ChildProcess;
  let log = '';

  beforeAll(async () => {
    kubectl = await cluster.kubectl();
    await installCrds(kubectl);
    namespace = await createNamespace(kubectl);
    controller = spawn(
      process.execPath,
      [
        path.resolve(import.meta.dirname, '../../src/main.ts'),
        'run',
        ...['--kubeconfig', cluster.kubeconfigPath, '--namespace', namespace, '--crd-name', 'web'],
        ...['--health-listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--no-agent-tls'],
        ...['--haproxy', haproxy?.path ?? 'haproxy'],
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'] ?? '', DATAPLANE_USERNAME: 'admin', DATAPLANE_PASSWORD: 'test' },
      },
    );
    for (const output of [controller.stdout, controller.stderr])
      output?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  }, 120_000);

  afterAll(async () => {
    controller.kill('SIGTERM');
    if (controller.exitCode === null) await new Promise((resolve) => controller.once('exit', resolve));
    await kubectl.run(['delete', 'namespace', namespace, '--wait=false']);
    await kubectl.close();
  });

  beforeEach(() => {
    expect(controller.exitCode, log).toBeNull();
  });

  const apply = (spec: object) =>
    kubectl.ok(
      ['apply', '--server-side', '-f', '-'],
      JSON.stringify({
        apiVersion: 'haproxy-haptic.org/v1alpha1',
        kind: 'HAProxyTemplateConfig',
        metadata: { name: 'web', namespace },
        spec: {
          libraryRefs: ['base', 'ingress'].map((name) => ({ name, revision: manifest.version })),
          ...spec,
        },
      }),
    );
  const read = async () =>
    JSON.parse(await kubectl.ok(['get', 'htplcfg', 'web', '-n', namespace, '-o', 'json'])) as ConfigObject;
  /** What is said of the newest generation, once it is this. */
  const judged = (validationStatus: string) =>
    eventually(
      `the configuration is ${validationStatus}`,
      async () => {
        const { metadata, status } = await read();
        expect(status).toMatchObject({ validationStatus, observedGeneration: metadata.generation });
        const condition = status?.conditions?.find(({ type }) => type === 'Validated');
        expect(condition?.observedGeneration).toBe(metadata.generation);
        return { reason: condition?.reason, message: (status?.validationErrors ?? []).join('\n') };
      },
      patience,
    );
  const lists = () =>
    log.split('\n').filter((line) => /"resource":"ingresses".*watch init-done/.test(line)).length;

  it('takes it when it appears, with the libraries of the program', async () => {
    await apply({});
    expect(await judged('Valid')).toStrictEqual({ reason: 'ValidationSucceeded', message: '' });
    const { status } = await read();
    expect(status?.lastValidated).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(await kubectl.ok(['get', 'htplcfg', 'web', '-n', namespace])).toMatch(/web +Valid/);
  }, 120_000);

  it('refuses a wrong template by its place, and a right one makes up for it', async () => {
    await apply({ templateSnippets: { [snippet]: { template: 'acl a path /\n{{nonsense}}\n' } } });
    const { reason, message } = await judged('Invalid');
    expect(reason).toBe('ConfigInvalid');
    expect(message).toContain(`spec.templateSnippets.${snippet}:2:`);
    await apply({ templateSnippets: { [snippet]: { template: 'acl a path /\n' } } });
    await judged('Valid');
  }, 120_000);

  it('refuses a library that is not there in this revision, and takes it when it comes', async () => {
    const libraryRefs = [
      ...['base', 'ingress'].map((name) => ({ name, revision: manifest.version })),
      { name: 'house', revision: '2' },
    ];
    await apply({ libraryRefs });
    expect((await judged('Invalid')).message).toContain('there is no HAProxyTemplateLibrary house');
    const library = (revision: string) =>
      kubectl.ok(
        ['apply', '--server-side', '-f', '-'],
        JSON.stringify({
          apiVersion: 'haproxy-haptic.org/v1alpha1',
          kind: 'HAProxyTemplateLibrary',
          metadata: { name: 'house', namespace },
          spec: { revision, templateSnippets: { [snippet]: { template: 'acl b path /\n' } } },
        }),
      );
    await library('1');
    await eventually(
      'the revision is named',
      async () => {
        const { message } = await judged('Invalid');
        expect(message).toContain('the HAProxyTemplateLibrary house has revision 1');
        return true;
      },
      patience,
    );
    await library('2');
    await judged('Valid');
  }, 120_000);

  it('refuses a snippet that replaces none, and selectors that do not parse', async () => {
    await apply({ templateSnippets: { gone: { template: 'x', overrides: true } } });
    expect((await judged('Invalid')).message).toContain('no library before has a snippet gone');
    await apply({ watchedResources: { ingresses: { labelSelector: 'a in (b' } } });
    expect((await judged('Invalid')).message).toContain(
      'spec.watchedResources.ingresses.labelSelector "a in (b" is not a label selector',
    );
  }, 120_000);

  it('takes a megabyte', async () => {
    const comment = `${'# '.padEnd(99, 'x')}\n`.repeat(105);
    await apply({
      templateSnippets: Object.fromEntries(
        Array.from({ length: 100 }, (_, i) => [
          `frontends-${900 + (i % 100)}-big-${i}`,
          { template: comment },
        ]),
      ),
    });
    await judged('Valid');
  }, 120_000);

  it('takes the credentials of agents from the Secret that it names, also after a rotation', async () => {
    const secret = (password: string) =>
      kubectl.ok(
        ['apply', '--server-side', '-f', '-'],
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'login', namespace },
          stringData: {
            dataplane_username: 'admin',
            ...(password === '' ? {} : { dataplane_password: password }),
          },
        }),
      );
    const says = (words: RegExp, times: number) =>
      eventually(
        `${String(words)}, ${times} times`,
        () => (log.split('\n').filter((line) => words.test(line)).length >= times ? true : undefined),
        patience,
      );
    await apply({ credentialsSecretRef: { name: 'login' } });
    await says(/there is no Secret .*\/login/, 1);
    await secret('pass-1');
    await says(/"fromSecret":true.*credentials of the agents are known/, 1);
    await secret('pass-2');
    await says(/"fromSecret":true.*credentials of the agents are known/, 2);
    expect(log).not.toMatch(/pass-[12]/);
    await judged('Valid');
  }, 120_000);

  it('never listed anew what it watches', () => {
    expect(lists()).toBe(1);
  });

  it('goes on with the last good one after the object is gone', async () => {
    await kubectl.ok(['delete', 'htplcfg', 'web', '-n', namespace]);
    await eventually(
      'the controller says so',
      () => (/there is no HAProxyTemplateConfig/.test(log) ? true : undefined),
      patience,
    );
    expect(controller.exitCode).toBeNull();
    await apply({});
    await judged('Valid');
  }, 120_000);
});
