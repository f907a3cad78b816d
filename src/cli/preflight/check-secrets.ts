import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { KubeObject } from '../../api/kube-object.ts';
import { describeFailure } from '../../kube/kube-failure.ts';
import { isRecord } from '../../lib/is-record.ts';
import type { Finding } from '../finding.ts';
import { record } from '../fields.ts';
import type { Manifest } from './manifest.ts';
import type { Cluster } from './preflight-facts.ts';
import { madeSecrets, secretNeeds, type SecretNeed } from './secret-needs.ts';

const check = 'secrets';

/** Are the Secrets there that the chart refers to and does not make, and is in them what must be? Their values are never told. */
export async function checkSecrets(
  { kube }: Cluster,
  manifests: readonly Manifest[],
  namespace: string,
  { signal, now }: { readonly signal: () => AbortSignal; readonly now: () => number },
): Promise<readonly Finding[]> {
  const made = madeSecrets(manifests);
  const findings: Finding[] = [];
  const looked = new Set<string>();
  for (const need of secretNeeds(manifests, namespace)) {
    const key = [need.namespace, need.name, need.kind, ...need.keys].join('/');
    if (looked.has(key)) continue;
    looked.add(key);
    const what = `Secret ${need.namespace}/${need.name}`;
    const found = await kube.get(
      { apiVersion: 'v1', resources: 'secrets', namespace: need.namespace },
      need.name,
      {
        signal: signal(),
      },
    );
    if (found.ok) {
      // Whoever makes it will also fill it.
      if (made.has(need.name) && !hasKeys(need, found.value)) continue;
      const fault = faultOf(need, record(found.value['data']), now());
      findings.push(
        fault === undefined
          ? { check, status: 'ok', message: `${what} has what ${need.by} needs` }
          : {
              check,
              status: 'failed',
              message: `${what}, which ${need.by} reads, ${fault}`,
              advice: 'correct the Secret',
            },
      );
    } else if (found.failure.kind !== 'http' || found.failure.status !== 404)
      findings.push({ check, status: 'skipped', message: `${what}: ${describeFailure(found.failure)}` });
    else if (!made.has(need.name))
      findings.push({
        check,
        status: 'failed',
        message: `${what} is not there, and ${need.by} needs it`,
        advice: `make it${need.keys.length > 0 ? ` with ${need.keys.join(' and ')}` : ''}, or change the values that name it`,
      });
  }
  return findings.length > 0
    ? findings
    : [{ check, status: 'ok', message: 'no Secret is needed that is not made' }];
}

function hasKeys({ keys }: SecretNeed, { data }: KubeObject): boolean {
  return keys.every((key) => typeof record(data)[key] === 'string');
}

function faultOf(
  { keys, kind }: SecretNeed,
  data: Readonly<Record<string, unknown>>,
  now: number,
): string | undefined {
  const missing = keys.filter((key) => typeof data[key] !== 'string' || data[key] === '');
  if (missing.length > 0) return `has no ${missing.join(' and no ')}`;
  if (kind === 'tls') return certificateFault(bytesOf(data['tls.crt']), bytesOf(data['tls.key']), now);
  return kind === 'registry' ? registryFault(data) : undefined;
}

function certificateFault(certificate: Buffer, key: Buffer, now: number): string | undefined {
  let leaf: X509Certificate;
  try {
    leaf = new X509Certificate(certificate);
  } catch {
    return 'has no certificate in tls.crt that can be read';
  }
  try {
    if (!leaf.checkPrivateKey(createPrivateKey(key)))
      return 'has a key in tls.key that is not of the certificate';
  } catch {
    return 'has no private key in tls.key that can be read';
  }
  return Date.parse(leaf.validTo) < now
    ? `has a certificate that ended ${new Date(leaf.validTo).toISOString()}`
    : undefined;
}

function registryFault(data: Readonly<Record<string, unknown>>): string | undefined {
  const field = ['.dockerconfigjson', '.dockercfg'].find((name) => typeof data[name] === 'string');
  if (field === undefined) return 'is no Secret of a registry: it has no .dockerconfigjson';
  try {
    return isRecord(JSON.parse(bytesOf(data[field]).toString('utf8')))
      ? undefined
      : `has no object in ${field}`;
  } catch {
    // The words of the parser would quote what is in it.
    return `has no JSON in ${field}`;
  }
}

function bytesOf(value: unknown): Buffer {
  return Buffer.from(typeof value === 'string' ? value : '', 'base64');
}
