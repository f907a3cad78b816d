import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { freePort } from '../../src/sandbox/runtime/free-port.ts';
import { createNamespace, describeOnCluster } from '../fixtures/control-plane.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { installCrds } from '../fixtures/install-crds.ts';
import type { Kubectl } from '../fixtures/kubectl.ts';

const patience = 60_000;

describeOnCluster('admission on a real API server', (cluster) => {
  let kubectl: Kubectl;
  let namespace: string;
  let controller: ChildProcess;
  let log = '';

  const apply = (object: object, ...flags: string[]) =>
    kubectl.run(['apply', '-n', namespace, '-f', '-', ...flags], JSON.stringify(object));
  const ingress = (name: string, at = '/', host = `${name}.example`) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name },
    spec: {
      ingressClassName: 'haptic-admission',
      rules: [
        {
          host,
          http: {
            paths: [
              { path: at, pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } },
            ],
          },
        },
      ],
    },
  });
  const configuration = (spec: object = {}) => ({
    apiVersion: 'haproxy-haptic.org/v1alpha1',
    kind: 'HAProxyTemplateConfig',
    metadata: { name: 'web' },
    spec: {
      libraryRefs: ['base', 'ingress'].map((name) => ({ name, revision: manifest.version })),
      // The other specs of the run are to have their own Ingresses for themselves.
      watchedResources: {
        ingresses: { apiVersion: 'networking.k8s.io/v1', resources: 'ingresses', namespaces: [namespace] },
      },
      ...spec,
    },
  });

  beforeAll(async () => {
    kubectl = await cluster.kubectl();
    await installCrds(kubectl);
    namespace = await createNamespace(kubectl);
    await apply({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: 'haptic-admission' },
      spec: { controller: 'haproxy-haptic.org/controller' },
    });
    await apply(configuration());
    const port = await freePort();
    controller = spawn(
      process.execPath,
      [
        path.resolve(import.meta.dirname, '../../src/main.ts'),
        'run',
        ...['--kubeconfig', cluster.kubeconfigPath, '--namespace', namespace, '--crd-name', 'web'],
        ...['--health-listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--no-agent-tls'],
        ...['--haproxy', newestHaproxyLine()?.path ?? 'haproxy'],
        ...['--webhook-listen', `127.0.0.1:${port}`, '--webhook-url', `https://localhost:${port}`],
        ...['--webhook-configuration', namespace],
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'] ?? '', DATAPLANE_USERNAME: 'admin', DATAPLANE_PASSWORD: 'test' },
      },
    );
    for (const output of [controller.stdout, controller.stderr])
      output?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    // Until HAProxy has accepted a first configuration, everything gets in.
    await eventually(
      'a refusal',
      async () => {
        const { code } = await apply(ingress('probe', '/a?b'), '--dry-run=server');
        return code === 1 ? true : undefined;
      },
      patience,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${log.slice(-4_000)}`);
    });
  }, 120_000);

  afterAll(async () => {
    controller.kill('SIGTERM');
    if (controller.exitCode === null) await new Promise((resolve) => controller.once('exit', resolve));
    await kubectl.run(['delete', 'validatingwebhookconfiguration', namespace]);
    await kubectl.run(['delete', 'ingressclass', 'haptic-admission']);
    await kubectl.run(['delete', 'namespace', namespace, '--wait=false']);
    await kubectl.close();
  });

  it('is set up by the controller itself, with a certificate of its own', async () => {
    const text = await kubectl.ok(['get', 'validatingwebhookconfiguration', namespace, '-o', 'yaml']);
    expect(text).toContain('name: ingresses.watched.haproxy-haptic.org');
    expect(text).toContain('name: configuration.haproxy-haptic.org');
    expect(text).toMatch(/caBundle: \S{100,}/);
    expect(await kubectl.ok(['get', 'secrets', '-n', namespace, '-o', 'name'])).toContain(
      'secret/haptic-webhook-tls-issuer',
    );
  });

  it('lets a good Ingress in, with a warning about what is not there yet', async () => {
    const { code, stderr } = await apply(ingress('good'));
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain(`Service ${namespace}/web does not exist`);
  });

  it('refuses a bad one with its field, on create, on update and on a dry run', async () => {
    for (const flags of [[], ['--dry-run=server']]) {
      const { code, stderr } = await apply(ingress('bad', '/a?b'), ...flags);
      expect(code).toBe(1);
      expect(stderr).toContain('spec.rules[0].http.paths[0].path: must not contain "?" or "#": "/a?b"');
    }
    expect((await apply(ingress('good', '/a?b'))).code).toBe(1);
    expect((await kubectl.run(['get', 'ingress', 'bad', '-n', namespace])).stderr).toContain('NotFound');
  });

  it('does not look at Ingresses of others', async () => {
    const foreign = ingress('foreign', '/a?b');
    const { code } = await apply({ ...foreign, spec: { ...foreign.spec, ingressClassName: 'nobodys' } });
    expect(code).toBe(0);
  });

  it('refuses a configuration whose template is wrong, with template, line and column', async () => {
    const { code, stderr } = await apply(
      configuration({ templateSnippets: { 'frontend-http-900-bad': { template: 'a\n{{noSuchHelper x}}' } } }),
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/frontend-http-900-bad:2:\d+/);
    expect(stderr).toContain('noSuchHelper');
  }, 60_000);

  it('refuses a configuration that HAProxy refuses, and lets a good one in', async () => {
    const snippet = (template: string) =>
      apply(configuration({ templateSnippets: { 'frontend-http-900-line': { template } } }));
    const { code, stderr } = await snippet('    no-such-word 1\n');
    expect(code).toBe(1);
    expect(stderr).toContain('no-such-word');
    expect((await snippet('    http-request set-header x-test 1\n')).code).toBe(0);
  }, 60_000);

  it('follows the watched resources', async () => {
    await apply(
      configuration({
        watchedResources: {
          ingresses: {
            apiVersion: 'networking.k8s.io/v1',
            resources: 'ingresses',
            namespaces: [namespace],
            enableValidationWebhook: false,
          },
          services: {
            apiVersion: 'v1',
            resources: 'services',
            enableValidationWebhook: true,
            labelSelector: 'a in (b, c)',
          },
        },
      }),
    );
    const webhooks = await eventually(
      'a webhook for services',
      async () => {
        const text = await kubectl.ok(['get', 'validatingwebhookconfiguration', namespace, '-o', 'yaml']);
        return text.includes('services.watched') && !text.includes('ingresses.watched') ? text : undefined;
      },
      patience,
    );
    expect(webhooks).toMatch(
      /objectSelector:\s+matchExpressions:\s+- key: a\s+operator: In\s+values:\s+- b\s+- c/,
    );
  }, 90_000);

  it('lets everything be deleted', async () => {
    expect((await kubectl.run(['delete', 'ingress', '--all', '-n', namespace])).code).toBe(0);
  });
});
