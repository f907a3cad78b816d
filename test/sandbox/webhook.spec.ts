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
