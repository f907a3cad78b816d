import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord } from '../../lib/is-record.ts';

/** Names of the Services that an Ingress routes to, as far as it is well-formed; each once. */
export function servicesOf({ spec }: KubeObject): readonly string[] {
  if (!isRecord(spec)) return [];
  const paths = listIn(spec['rules']).flatMap(({ http }) => listIn(isRecord(http) ? http['paths'] : []));
  const names = [{ backend: spec['defaultBackend'] }, ...paths].map(({ backend }) =>
    isRecord(backend) && isRecord(backend['service']) ? backend['service']['name'] : undefined,
  );
  return [...new Set(names.filter((name) => typeof name === 'string'))];
}

function listIn(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
