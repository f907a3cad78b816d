import type { KubeObject } from '../../api/kube-object.ts';
import { creationTime } from '../creation-time.ts';
import type { ReportFault } from '../fault.ts';
import { kubernetesName } from '../kubernetes-name.ts';
import { listField } from '../list-field.ts';
import { ownerOf } from '../owner-of.ts';
import { recordField } from '../record-field.ts';
import { showValue } from '../show-value.ts';
import type { Claim } from './claim.ts';
import { parseBackend } from './parse-backend.ts';
import { type HostMatch, parseHost } from '../parse-host.ts';
import { parsePath } from './parse-path.ts';

const anyHost: HostMatch = { host: '', kind: 'any', group: '*' };
const pathTypes: readonly unknown[] = ['Exact', 'Prefix', 'ImplementationSpecific'];

/**
 * Reads an Ingress (networking.k8s.io/v1, unvalidated JSON) into its claims. What is malformed is reported by field and
 * left out; the rest of the object still counts. Claims come in the order written.
 */
export function parseIngress(ingress: KubeObject, report: ReportFault): readonly Claim[] {
  const owner = ownerOf('Ingress', ingress);
  const created = creationTime(ingress);
  const claims: Claim[] = [];
  if (!kubernetesName.label(owner.namespace)) {
    const message = `must be a namespace's name: ${showValue(owner.namespace)}`;
    report({ reason: 'InvalidField', field: 'metadata.namespace', message });
    return claims;
  }
  const spec = recordField(ingress['spec'], 'spec', report);
  if (spec === undefined) return claims;
  const rules = listField(spec['rules'], 'spec.rules', report);
  if (rules === undefined) return claims;

  const claim = (
    { host, kind, group }: HostMatch,
    what: Pick<Claim, 'match' | 'path' | 'field' | 'slashed'>,
    backend: unknown,
    backendField: string,
  ) => {
    const ref = parseBackend(backend, owner.namespace, backendField, report);
    const common = { host, kind, group, ...what, owner, created, backendField };
    claims.push({ ...common, position: claims.length, ...(ref === undefined ? {} : { ref }) });
  };

  const hosts = new Map<string, HostMatch>();
  const hasDefault = spec['defaultBackend'] !== undefined && spec['defaultBackend'] !== null;
  rules.forEach((value, i) => {
    const at = `spec.rules[${i}]`;
    const rule = recordField(value, at, report);
    if (rule === undefined) return;
    const host = parseHost(rule['host']);
    if ('fault' in host) {
      report({ reason: 'InvalidHost', field: `${at}.host`, message: host.fault });
      return;
    }
    hosts.set(host.value.group, host.value);
    if (rule['http'] === undefined || rule['http'] === null) {
      if (!hasDefault) report(noPaths(`${at}.http`));
      return;
    }
    const http = recordField(rule['http'], `${at}.http`, report);
    const paths = http && listField(http['paths'], `${at}.http.paths`, report);
    if (paths?.length === 0 && !hasDefault) report(noPaths(`${at}.http.paths`));
    paths?.forEach((entry, j) => {
      const field = `${at}.http.paths[${j}]`;
      const path = readPath(entry, field, report);
      if (path === undefined) return;
      const { backend, ...match } = path;
      claim(host.value, { ...match, field }, backend, `${field}.backend`);
    });
  });

  if (hasDefault) {
    const what = { match: 'default', path: '', field: 'spec.defaultBackend' } as const;
    const groups = rules.length === 0 ? [anyHost] : hosts.values();
    for (const host of groups) claim(host, what, spec['defaultBackend'], 'spec.defaultBackend');
  } else if (rules.length === 0) {
    report(noPaths('spec.rules'));
  }
  return claims;
}

function readPath(
  entry: unknown,
  field: string,
  report: ReportFault,
): (Pick<Claim, 'match' | 'path' | 'slashed'> & { readonly backend: unknown }) | undefined {
  const record = recordField(entry, field, report);
  if (record === undefined) return undefined;
  const { pathType, path, backend } = record;
  if (!pathTypes.includes(pathType)) {
    const message = `must be Exact, Prefix or ImplementationSpecific: ${showValue(pathType)}`;
    report({ reason: 'InvalidPathType', field: `${field}.pathType`, message });
    return undefined;
  }
  const parsed = parsePath(pathType, path);
  if ('fault' in parsed) {
    report({ reason: 'InvalidPath', field: `${field}.path`, message: parsed.fault });
    return undefined;
  }
  const { match, path: text, looksLikeRegex } = parsed.value;
  if (looksLikeRegex) {
    const message = `is matched literally, not as a regular expression: ${showValue(path)}`;
    report({ reason: 'PathNotRegex', field: `${field}.path`, message, severity: 'warning' });
  }
  const slashed = match === 'prefix' && text !== '' && typeof path === 'string' && path.endsWith('/');
  return { match, path: text, backend, ...(slashed && { slashed }) };
}

function noPaths(field: string) {
  const message = 'names no path, and there is no spec.defaultBackend: nothing is served';
  return { reason: 'NothingToServe', field, message, severity: 'warning' } as const;
}
