import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInstalled } from '../fixtures/install/describe-installed.ts';
import { leftovers } from '../fixtures/install/leftovers.ts';
import { type Load, startLoad } from '../fixtures/install/load.ts';
import { fullname, installRelease, releaseUrl, uninstallRelease } from '../fixtures/install/release.ts';
import { sample, sampleRoute } from '../fixtures/install/sample.ts';
import { secureNamespace } from '../fixtures/install/secure-namespace.ts';

const release = { name: 'haptic', namespace: 'haptic-install' };
const apps = 'haptic-install-apps';

describeInstalled('an installed chart', (cluster) => {
  let client: Load;
  const { kubectl, list, until } = cluster;
  const pods = (component: string) =>
    list(
      'pods',
      release.namespace,
      `app.kubernetes.io/instance=${release.name},app.kubernetes.io/component=${component}`,
    );
  const metricsOf = async (component: string, port: number) => {
    const found = await pods(component);
    return Promise.all(
      found.map(({ metadata }) => cluster.ask(release.namespace, metadata.name, port, '/metrics')),
    );
  };
  const scale = (replicas: number) =>
    kubectl(['scale', 'deployment/site', '-n', apps, `--replicas=${String(replicas)}`]);

  beforeAll(async () => {
    await cluster.apply(secureNamespace(release.namespace), secureNamespace(apps));
    await installRelease(cluster, release);
    client = await startLoad(cluster, { name: 'client', namespace: apps, url: releaseUrl(release) });
  });
  afterAll(async () => {
    await kubectl(['delete', 'namespace', apps, release.namespace, '--ignore-not-found', '--wait']);
  });

  it('serves a route through its Service, in namespaces of the restricted Pod Security Standard', async () => {
    expect(await client.get('site.example.com')).toMatchObject({ status: 404 });
    const { image } = cluster;
    await cluster.apply(
      ...sample({ name: 'site', namespace: apps, image, replicas: 2, answer: 'site' }),
      sampleRoute({
        ...{ name: 'site', namespace: apps, host: 'site.example.com' },
        ...{ service: 'site', ingressClass: release.name },
      }),
    );
    expect(await client.answers('site.example.com', 200)).toMatchObject({ body: 'site\n' });
    const ready = (await pods('haproxy')).map(({ status }) => status?.['phase']);
    expect(ready).toEqual(['Running', 'Running']);
  });

  it('follows backends to none, to three, to none and back, without a reload', async () => {
    const reloads = async () =>
      (await metricsOf('haproxy', 5557)).map((text) => text.match(/^haptic_agent_reloads_total.*$/gm));
    const before = await reloads();
    expect(before).toHaveLength(2);
    await scale(0);
    await client.answers('site.example.com', 503);
    await scale(3);
    await client.answers('site.example.com', 200);
    await scale(0);
    await client.answers('site.example.com', 503);
    await scale(2);
    await client.answers('site.example.com', 200);
    expect(await reloads()).toEqual(before);
  });

  it('has the webhook deny what HAProxy would refuse, and admit what it takes', async () => {
    const config = `haproxytemplateconfig/${fullname(release)}-config`;
    const patch = (text: string) => {
      const spec = { templateSnippets: { 'frontend-http-900-test': { template: text } } };
      const what = ['--type=merge', '--dry-run=server', '-p', JSON.stringify({ spec })];
      return kubectl(['patch', config, '-n', release.namespace, ...what]);
    };
    await until('the webhook is asked', async () => {
      const webhooks = await list(
        'validatingwebhookconfigurations',
        '',
        `app.kubernetes.io/instance=${release.name}`,
      );
      return JSON.stringify(webhooks).includes('"caBundle"') ? true : undefined;
    });
    await expect(patch('    no-such-keyword x\n')).rejects.toThrow(/no-such-keyword/);
    await expect(patch('{{#each}}')).rejects.toThrow(/frontend-http-900-test/);
    expect(await patch('    http-request set-header x-test yes\n')).toContain('patched');
  });

  it('exchanges all certificates while it runs: changes go on, no pod is started again', async () => {
    const uids = async () =>
      [...(await pods('controller')), ...(await pods('haproxy'))].map(({ metadata }) => metadata.uid).sort();
    const serverCertificate = async () =>
      await kubectl([
        'get',
        'secret',
        `${fullname(release)}-agent-tls`,
        '-n',
        release.namespace,
        '-o',
        'jsonpath={.data.tls\\.crt}',
      ]);
    const expiries = async () =>
      (await metricsOf('haproxy', 5557)).map(
        (text) => /^haptic_agent_certificate_expiry_timestamp_seconds (.*)$/m.exec(text)?.[1],
      );
    const [before, former, ends] = [await uids(), await serverCertificate(), await expiries()];
    expect(ends).toHaveLength(2);
    const cronJob = `cronjob/${fullname(release)}-certificates`;
    const printed = await kubectl([
      'create',
      'job',
      'rotate-now',
      '-n',
      release.namespace,
      '--from',
      cronJob,
      '--dry-run=client',
      '-o',
      'json',
    ]);
    const job = JSON.parse(printed) as { spec: { template: { spec: { containers: [{ args: string[] }] } } } };
    job.spec.template.spec.containers[0].args.push('--rotate');
    await kubectl(['create', '-f', '-'], JSON.stringify(job));
    await kubectl([
      'wait',
      'job/rotate-now',
      '-n',
      release.namespace,
      '--for=condition=complete',
      '--timeout=60s',
    ]);
    expect(await serverCertificate()).not.toBe(former);
    // What agents have on disk and would show; the kubelet brings it.
    await until(
      'agents have the new ones',
      async () => {
        const now = await expiries();
        return now.every((one) => !ends.includes(one)) ? true : undefined;
      },
      180_000,
    );
    const route = { name: 'turn', namespace: apps, host: 'turn.example.com' };
    await cluster.apply(sampleRoute({ ...route, service: 'site', ingressClass: release.name }));
    await client.answers('turn.example.com', 200);
    await kubectl(['delete', 'ingress', 'turn', '-n', apps]);
    expect(await uids()).toEqual(before);
  });

  it('is measured: all that dashboard and alerts ask for is there', async () => {
    const scraped = [
      ...(await metricsOf('controller', 9090)),
      ...(await metricsOf('haproxy', 5557)),
      ...(await metricsOf('haproxy', 8404)),
    ].join('\n');
    const declared = new Set([...scraped.matchAll(/^# TYPE (\w+)/gm)].map((match) => match[1] ?? ''));
    const measured = new Set(scraped.match(/^\w+(?=[ {])/gm));
    const asked = ['dashboard.json', 'alerts.yaml']
      .map((name) => readFileSync(path.join(cluster.chart, 'monitoring', name), 'utf8'))
      .flatMap((text) => text.match(/\b(?:haptic|haproxy)_[a-z0-9_]+(?=[[{) \\])/g) ?? []);
    const unknown = (name: string) =>
      !declared.has(name) && !declared.has(name.replace(/_(?:bucket|count|sum)$/, ''));
    expect([...new Set(asked)].filter(unknown)).toEqual([]);
    // What never happened here has no series yet: events, operations that failed.
    expect([...new Set(asked)].filter((name) => measured.has(name)).length).toBeGreaterThan(20);
  });

  it('leaves nothing but its CRDs when it is uninstalled', async () => {
    await client.end();
    await uninstallRelease(cluster, release);
    await until(
      'all that belonged to it is gone',
      async () => ((await leftovers(cluster, release)).length === 0 ? true : undefined),
      60_000,
    ).catch(() => undefined);
    expect(await leftovers(cluster, release)).toEqual([]);
  });
});
