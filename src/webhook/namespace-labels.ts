import { kubeClient } from '../kube/kube-client.ts';
import type { KubeTransport } from '../kube/kube-transport.ts';

/** Labels of a Namespace; undefined where they cannot be read, or there is none. */
export type NamespaceLabels = (
  name: string,
  signal: AbortSignal,
) => Promise<Readonly<Record<string, string>> | undefined>;

/** Reads them from the API, as a list of one: whoever may watch selected namespaces may do that. */
export function readNamespaceLabels(transport: KubeTransport): NamespaceLabels {
  const client = kubeClient(transport);
  const namespaces = { apiVersion: 'v1', resources: 'namespaces' };
  return async (name, signal) => {
    for await (const page of client.list(namespaces, { fieldSelector: `metadata.name=${name}`, signal })) {
      if (!page.ok) return undefined;
      const found = page.value.items.find(({ metadata }) => metadata.name === name);
      if (found !== undefined) return found.metadata.labels ?? {};
    }
    return undefined;
  };
}
