import { X509Certificate } from 'node:crypto';
import { isRecord } from '../../lib/is-record.ts';
import { certificateLifetime } from './certificate-lifetime.ts';
import type { DoctorDeps } from './doctor-deps.ts';
import type { Finding } from '../finding.ts';

/** As `haptic certificates` names them by default. */
const usual = ['haptic-agent-issuer', 'haptic-agent-tls', 'haptic-controller-tls'];

/**
 * How long are the certificates valid that the cluster keeps for agents and controller? Secrets that are not there or cannot be read are
 * passed over: they may have other names.
 */
export async function checkCertificateSecrets({
  kube,
  namespace,
  signal,
  now,
  installation,
}: DoctorDeps): Promise<readonly Finding[]> {
  const check = 'certificates';
  const findings: Finding[] = [];
  const told = installation?.certificateSecrets ?? [];
  for (const name of told.length > 0 ? told : usual) {
    const found = await kube.get({ apiVersion: 'v1', resources: 'secrets', namespace }, name, {
      signal: signal(),
    });
    if (!found.ok) continue;
    const data = isRecord(found.value['data']) ? found.value['data'] : {};
    const encoded = data['tls.crt'] ?? data['ca.crt'];
    const what = `Secret ${namespace}/${name}`;
    const certificate = typeof encoded === 'string' ? parsed(Buffer.from(encoded, 'base64')) : undefined;
    findings.push(
      certificate === undefined
        ? {
            check,
            status: 'failed',
            message: `${what} holds no certificate that can be read`,
            advice: 'haptic certificates --rotate makes new ones',
          }
        : certificateLifetime(check, what, certificate, now()),
    );
  }
  return findings;
}

function parsed(pem: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
