import { X509Certificate } from 'node:crypto';
import { isRecord } from '../../lib/is-record.ts';
import { certificateLifetime } from './certificate-lifetime.ts';
import type { DoctorDeps } from './doctor-deps.ts';
import type { Finding } from '../finding.ts';

/** As `haptic certificates` names them by default: looked for where no release is. */
const usual = ['haptic-agent-issuer', 'haptic-agent-tls', 'haptic-controller-tls'];

const foreign =
  'see whether who issues it still does: the Certificate of cert-manager, or whoever writes the Secret';

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
  const own = installation?.certificateSecrets ?? usual;
  for (const name of [...own, ...(installation?.foreignCertificateSecrets ?? [])]) {
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
            advice: own.includes(name) ? 'haptic certificates --rotate makes new ones' : foreign,
          }
        : withAdvice(
            certificateLifetime(check, what, certificate, now()),
            own.includes(name) ? undefined : foreign,
          ),
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

/** Where something is wrong, and it has other words. */
function withAdvice(finding: Finding, advice: string | undefined): Finding {
  return finding.status === 'ok' || advice === undefined ? finding : { ...finding, advice };
}
