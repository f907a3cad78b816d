import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { issueAuthority } from '../../../src/certificates/issue-authority.ts';
import { issueIdentity } from '../../../src/certificates/issue-identity.ts';
import { applyCrdsCommand } from '../../../src/cli/apply-crds-command.ts';
import { doctorCommand } from '../../../src/cli/doctor-command.ts';
import type { Finding } from '../../../src/cli/finding.ts';
import type { ApiServer } from '../../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../../src/sandbox/api/create-api-server.ts';
import { callOf } from './values-of.ts';

let folder: string;
let api: ApiServer;
let kubeconfig: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'haptic-doctor-release-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(async () => {
  api = await createApiServer({ port: 0 });
  kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, api.kubeconfig());
  await callOf(applyCrdsCommand, ['--kubeconfig', kubeconfig]);
  await create({
    apiVersion: 'haproxy-haptic.org/v1alpha1',
    kind: 'HAProxyTemplateConfig',
    metadata: meta('web-config'),
    spec: {
      podSelector: { matchLabels: { app: 'haproxy' } },
      haproxyConfig: { template: 'global\n' },
      watchedResources: { services: { apiVersion: 'v1', resources: 'services', indexBy: ['metadata.name'] } },
    },
  });
});
afterEach(() => api.close());

const create = (...objects: readonly unknown[]) =>
  lastValueFrom(api.client.createMany(objects as readonly KubeObject[]));
const meta = (name: string, component?: string, release = 'web') => ({
  name,
  namespace: 'default',
  ...(component !== undefined && {
    labels: {
      'app.kubernetes.io/name': 'haptic',
      'app.kubernetes.io/instance': release,
      'app.kubernetes.io/component': component,
    },
  }),
});
const doctor = async (...argv: readonly string[]) => {
  const { code, out, err } = await callOf(doctorCommand, [
    ...['--kubeconfig', kubeconfig, '--namespace', 'default', '-o', 'json', '--timeout', '20s'],
    ...['--url', 'http://127.0.0.1:1/debug', '--haproxy', 'no-such-haproxy', '--agent-tls-dir', '/nowhere'],
    ...argv,
  ]);
  expect(err).toBe('');
  const { findings } = JSON.parse(out) as { readonly findings: readonly Finding[] };
  const of = (check: string) => findings.filter((finding) => finding.check === check);
  return {
    code,
    of,
    words: (check: string) => of(check).map(({ status, message }) => `${status}: ${message}`),
  };
};
const controller = (
  args: readonly string[] = [],
  release = 'web',
  status: object = { replicas: 2, readyReplicas: 2 },
) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: meta(`${release}-controller`, 'controller', release),
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: release } },
    template: {
      metadata: { labels: { app: release } },
      spec: {
        serviceAccountName: `${release}-controller`,
        containers: [
          {
            name: 'controller',
            image: 'haptic:1',
            args: ['run', `--crd-name=${release}-config`, '--lease-name', `${release}-leader`, ...args],
          },
        ],
      },
    },
  },
  status,
});
const pod = (name: string, status: object, component = 'controller') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: meta(name, component),
  spec: { containers: [{ name: 'controller', image: 'haptic:1' }] },
  status,
});
const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const waiting = (reason: string, message: string, more: object = {}) => ({
  phase: 'Pending',
  conditions: [{ type: 'Ready', status: 'False' }],
  containerStatuses: [
    { name: 'controller', image: 'haptic:wrong', state: { waiting: { reason, message } }, ...more },
  ],
});

