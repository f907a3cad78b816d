import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeInstalled } from '../fixtures/install/describe-installed.ts';
import { leftovers } from '../fixtures/install/leftovers.ts';
import { type Load, startLoad } from '../fixtures/install/load.ts';
import { fullname, installRelease, releaseUrl, uninstallRelease } from '../fixtures/install/release.ts';
import { sample, sampleRoute } from '../fixtures/install/sample.ts';
import { secureNamespace } from '../fixtures/install/secure-namespace.ts';
import { dashboardQueries } from '../fixtures/prometheus/dashboard-queries.ts';
import { type ObservedRelease, observeRelease } from '../fixtures/prometheus/observe-release.ts';
import { prometheusMissing } from '../fixtures/prometheus/prometheus-missing.ts';

const release = { name: 'haptic', namespace: 'haptic-install' };
const apps = 'haptic-install-apps';
const own = fullname(release);
/** Panels that show what did not happen here have nothing to show: their labels are not known before. */
const neverHappened = [
  'haptic_config_rejected_total',
  'haptic_runtime_backend_fallback_total',
  'haptic_runtime_map_divergence_total',
  'haptic_agent_apply_rejected_total',
  'haptic_agent_op_errors_total',
  'haptic_own_resources_total',
];
/** Alerts that ring, without the minutes that they wait, where the machine is busy. */
const ofSpeed = ['HapticWebhookSlow', 'HapticChangesSlow', 'HapticEventLoopLag'];
const noPrometheus = prometheusMissing(process.env);

describeInstalled('an installed chart', (cluster) => {
  let client: Load;
  let prometheus: ObservedRelease | undefined;
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
    // Certificates that end soon are what two alerts ring for.
    await installRelease(cluster, release, { sets: ['agentTls.managed.validityDays=5'] });
    if (noPrometheus === undefined) prometheus = await observeRelease(cluster, release);
    client = await startLoad(cluster, { name: 'client', namespace: apps, url: releaseUrl(release) });
  });
  afterAll(async () => {
    await prometheus?.stop();
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

  it('has its chart in the image, for a look at values before an upgrade', async () => {
    const inPod = ['exec', `deployment/${own}-controller`, '-c', 'controller', '-n', release.namespace, '--'];
    expect(await kubectl([...inPod, 'haptic', 'preflight', '--offline', '-n', 'x'])).toMatch(
      /^ok +values +they are what haptic/m,
    );
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

  describe.skipIf(noPrometheus !== undefined)(
    `is measured${noPrometheus === undefined ? '' : ` (${noPrometheus})`}`,
    () => {
      const observed = () => {
        if (prometheus === undefined) throw new Error('it was not installed');
        return prometheus;
      };
      const ringing = async () => (await observed().ringing()).filter((name) => !ofSpeed.includes(name));
      const ring = (...names: readonly string[]) =>
        until(`${names.join(', ')} rings`, async () => {
          const found = await ringing();
          if (names.every((name) => found.includes(name))) return true;
          throw new Error(`what rings is ${found.join(', ')}`);
        });

      it('by Prometheus, which finds every part of every pod', async () => {
        await until('all is scraped', async () => {
          const targets = await observed().targets();
          const bad = targets.filter(({ health }) => health !== 'up');
          if (targets.length === 6 && bad.length === 0) return true;
          throw new Error(JSON.stringify(bad.map(({ labels, lastError }) => [labels, lastError])));
        });
        const targets = (await observed().targets()).map(({ labels }) => [labels['job'], labels['endpoint']]);
        const job = `${release.namespace}/${own}`;
        const haproxy = `${job}-haproxy`;
        expect(targets.sort()).toEqual([
          [`${job}-controller`, 'metrics'],
          [`${job}-controller`, 'metrics'],
          [haproxy, 'agent-metrics'],
          [haproxy, 'agent-metrics'],
          [haproxy, 'stats'],
          [haproxy, 'stats'],
        ]);
      });

      it('and alerts ring for what is wrong with objects and certificates, and for nothing else', async () => {
        const { count, broken } = await observed().rules();
        expect(broken).toEqual([]);
        expect(count).toBe(observed().alerts.length);
        const expected = ['HapticAgentCertificateExpires', 'HapticCertificateExpires'];
        expect(await ringing()).toEqual(expected);

        const lost = { name: 'lost', namespace: apps, host: 'lost.example.com', service: 'no-such-service' };
        await cluster.apply(sampleRoute({ ...lost, ingressClass: release.name }));
        await ring('HapticProblemsRemain');
        await kubectl(['delete', 'ingress', 'lost', '-n', apps]);
        await until('no more', async () =>
          (await ringing()).includes('HapticProblemsRemain') ? undefined : true,
        );
      });

      it('and all panels of the dashboard have something to show', async () => {
        const queries = dashboardQueries(cluster.chart, release.namespace).filter(
          (query) => !neverHappened.some((metric) => query.includes(metric)),
        );
        // A rate takes two scrapes.
        await until('all have', async () => {
          const results = await Promise.all(queries.map((query) => observed().query(query)));
          const empty = queries.filter((_, index) => results[index]?.length === 0);
          if (empty.length === 0) return true;
          throw new Error(`nothing to show: ${empty.join('\n')}`);
        });
        expect(await observed().query('haproxy_process_uptime_seconds')).toHaveLength(2);
      });

      it('and alerts ring for pods that are missing', async () => {
        await kubectl(['scale', `deployment/${own}-haproxy`, '-n', release.namespace, '--replicas=0']);
        await ring('HapticNoPods');
        await kubectl(['scale', `deployment/${own}-controller`, '-n', release.namespace, '--replicas=0']);
        await ring('HapticControllerMissing');
      });
    },
  );

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
