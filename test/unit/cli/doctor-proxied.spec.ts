import { describe, expect, it } from 'vitest';
import { checkMetrics } from '../../../src/cli/doctor/check-metrics.ts';
import { checkWebhook } from '../../../src/cli/doctor/check-webhook.ts';
import type { Installation } from '../../../src/cli/doctor/installation.ts';
import { neededPermissions } from '../../../src/cli/doctor/needed-permissions.ts';
import { permissionText } from '../../../src/cli/ask-access.ts';
import { readConfig } from '../../../src/cli/read-config.ts';
import { kubeClient } from '../../../src/kube/kube-client.ts';
import type { KubeTransport } from '../../../src/kube/kube-transport.ts';

/** An API server with these answers, a status for what it refuses; it says 404 to everything else. */
function answering(
  answers: Readonly<Record<string, string | number | object>>,
): KubeTransport & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    request: ({ path }) => {
      asked.push(path);
      const answer = answers[path] ?? 404;
      if (typeof answer === 'number')
        return Promise.resolve({
          ok: false,
          failure: { kind: 'http', status: answer, reason: 'ServiceUnavailable', message: 'no way' },
        });
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
      const body = {
        text: () => Promise.resolve(text),
        [Symbol.asyncIterator]: () => [][Symbol.iterator]() as never,
      };
      return Promise.resolve({ ok: true, value: { status: 200, headers: {}, body } });
    },
    close: () => Promise.resolve(),
  };
}
const signal = () => new AbortController().signal;
const words = (
  findings: readonly { readonly check: string; readonly status: string; readonly message: string }[],
) => findings.map(({ check, status, message }) => `${status} ${check}: ${message}`);

describe('metrics of the controllers, asked through the API server,', () => {
  const pod = (name: string, component = 'controller') => ({
    metadata: { name, labels: { 'app.kubernetes.io/component': component } },
  });
  const metrics = (lines: readonly string[]) => `# HELP x y\n${lines.join('\n')}\n`;
  const pathOf = (name: string) => `/api/v1/namespaces/edge/pods/${name}:9091/proxy/metrics`;
  const check = (answers: Readonly<Record<string, string | number>>) =>
    checkMetrics(
      answering(answers),
      { pods: [pod('one'), pod('two'), pod('haproxy', 'haproxy')], metricsPort: 9091 },
      'edge',
      signal,
    );

  it('tell objects that are held back and pods that are behind, as the leader counts them', async () => {
    const leader = [
      'haptic_leader_election_is_leader 1',
      'haptic_quarantined_objects{kind="excluded"} 2',
      'haptic_quarantined_objects{kind="pinned"} 1',
      'haptic_quarantined_objects_total 70',
      'haptic_haproxy_fleet_size 4',
      'haptic_haproxy_fleet_converged 2',
      'haptic_haproxy_fleet_pending 1',
    ];
    const standby = ['haptic_leader_election_is_leader 0', 'haptic_quarantined_objects{kind="excluded"} 9'];
    const findings = await check({ [pathOf('one')]: metrics(standby), [pathOf('two')]: metrics(leader) });
    expect(words(findings)).toStrictEqual([
      'warning quarantine: 3 objects are held back',
      'warning deployments: 1 of 4 HAProxy pods do not run the newest render',
    ]);
  });

  it('tell that pods live on what was retained', async () => {
    const leader = ['haptic_leader_election_is_leader 1', 'haptic_retained_config_active 1'];
    expect(
      words(await check({ [pathOf('one')]: metrics(leader), [pathOf('two')]: metrics([]) })),
    ).toStrictEqual([
      'failed retained: HAProxy pods hold what was retained of an earlier render: no render is accepted since this controller began',
    ]);
  });

  it('say so where all is well, and where they cannot be had', async () => {
    const leader = [
      'haptic_leader_election_is_leader 1',
      'haptic_haproxy_fleet_size 2',
      'haptic_haproxy_fleet_converged 2',
    ];
    expect(words(await check({ [pathOf('one')]: metrics(leader), [pathOf('two')]: 403 }))).toStrictEqual([
      'ok metrics: edge/one leads: 2 of 2 HAProxy pods run the newest render',
      'skipped metrics: metrics of edge/two: 403 ServiceUnavailable: no way',
    ]);
  });
});

describe('a webhook behind a Service', () => {
  const proxied = '/api/v1/namespaces/edge/services/https:hook:443/proxy/healthz';
  const answers = {
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/hook.edge': {
      metadata: { name: 'hook.edge' },
      webhooks: [{ clientConfig: { caBundle: '' } }],
    },
    '/api/v1/namespaces/edge/services/hook': { metadata: { name: 'hook' }, spec: { ports: [{ port: 443 }] } },
    '/apis/discovery.k8s.io/v1/namespaces/edge/endpointslices': {
      metadata: { resourceVersion: '1' },
      items: [
        {
          metadata: { name: 'hook-1' },
          endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
        },
      ],
    },
  };
  const check = async (answer: string | number) => {
    const transport = answering({ ...answers, [proxied]: answer });
    const deps = { transport, kube: kubeClient(transport), namespace: 'edge', signal, now: Date.now };
    const findings = await checkWebhook(deps, { service: 'hook', configuration: 'hook.edge' });
    expect(transport.asked).toContain(proxied);
    return words(findings);
  };

  it('is told when API servers do not reach it, though a pod is ready', async () => {
    expect(await check(503)).toStrictEqual([
      'failed webhook: the API server does not reach the webhook: 503 ServiceUnavailable: no way',
    ]);
  });

  it('is reached if anything answers, which is not known where one may not ask', async () => {
    const fine = ['ok webhook: API servers are told of 1 webhooks and reach them'];
    expect(await check('ok')).toStrictEqual(fine);
    expect(await check(404)).toStrictEqual(fine);
    expect(await check(403)).toStrictEqual([
      'skipped webhook: whether API servers reach it cannot be asked: 403 ServiceUnavailable: no way',
    ]);
  });
});

describe('the rights that a controller needs on Leases', () => {
  const installation = { release: 'web', configName: 'web-config', leaseName: 'web-leader' } as Installation;
  const leases = async (enabled: boolean) => {
    const shipped = await readConfig(`${import.meta.dirname}/../../../charts/haptic/libraries`, []);
    const { leaderElection } = shipped.controller;
    const config = {
      ...shipped,
      controller: { ...shipped.controller, leaderElection: { ...leaderElection, enabled } },
    };
    const needed = neededPermissions({ config, installation, namespace: 'edge' });
    return needed.filter(({ resource }) => resource === 'leases').map(permissionText);
  };

  it('are on that of the election, and without one on that of what was retained', async () => {
    const kind = 'leases.coordination.k8s.io';
    expect(await leases(true)).toStrictEqual([
      `create ${kind} in edge`,
      `get ${kind} web-leader in edge`,
      `update ${kind} web-leader in edge`,
    ]);
    expect(await leases(false)).toStrictEqual([
      `create ${kind} in edge`,
      `get ${kind} web-config-retained in edge`,
      `update ${kind} web-config-retained in edge`,
    ]);
  });
});