describe('haptic doctor of a Helm release', () => {
  it('finds it by its labels, and takes from it what it is else told by flags', async () => {
    await create(
      controller(),
      pod('one', ready),
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: meta('certificates', 'certificates'),
        spec: {
          template: {
            spec: {
              restartPolicy: 'Never',
              containers: [
                {
                  name: 'j',
                  image: 'x',
                  args: ['certificates', '--client-secret=web-tls', '--self-signed-secret=web-self-signed'],
                },
              ],
            },
          },
        },
      },
      { apiVersion: 'v1', kind: 'Secret', metadata: meta('web-tls'), data: { 'tls.crt': 'eA==' } },
      { apiVersion: 'v1', kind: 'Secret', metadata: meta('web-self-signed'), data: { 'tls.crt': 'eA==' } },
    );
    const { words } = await doctor();
    expect(words('release')).toStrictEqual(['ok: release default/web has 2 workloads and 1 pods']);
    expect(words('configuration')).toStrictEqual(['ok: web-config can be used; it watches 1 resources']);
    expect(words('permissions')).toStrictEqual([
      expect.stringMatching(/^ok: default\/web-controller may do all \d+ things that are needed$/) as string,
    ]);
    expect(words('haproxy')).toStrictEqual([
      'skipped: there is no no-such-haproxy on this machine; the release has its own',
    ]);
    expect(words('certificates')).toStrictEqual([
      'skipped: /nowhere is not there',
      'failed: Secret default/web-tls holds no certificate that can be read',
      'failed: Secret default/web-self-signed holds no certificate that can be read',
    ]);
    expect(words('workloads')).toStrictEqual(['ok: all 1 pods run and are ready']);
  });

  it('looks at certificates of cert-manager under the names that pods mount, and at none of the usual names', async () => {
    const source = (name: string) => ({ secret: { name, items: [{ key: 'tls.crt', path: 'tls.crt' }] } });
    const deployment = controller();
    const volumes = [
      { name: 'agent-tls', projected: { sources: [source('web-mine'), { configMap: { name: 'x' } }] } },
      { name: 'webhook-tls', secret: { secretName: 'web-hook', items: [{ key: 'tls.crt', path: 'c' }] } },
      { name: 'other', secret: { secretName: 'web-password' } },
    ];
    Object.assign(deployment.spec.template.spec, { volumes });
    const bad = { 'tls.crt': 'eA==' };
    await create(deployment, pod('one', ready));
    for (const name of ['web-mine', 'web-hook', 'web-password', 'haptic-agent-tls'])
      await create({ apiVersion: 'v1', kind: 'Secret', metadata: meta(name), data: bad });
    const found = (await doctor()).of('certificates').filter(({ status }) => status === 'failed');
    expect(found.map(({ message, advice }) => `${message}: ${advice ?? ''}`)).toStrictEqual([
      expect.stringMatching(/^Secret default\/web-mine holds no certificate .*cert-manager/) as string,
      expect.stringMatching(/^Secret default\/web-hook holds no certificate .*cert-manager/) as string,
    ]);
  });

  it('says that there is none, that there are several, or that the one that is meant is not there', async () => {
    expect((await doctor()).words('release')).toStrictEqual([
      'skipped: there is no release of the chart in default',
    ]);
    await create(controller(), controller([], 'other'));
    const { words } = await doctor();
    expect(words('release')).toStrictEqual(['failed: there are several releases in default: other, web']);
    expect(words('workloads')).toStrictEqual([]);
    expect((await doctor('--release', 'web')).of('release')[0]?.status).toBe('ok');
    const missing = await doctor('--release', 'wep');
    expect(missing.of('release')).toStrictEqual([
      {
        check: 'release',
        status: 'failed',
        message: 'there is no release wep of the chart in default',
        advice: 'helm list -A tells what is installed; -n says in which namespace',
      },
    ]);
    expect(missing.code).toBe(1);
  });

  it('tells a wrong image, and every other reason for which a pod does not run', async () => {
    const event = (name: string, of: string, message: string, lastTimestamp: string) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: meta(name),
      involvedObject: { kind: 'Pod', name: of, namespace: 'default' },
      type: 'Warning',
      reason: 'FailedMount',
      message,
      lastTimestamp,
    });
    await create(
      controller([], 'web', { replicas: 2, readyReplicas: 0 }),
      pod(
        'crash',
        waiting('CrashLoopBackOff', 'back-off', {
          restartCount: 7,
          lastState: { terminated: { exitCode: 1, message: 'no\n  such flag' } },
        }),
      ),
      pod('image', waiting('ImagePullBackOff', 'Back-off pulling image "haptic:wrong"')),
      pod(
        'large',
        waiting('CrashLoopBackOff', '', {
          restartCount: 2,
          lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
        }),
      ),
      pod('mount', waiting('ContainerCreating', '')),
      pod('nothing', waiting('ContainerCreating', '')),
      pod('secret', waiting('CreateContainerConfigError', 'secret "x" not found')),
      pod('shy', {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }],
      }),
      pod('done', { phase: 'Succeeded' }, 'certificates'),
      event('old', 'mount', 'older', '2026-01-01T00:00:00Z'),
      event('new', 'mount', 'secret "web-tls" not found', '2026-01-01T00:01:00Z'),
    );
    const { code, of, words } = await doctor();
    expect(words('workloads')).toStrictEqual([
      'failed: Deployment default/web-controller has 0 of 2 pods ready',
      'failed: pod default/crash: container controller ended 7 times: exit code 1: no such flag',
      'failed: pod default/image: image haptic:wrong of container controller cannot be pulled (ImagePullBackOff): Back-off pulling image "haptic:wrong"',
      'failed: pod default/large: container controller ended 2 times: it took more memory than its limit',
      'failed: pod default/mount is not ready: FailedMount: secret "web-tls" not found',
      'warning: pod default/nothing is not ready',
      'failed: pod default/secret: container controller cannot start (CreateContainerConfigError): secret "x" not found',
      'failed: pod default/shy has no node: 0/3 nodes are available',
    ]);
    expect(of('workloads').every(({ advice }) => advice !== undefined)).toBe(true);
    expect(code).toBe(1);
  });

  it('tells workloads that cannot make pods, and Jobs that failed', async () => {
    const condition = (type: string, message: string) => ({
      conditions: [{ type, status: 'True', message }],
    });
    await create(
      controller([], 'web', condition('ReplicaFailure', 'violates PodSecurity "restricted:latest"')),
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: meta('web-crds', 'crds'),
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'j', image: 'x' }] } } },
        status: condition('Failed', 'Job has reached the specified backoff limit'),
      },
    );
    expect((await doctor()).words('workloads')).toStrictEqual([
      'failed: Deployment default/web-controller cannot make pods: violates PodSecurity "restricted:latest"',
      'failed: Job default/web-crds failed: Job has reached the specified backoff limit',
    ]);
  });

  it('tells that nobody leads', async () => {
    await create(controller());
    const lease = (spec: object) => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: meta('web-leader'),
      spec,
    });
    const leader = async () => (await doctor()).words('leader');
    expect(await leader()).toStrictEqual([
      'failed: nobody has ever led: Lease default/web-leader is not there',
    ]);
    await create(lease({ holderIdentity: '', leaseDurationSeconds: 15 }));
    expect(await leader()).toStrictEqual(['failed: nobody leads: Lease default/web-leader has no holder']);
    const hold = (renewTime: string) =>
      lastValueFrom(
        api.client.patch(
          'coordination.k8s.io/v1/leases',
          { name: 'web-leader', namespace: 'default' },
          { spec: { holderIdentity: 'one_x', renewTime } },
          { type: 'merge' },
        ),
      );
    await hold('2026-01-01T00:00:00.000000Z');
    expect(await leader()).toStrictEqual([
      'failed: nobody leads: one_x, the holder of Lease default/web-leader, last renewed it 2026-01-01T00:00:00.000000Z',
    ]);
    await hold(new Date().toISOString().replace('Z', '000Z'));
    expect(await leader()).toStrictEqual(['ok: one_x leads']);
  });

  describe('with a webhook', () => {
    const args = [
      '--webhook-service=web-hook',
      '--webhook-configuration=web-hook',
      '--webhook-secret',
      'web-hook-tls',
    ];
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: meta('web-hook'),
      spec: { ports: [{ port: 443 }] },
    };
    const slice = (isReady: boolean) => ({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...meta('web-hook-1'), labels: { 'kubernetes.io/service-name': 'web-hook' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: isReady } }],
      ports: [],
    });
    const configuration = (caBundle: string) => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'web-hook' },
      webhooks:
        caBundle === ''
          ? []
          : [
              {
                name: 'one.haproxy-haptic.org',
                admissionReviewVersions: ['v1'],
                sideEffects: 'None',
                failurePolicy: 'Ignore',
                clientConfig: {
                  caBundle: Buffer.from(caBundle).toString('base64'),
                  service: { name: 'web-hook', namespace: 'default' },
                },
                rules: [
                  {
                    apiGroups: ['example.com'],
                    apiVersions: ['v1'],
                    resources: ['things'],
                    operations: ['CREATE'],
                  },
                ],
              },
            ],
    });
    const day = 24 * 3_600_000;
    const identity = async (dnsName: string, validityMs = 300 * day) => {
      const now = Date.now();
      const authority = await issueAuthority(now, 400 * day);
      const leaf = await issueIdentity(authority, { role: 'server', dnsName, now, validityMs });
      const secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: meta('web-hook-tls'),
        data: { 'tls.crt': Buffer.from(leaf.cert).toString('base64') },
      };
      return { authority: authority.cert, secret };
    };
    const webhook = async () => (await doctor()).words('webhook');

    it('tells one that is not there, empty, or without a pod behind it', async () => {
      await create(controller(args));
      expect(await webhook()).toStrictEqual(['failed: ValidatingWebhookConfiguration web-hook is not there']);
      await create(configuration(''));
      expect(await webhook()).toStrictEqual([
        'warning: ValidatingWebhookConfiguration web-hook is empty: no controller has filled it in',
      ]);
    });

    it('tells that no pod is ready, and that the certificate is not there', async () => {
      const { authority } = await identity('web-hook.default.svc');
      await create(controller(args), configuration(authority), service, slice(false));
      expect(await webhook()).toStrictEqual([
        'failed: no pod is ready behind Service default/web-hook: what changes is judged by nobody',
        "failed: Secret default/web-hook-tls with the webhook's certificate is not there",
      ]);
    });

    it('tells an authority that API servers do not trust, a wrong name, and an end that is near', async () => {
      const good = await identity('web-hook.default.svc');
      await create(controller(args), configuration(good.authority), service, slice(true), good.secret);
      expect(await webhook()).toStrictEqual(['ok: API servers are told of 1 webhooks and reach them']);
      const other = await identity('other.default.svc', day / 24);
      await lastValueFrom(
        api.client.patch(
          'v1/secrets',
          { name: 'web-hook-tls', namespace: 'default' },
          { data: other.secret.data },
          { type: 'merge' },
        ),
      );
      expect(await webhook()).toStrictEqual([
        "failed: API servers trust another authority than the one that issued the webhook's certificate (Secret default/web-hook-tls)",
        "failed: the webhook's certificate (Secret default/web-hook-tls) is not for web-hook.default.svc",
      ]);
    });
  });

  it('tells renders that are refused, pods that are kept back, and pods that are behind', async () => {
    await create(controller());
    expect((await doctor()).words('published')).toStrictEqual([
      'warning: nothing is published: HAProxyCfg default/web-config-haproxycfg is not there',
    ]);
    const cfg = (name: string, status: object) => ({
      apiVersion: 'haproxy-haptic.org/v1alpha1',
      kind: 'HAProxyCfg',
      metadata: meta(name),
      spec: { path: '/etc/haproxy/haproxy.cfg', content: 'global\n', checksum: `sha256:${'0'.repeat(64)}` },
      status,
    });
    const at = '2026-01-01T00:00:00Z';
    await create(
      cfg('web-config-haproxycfg', {
        conditions: [
          {
            type: 'ConfigPinned',
            status: 'True',
            reason: 'NewerRefused',
            message: 'newer ones are refused',
            lastTransitionTime: at,
          },
          {
            type: 'Published',
            status: 'False',
            reason: 'ContentTooLarge',
            message: 'maps/host.map',
            lastTransitionTime: at,
          },
        ],
        deployedToPods: [
          { podName: 'good', deployedAt: at },
          {
            podName: 'bad',
            deployedAt: at,
            lastError: 'reload: HAProxy said no',
            lastErrorAt: at,
            consecutiveErrors: 4,
          },
        ],
      }),
      cfg('web-config-haproxycfg-invalid', { validationError: "[ALERT] unknown keyword 'x'" }),
    );
    expect((await doctor()).words('published')).toStrictEqual([
      "failed: HAProxy refuses the newest render: [ALERT] unknown keyword 'x'",
      'failed: pods are kept on an older render: newer ones are refused',
      'warning: not all is shown (ContentTooLarge): maps/host.map',
      `failed: bad is behind: reload: HAProxy said no (4 times, last ${at})`,
    ]);
  });
});
