import type { CertificateStore } from '../certificates/certificate-store.ts';
import { secretStore } from '../certificates/secret-store.ts';
import { kubeClient } from '../kube/kube-client.ts';
import type { KubeTransport } from '../kube/kube-transport.ts';

/** Keeps the webhook's certificate and its authority in two Secrets of a namespace. Nothing is kept for clients: they have none. */
export function webhookStore(
  transport: KubeTransport,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): CertificateStore {
  return secretStore(kubeClient(transport), {
    namespace,
    names: { issuer: `${name}-issuer`, server: name, client: `${name}-client` },
  });
}
