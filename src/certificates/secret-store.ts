import type { KubeObject } from '../api/kube-object.ts';
import { CodedError } from '../lib/coded-error.ts';
import { isRecord } from '../lib/is-record.ts';
import type { KubeClient } from '../kube/kube-client.ts';
import { describeFailure, type KubeFailure } from '../kube/kube-failure.ts';
import type { CertificateHolder, CertificateStore } from './certificate-store.ts';

export interface SecretStoreOptions {
  readonly namespace: string;
  /** Names of the Secrets; whoever asks for a holder has given it one. */
  readonly names: Readonly<Partial<Record<CertificateHolder, string>>>;
}

/** On every Secret that this writes; others are written only while they are empty. */
const ownLabel = 'haproxy-haptic.org/certificates';

/**
 * Certificates in Secrets of type `kubernetes.io/tls`. The issuer's holds the authority's key and is for nobody but this program.
 * A write carries the resource version that was read, so that of two writers one wins. Labels and annotations of others stay.
 *
 * @throws CodedError `HAPTIC_ERR_CERTIFICATES_STORE` when the API refuses, `HAPTIC_ERR_CERTIFICATES_FOREIGN` when a Secret holds
 *   something that was not put there by this program; both name the Secret
 */
export function secretStore(client: KubeClient, { namespace, names }: SecretStoreOptions): CertificateStore {
  const ref = { apiVersion: 'v1', resources: 'secrets', namespace };
  const nameOf = (holder: CertificateHolder): string => {
    const name = names[holder];
    if (name === undefined) throw new TypeError(`no Secret is named for ${holder}`);
    return name;
  };
  const seen = new Map<CertificateHolder, KubeObject>();
  const failed = (holder: CertificateHolder, doing: string, failure: KubeFailure) =>
    new CodedError(
      'HAPTIC_ERR_CERTIFICATES_STORE',
      `Secret ${namespace}/${nameOf(holder)} cannot be ${doing}: ${describeFailure(failure)}`,
    );

  return {
    read: async (holder) => {
      seen.delete(holder);
      const result = await client.get(ref, nameOf(holder));
      if (!result.ok) {
        if (isStatus(result.failure, 404)) return undefined;
        throw failed(holder, 'read', result.failure);
      }
      const secret = result.value;
      const data = isRecord(secret['data']) ? secret['data'] : {};
      if (Object.keys(data).length > 0 && secret.metadata.labels?.[ownLabel] === undefined)
        throw new CodedError(
          'HAPTIC_ERR_CERTIFICATES_FOREIGN',
          `Secret ${namespace}/${nameOf(holder)} holds what this program did not put there; ` +
            `delete it, choose another name, or label it ${ownLabel}=managed to have it replaced`,
        );
      seen.set(holder, secret);
      return {
        files: Object.fromEntries(
          Object.entries(data).map(([name, value]) => [
            name,
            Buffer.from(String(value), 'base64').toString('utf8'),
          ]),
        ),
        revision: secret.metadata.resourceVersion ?? '',
      };
    },
    write: async (holder, files, revision) => {
      const before = revision === undefined ? undefined : seen.get(holder);
      const secret: KubeObject = {
        apiVersion: 'v1',
        kind: 'Secret',
        type: before?.['type'] ?? 'kubernetes.io/tls',
        metadata: {
          name: nameOf(holder),
          namespace,
          ...(before?.metadata.annotations !== undefined && { annotations: before.metadata.annotations }),
          labels: { ...before?.metadata.labels, [ownLabel]: 'managed' },
          ...(revision !== undefined && { resourceVersion: revision }),
        },
        data: Object.fromEntries(
          Object.entries(files).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
        ),
      };
      const result = await (before === undefined ? client.create(ref, secret) : client.replace(ref, secret));
      if (result.ok) return true;
      if (isStatus(result.failure, 409) || isStatus(result.failure, 404)) return false;
      throw failed(holder, 'written', result.failure);
    },
  };
}

function isStatus(failure: KubeFailure, status: number): boolean {
  return failure.kind === 'http' && failure.status === status;
}
