import { X509Certificate } from 'node:crypto';
import type { KubeObject } from '../../api/kube-object.ts';
import { describeFailure } from '../../kube/kube-failure.ts';
import { record, records, textOf } from '../fields.ts';
import type { Finding } from '../finding.ts';
import { certificateLifetime } from './certificate-lifetime.ts';
import type { DoctorDeps } from './doctor-deps.ts';
import type { Installation } from './installation.ts';

const check = 'webhook';

/** Do API servers reach the webhook, and do they trust the certificate that it shows? */
export async function checkWebhook(
  deps: Pick<DoctorDeps, 'kube' | 'transport' | 'namespace' | 'signal' | 'now'>,
  { service, configuration, secret }: NonNullable<Installation['webhook']>,
): Promise<readonly Finding[]> {
  if (configuration === undefined)
    return [{ check, status: 'skipped', message: 'the controller keeps no ValidatingWebhookConfiguration' }];
  const { kube, signal } = deps;
  const what = `ValidatingWebhookConfiguration ${configuration}`;
  const found = await kube.get(
    { apiVersion: 'admissionregistration.k8s.io/v1', resources: 'validatingwebhookconfigurations' },
    configuration,
    { signal: signal() },
  );
  if (!found.ok) {
    const isMissing = found.failure.kind === 'http' && found.failure.status === 404;
    return [
      isMissing
        ? { check, status: 'failed', message: `${what} is not there`, advice: 'helm upgrade makes it anew' }
        : { check, status: 'skipped', message: `${what}: ${describeFailure(found.failure)}` },
    ];
  }
  const webhooks = records(found.value['webhooks']);
  if (webhooks.length === 0)
    return [
      {
        check,
        status: 'warning',
        message: `${what} is empty: no controller has filled it in`,
        advice: 'see the log of the leader, and its right to patch it',
      },
    ];
  const bundles = new Set(webhooks.map(({ clientConfig }) => textOf(record(clientConfig)['caBundle'])));
  const findings = [
    ...(await reachability(deps, service)),
    ...(secret === undefined ? [] : await trust(deps, { secret, service, bundles })),
  ];
  return findings.length > 0
    ? findings
    : [
        {
          check,
          status: 'ok',
          message: `API servers are told of ${webhooks.length} webhooks and reach them`,
        },
      ];
}

async function reachability(
  { kube, transport, namespace, signal }: Pick<DoctorDeps, 'kube' | 'transport' | 'namespace' | 'signal'>,
  service: string,
): Promise<readonly Finding[]> {
  const what = `Service ${namespace}/${service}`;
  const held = await kube.get({ apiVersion: 'v1', resources: 'services', namespace }, service, {
    signal: signal(),
  });
  if (!held.ok)
    return [
      {
        check,
        status: 'failed',
        message: `${what}: ${describeFailure(held.failure)}`,
        advice: 'helm upgrade makes it anew',
      },
    ];
  let ready = 0;
  const slices = { apiVersion: 'discovery.k8s.io/v1', resources: 'endpointslices', namespace };
  for await (const page of kube.list(slices, {
    labelSelector: `kubernetes.io/service-name=${service}`,
    signal: signal(),
  })) {
    if (!page.ok)
      return [
        { check, status: 'skipped', message: `endpoints of ${what}: ${describeFailure(page.failure)}` },
      ];
    ready += page.value.items.flatMap(({ endpoints }) => records(endpoints)).filter(isServing).length;
  }
  if (ready === 0)
    return [
      {
        check,
        status: 'failed',
        message: `no pod is ready behind ${what}: what changes is judged by nobody`,
        advice: 'see what is said of the controller pods, and that the selector of the Service matches them',
      },
    ];
  const port = records(record(held.value['spec'])['ports'])[0]?.['port'];
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/services/https:${encodeURIComponent(service)}:${String(port)}/proxy/healthz`;
  const asked = await transport.request({ path, signal: signal() });
  if (asked.ok) await asked.value.body.text();
  const answered = asked.ok ? 200 : asked.failure.kind === 'http' ? asked.failure.status : undefined;
  if (asked.ok || (answered !== undefined && ![401, 403, 503].includes(answered))) return [];
  if (answered !== 503)
    return [
      {
        check,
        status: 'skipped',
        message: `whether API servers reach it cannot be asked: ${describeFailure(asked.failure)}`,
      },
    ];
  return [
    {
      check,
      status: 'failed',
      message: `the API server does not reach the webhook: ${describeFailure(asked.failure)}`,
      advice:
        'see network policies and firewalls between API server and pods: networkPolicy in the values, the port of the webhook',
    },
  ];
}

function isServing({ conditions }: Readonly<Record<string, unknown>>): boolean {
  return record(conditions)['ready'] !== false;
}

async function trust(
  { kube, namespace, signal, now }: Pick<DoctorDeps, 'kube' | 'namespace' | 'signal' | 'now'>,
  {
    secret,
    service,
    bundles,
  }: { readonly secret: string; readonly service: string; readonly bundles: ReadonlySet<string> },
): Promise<readonly Finding[]> {
  const what = `Secret ${namespace}/${secret}`;
  const found = await kube.get({ apiVersion: 'v1', resources: 'secrets', namespace }, secret, {
    signal: signal(),
  });
  if (!found.ok) {
    const isMissing = found.failure.kind === 'http' && found.failure.status === 404;
    return [
      isMissing
        ? {
            check,
            status: 'failed',
            message: `${what} with the webhook's certificate is not there`,
            advice: 'helm upgrade makes it anew',
          }
        : { check, status: 'skipped', message: `${what}: ${describeFailure(found.failure)}` },
    ];
  }
  const leaf = certificateOf(found.value);
  if (leaf === undefined)
    return [
      {
        check,
        status: 'failed',
        message: `${what} holds no certificate that can be read`,
        advice: 'see the log of the leader: it issues one',
      },
    ];
  const findings: Finding[] = [];
  if (![...bundles].every((bundle) => isIssuedBy(leaf, bundle)))
    findings.push({
      check,
      status: 'failed',
      message: `API servers trust another authority than the one that issued the webhook's certificate (${what})`,
      advice:
        'the leader sets caBundle right within a minute; if not, see its log and its right to patch the configuration',
    });
  const host = `${service}.${namespace}.svc`;
  if (leaf.checkHost(host) === undefined)
    findings.push({
      check,
      status: 'failed',
      message: `the webhook's certificate (${what}) is not for ${host}`,
      advice: 'delete the Secret: the controller issues a new one',
    });
  const lifetime = certificateLifetime(check, `the webhook's certificate (${what})`, leaf, now());
  return lifetime.status === 'ok' ? findings : [...findings, lifetime];
}

function certificateOf({ data }: KubeObject): X509Certificate | undefined {
  try {
    return new X509Certificate(Buffer.from(textOf(record(data)['tls.crt']), 'base64'));
  } catch {
    return undefined;
  }
}

/** Whether one of the authorities of a bundle has signed it. */
function isIssuedBy(leaf: X509Certificate, bundle: string): boolean {
  const pem = Buffer.from(bundle, 'base64').toString('latin1');
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.some((block) => {
    try {
      return leaf.verify(new X509Certificate(block).publicKey);
    } catch {
      return false;
    }
  });
}
