import https from 'node:https';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { createKubectl, describeWithKubectl, type Kubectl } from '../fixtures/kubectl.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';

const ingress = (name: string, host: string, more = '', path = '/') => `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: ${name}${more}}
spec:
  ingressClassName: haptic
  rules:
  - host: ${host}
    http:
      paths:
      - path: '${path}'
        pathType: Prefix
        backend: {service: {name: echo, port: {number: 80}}}
`;

/** The API takes it, and no request has such a path. */
const bad = (name: string) => ingress(name, 'bad.example', '', '/a?b');

/** Its template prints whatever a label says into the backend of the Ingress: what HAProxy refuses, admission has to tell. */
const raw = `{{#forEach resources.ingresses as |i|}}{{#each i.metadata.labels as |value key|}}{{#if (eq key "timeout")}}
{{#section (concat "backend raw-" i.metadata.name)}}
backend raw-{{i.metadata.name}} from haptic-http
  timeout server {{value}}
{{/section}}{{/if}}{{/each}}{{/forEach}}`;

/** The status of the answer to a review of a configuration by somebody who shows no ticket. */
function askedByStranger(url: string): Promise<number | undefined> {
  const group = 'haproxy-haptic.org';
  const object = { metadata: { name: 'haproxy-config', namespace: 'haptic' }, spec: {} };
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u',
      kind: { group, version: 'v1alpha1', kind: 'HAProxyTemplateConfig' },
      resource: { group, version: 'v1alpha1', resource: 'haproxytemplateconfigs' },
      namespace: 'haptic',
      name: 'haproxy-config',
      operation: 'CREATE',
      object,
    },
  };
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const request = https.request(url, { method: 'POST', rejectUnauthorized: false, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
    request.end(JSON.stringify(review));
  });
}

describeWithKubectl('admission in the sandbox', () => {
  let sandbox: Sandbox;
  let kubectl: Kubectl;

  beforeAll(async () => {
    const haproxy = newestHaproxyLine()?.path;
    sandbox = await startSandbox({
      env: process.env,
      webhook: true,
      ...(haproxy === undefined ? {} : { haproxy }),
      config: { templateSnippets: { 'backends-900-raw': { template: raw } } },
    });
    kubectl = await createKubectl(sandbox.api.kubeconfig());
    // Until HAProxy has accepted a first configuration, everything gets in.
    await vi.waitFor(
      async () => {
        const probe = await kubectl.run(['apply', '--dry-run=server', '-f', '-'], bad('probe'));
        expect(probe.code).toBe(1);
      },
      { timeout: 80_000, interval: 500 },
    );
  }, 90_000);
  afterAll(async () => {
    await kubectl.close();
    await sandbox.stop();
  });

  it('keeps its own configuration, following the watched resources', async () => {
    const text = await kubectl.ok(['get', 'validatingwebhookconfigurations', 'haptic-sandbox', '-o', 'yaml']);
    expect(text).toContain('name: ingresses.watched.haproxy-haptic.org');
    expect(text).toContain('failurePolicy: Ignore');
    expect(text).toMatch(/url: https:\/\/localhost:\d+\/validate/);
  });

  it('tries a configuration for the API server, and for nobody else', async () => {
    const broken = JSON.stringify({
      spec: { templateSnippets: { 'frontends-900-x': { template: '{{frob}}' } } },
    });
    const { code, stderr } = await kubectl.run([
      ...['patch', 'haproxytemplateconfig', 'haproxy-config', '-n', 'haptic'],
      ...['--type', 'merge', '-p', broken],
    ]);
    expect({ code, stderr }).toMatchObject({ code: 1 });
    expect(stderr).toContain('frob');
    const jsonpath = '{.webhooks[?(@.name=="configuration.haproxy-haptic.org")].clientConfig.url}';
    const url = await kubectl.ok([
      ...['get', 'validatingwebhookconfigurations', 'haptic-sandbox', '-o', `jsonpath=${jsonpath}`],
    ]);
    expect(url).toMatch(/\/validate\/[0-9a-f-]{36}$/);
    expect(await askedByStranger(url.replace(/\/[^/]+$/, ''))).toBe(403);
  });

  it('lets a good Ingress in', async () => {
    expect(await kubectl.ok(['apply', '-f', '-'], ingress('good', 'good.example'))).toContain('created');
  });

  it('refuses a bad one with field and words, and keeps nothing of it', async () => {
    const { code, stderr } = await kubectl.run(['apply', '-f', '-'], bad('bad'));
    expect(code).toBe(1);
    expect(stderr).toContain('spec.rules[0].http.paths[0].path');
    expect(stderr).toContain('must not contain "?" or "#": "/a?b"');
    expect((await kubectl.run(['get', 'ingress', 'bad'])).stderr).toContain('not found');
  });

  it('refuses what HAProxy would refuse, in its words', async () => {
    const { code, stderr } = await kubectl.run(
      ['apply', '-f', '-'],
      ingress('slow', 'slow.example', ', labels: {timeout: never}'),
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/HAProxy refuses it: .*timeout server/);
  });

  it('warns of what is legal but suspicious', async () => {
    const { code, stderr } = await kubectl.run(
      ['apply', '-f', '-'],
      ingress('odd', 'good.example', ", annotations: {haproxy-haptic.org/no-such: 'x'}"),
    );
    expect(code).toBe(0);
    expect(stderr).toContain('Warning: metadata.annotations["haproxy-haptic.org/no-such"]: is not known');
    expect(stderr).toContain('is already served by');
  });

  it('has no warning about lines that the shipped libraries write', async () => {
    const asking = ", annotations: {haproxy-haptic.org/auth-url: 'svc://echo:80/auth'}";
    const { code, stderr } = await kubectl.run(
      ['apply', '-f', '-'],
      ingress('asking', 'ask.example', asking),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('says what a deletion breaks, and lets it happen', async () => {
    const { code, stderr } = await kubectl.run(['delete', 'ingress', 'good']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});
