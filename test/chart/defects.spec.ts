import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { isRecord } from '../../src/lib/is-record.ts';
import { describeChart } from '../fixtures/chart/describe-chart.ts';
import type { Manifest } from '../fixtures/chart/manifest.ts';
import { at, isSelected, listAt, podsOf } from '../fixtures/chart/pods-of.ts';
import { chartDir, renderChart } from '../fixtures/chart/render-chart.ts';

/** What charts of this kind are known to get wrong. */
describeChart('the chart avoids that', () => {
  it('alerts ask for metrics that nobody has: they are those of the file, which is checked against the program', async () => {
    const file = readFileSync(path.join(chartDir, 'monitoring/alerts.yaml'), 'utf8');
    const manifests = await renderChart({ values: { monitoring: { prometheusRule: { enabled: true } } } });
    // Of the namespace's controllers the file asks, of the release's the chart.
    const ofRelease = 'absent(haptic_build_info{namespace="edge", pod=~"shop-haptic-controller-.+"})';
    const expected: unknown = parse(file.replace(/absent\(haptic_build_info\).*$/m, ofRelease));
    expect(expected).not.toEqual(parse(file));
    expect(one(manifests, 'PrometheusRule').spec).toEqual(expected);
  });

  it('a pod autoscaler or a ScaledObject aims at what is not there', async () => {
    for (const file of ['ci/autoscaling-values.yaml', 'ci/keda-values.yaml']) {
      const manifests = await renderChart({ file, release: 'a-name', values: { nameOverride: 'other' } });
      const scaler = manifests.find(
        ({ kind }) => kind === 'HorizontalPodAutoscaler' || kind === 'ScaledObject',
      );
      const target = at(scaler?.spec, 'scaleTargetRef');
      expect(
        manifests.filter(
          ({ kind, metadata }) => kind === target?.['kind'] && metadata.name === target['name'],
        ),
      ).toHaveLength(1);
    }
  });

  it('a budget or a policy for controllers also counts for HAProxy pods', async () => {
    const manifests = await renderChart();
    const [haproxy] = podsOf(manifests).filter(({ owner }) => owner.endsWith('-haproxy'));
    for (const { kind, metadata, spec } of manifests) {
      if (!metadata.name.endsWith('-controller')) continue;
      const selector = at(spec, kind === 'NetworkPolicy' ? 'podSelector' : 'selector', 'matchLabels');
      if (selector !== undefined) expect(isSelected(selector, haproxy?.labels ?? {}), kind).toBe(false);
    }
  });

  it('two releases in one namespace deliver to the same pods', async () => {
    const selector = at(
      one(await renderChart({ release: 'one' }), 'HAProxyTemplateConfig').spec,
      'podSelector',
      'matchLabels',
    );
    const [own] = podsOf(await renderChart({ release: 'one' })).filter(({ owner }) =>
      owner.endsWith('-haproxy'),
    );
    const [other] = podsOf(await renderChart({ release: 'two' })).filter(({ owner }) =>
      owner.endsWith('-haproxy'),
    );
    expect(isSelected(selector ?? {}, own?.labels ?? {})).toBe(true);
    expect(isSelected(selector ?? {}, other?.labels ?? {})).toBe(false);
  });

  it('the webhook is never asked: a controller is told to keep a configuration that it may write', async () => {
    const manifests = await renderChart();
    const name = one(manifests, 'ValidatingWebhookConfiguration').metadata.name;
    expect(argumentsOf(manifests, 'controller')).toContain(`--webhook-configuration=${name}`);
    const may = manifests
      .flatMap(({ rules = [] }) => rules)
      .find(({ resources }) => resources.includes('validatingwebhookconfigurations'));
    expect(may).toMatchObject({ resourceNames: [name], verbs: ['patch'] });
  });

  it('a password can be guessed from names: there is none, and no Secret has a content that the chart makes up', async () => {
    for (const file of ['ci/default-values.yaml', 'ci/everything-values.yaml'])
      for (const { kind, data } of await renderChart({ file }))
        if (kind === 'Secret') expect(data).toBeUndefined();
    expect(JSON.stringify(podsOf(await renderChart()))).not.toMatch(/password/i);
  });

  it('folders of certificates are one here and another there: nothing but the configuration says where they are', async () => {
    const manifests = await renderChart();
    expect(at(one(manifests, 'HAProxyTemplateConfig').spec, 'dataplane')).not.toHaveProperty('sslCertsDir');
    const mounts = podsOf(manifests)
      .filter(({ owner }) => owner.endsWith('-haproxy'))
      .flatMap(({ containers }) => containers.flatMap((container) => listAt(container, 'volumeMounts')))
      .filter(({ name }) => name === 'haproxy');
    expect(mounts.map(({ mountPath }) => mountPath)).toEqual(['/etc/haproxy', '/etc/haproxy']);
  });

  it.each(['128Mi', '256M', '512Mi', '1Gi', '1.5Gi', 2147483648])(
    'HAProxy may take all that the container has (%s), or old workers pile up',
    async (memory) => {
      const manifests = await renderChart({ values: { haproxy: { resources: { limits: { memory } } } } });
      const args = argumentsOf(manifests, 'haproxy');
      const most = Number(args[args.indexOf('-m') + 1]) * 1024 * 1024;
      expect(most).toBeGreaterThan(bytesOf(memory) / 2);
      expect(most).toBeLessThanOrEqual(bytesOf(memory) * 0.75);
      const context = at(one(manifests, 'HAProxyTemplateConfig').spec, 'templatingSettings', 'extraContext');
      expect(context).toMatchObject({ hardStopAfter: '30m' });
      expect(Number(context?.['maxconn']) * 64 * 1024).toBeLessThanOrEqual(most);
    },
  );

  it('a policy keeps OCSP responders and lists from the web away', async () => {
    const closed = { egress: { enabled: true } };
    const manifests = await renderChart({
      values: { networkPolicy: closed, haproxy: { networkPolicy: closed } },
    });
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies).toHaveLength(2);
    for (const { spec } of policies)
      expect(listAt(spec, 'egress')).toContainEqual({
        to: [{ ipBlock: { cidr: '0.0.0.0/0' } }, { ipBlock: { cidr: '::/0' } }],
      });
    for (const { spec } of (await renderChart()).filter(({ kind }) => kind === 'NetworkPolicy'))
      expect(spec?.['policyTypes']).toEqual(['Ingress']);
  });

  it('clients are told names of backends: no header of an answer has any, and none is of our own', async () => {
    const manifests = await renderChart();
    const libraries = JSON.stringify(manifests.filter(({ kind }) => kind === 'HAProxyTemplateLibrary'));
    const headers = [...libraries.matchAll(/http-(?:after-)?response (?:set|add)-header (\S+) (.*?)\\n/g)];
    expect(headers.length).toBeGreaterThan(0);
    for (const [, header = '', value] of headers) {
      expect(header).not.toMatch(/^x-/i);
      expect(value, header).not.toMatch(/haptic_(?:backend|group|path)|be_name|srv_name|be_id/);
    }
    expect(JSON.stringify(one(manifests, 'HAProxyTemplateConfig').spec)).not.toContain('debug');
  });
});

function one(manifests: readonly Manifest[], kind: string): Manifest {
  const found = manifests.filter((manifest) => manifest.kind === kind);
  expect(found, kind).toHaveLength(1);
  const [manifest] = found;
  if (manifest === undefined) throw new Error(`there is no ${kind}`);
  return manifest;
}

/** Of the container of this name. */
function argumentsOf(manifests: readonly Manifest[], name: string): readonly string[] {
  const container = podsOf(manifests)
    .flatMap(({ containers }) => containers)
    .find((found) => found['name'] === name);
  const args = isRecord(container) ? container['args'] : undefined;
  return Array.isArray(args) ? args.map(String) : [];
}

function bytesOf(memory: string | number): number {
  const [, amount = '0', unit = ''] = /^([0-9.]+)(\w*)$/.exec(String(memory)) ?? [];
  const factors: Readonly<Record<string, number>> = { '': 1, M: 1e6, Mi: 1024 ** 2, Gi: 1024 ** 3 };
  return Number(amount) * (factors[unit] ?? Number.NaN);
}
