import { isRecord } from '../../lib/is-record.ts';
import { nearestName } from '../../lib/nearest-name.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ReportFault } from '../fault.ts';
import { showValue } from '../show-value.ts';
import { annotationField, annotationPrefix } from './annotation-field.ts';
import { namesElsewhere } from './names-elsewhere.ts';
import { needWords } from './need-words.ts';
import type { PolicyDefaults } from './policy-defaults.ts';
import type { PolicyFields } from './policy-fields.ts';
import { policyIndex, type PolicyRow } from './policy-index.ts';
import { policyTable } from './policy-table.ts';
import type { PolicyTopic } from './policy-topic.ts';
import { type AroundPolicy, unmetNeeds } from './unmet-needs.ts';

export interface ReadPolicy {
  readonly fields: PolicyFields;
  /** Something that keeps requests out could not be understood, so that none may be let in. */
  readonly closed: boolean;
}

/** What may be said where an object is. */
export interface PolicyScope {
  /** `backend` alone for Services; objects that route may say both. */
  readonly scopes: readonly PolicyRow['field']['scope'][];
  /** Whether annotations in HAProxy's own language are taken. */
  readonly snippets: boolean;
  /** Default: nothing. */
  readonly defaults?: PolicyDefaults;
}

/** Each is compared with every name that there is, for whoever wrote it to wait for; nobody has as many by mistake. */
const mostUnknown = 32;

/**
 * The annotations of an object as settings. Each that is unknown, malformed, out of place or without effect is reported by its name and left out; the others
 * count. `undefined`: it says nothing.
 *
 * @param onServices what the Services say that the object routes to; asked only where a setting depends on it
 */
export function readPolicy(
  { metadata }: KubeObject,
  scope: PolicyScope,
  report: ReportFault,
  onServices: AroundPolicy['onServices'] = () => [],
): ReadPolicy | undefined {
  const annotations: unknown = metadata.annotations;
  if (!isRecord(annotations)) return undefined;
  const fields: Record<string, unknown> = {};
  const written = new Set<keyof PolicyFields>();
  let closed = false;
  let unknown = 0;
  const withdrawn = new Set<PolicyTopic>();
  const leaveOut = ({ name, topic, field }: PolicyRow, fault: string, reason: string) => {
    const { narrows, restricting } = field;
    const isIdle = reason === 'AnnotationWithoutEffect';
    const effect = effectOf(isIdle ? { restricting } : field);
    const severity = isIdle && restricting !== true ? 'warning' : 'error';
    report({ reason, field: annotationField(field.key), message: `${fault}: ${effect}`, severity });
    Reflect.deleteProperty(fields, name);
    if (restricting === true) closed = true;
    if (narrows === true && !isIdle) withdrawn.add(topic);
  };
  for (const [annotation, text] of Object.entries(annotations)) {
    if (!annotation.startsWith(annotationPrefix)) continue;
    const key = annotation.slice(annotationPrefix.length);
    const row = policyIndex.byKey.get(key);
    if (row === undefined) {
      unknown += 1;
      if (unknown <= mostUnknown) closed = reportUnknown(key, report) || closed;
      continue;
    }
    written.add(row.name);
    const parsed = parseIn(scope, row, text, metadata.namespace);
    if ('fault' in parsed) leaveOut(row, parsed.fault, parsed.reason);
    else fields[row.name] = parsed.value;
  }
  if (unknown > mostUnknown) {
    const message = `have ${unknown} that are not known: ${effectOf({ restricting: true })}`;
    report({ reason: 'AnnotationUnknown', field: 'metadata.annotations', message });
    closed = true;
  }
  if (written.size === 0 && !closed) return undefined;
  const { defaults = { hsts: false, sslRedirect: false } } = scope;
  for (const { name, need } of unmetNeeds(fields, written, { defaults, onServices })) {
    const row = policyIndex.byField.get(name);
    if (row && need) leaveOut(row, needWords(need), 'AnnotationWithoutEffect');
    Reflect.deleteProperty(fields, name);
  }
  for (const topic of policyTable) {
    for (const { field, fault, isIdle } of topic.check?.(fields) ?? []) {
      const row = policyIndex.byField.get(field);
      if (row && fields[field] !== undefined)
        leaveOut(row, fault, isIdle === true ? 'AnnotationWithoutEffect' : 'InvalidAnnotation');
    }
    const isOff = topic.switch !== undefined && fields[topic.switch] === false;
    if (withdrawn.has(topic) || isOff)
      for (const name of Object.keys(topic.fields)) Reflect.deleteProperty(fields, name);
  }
  if (fields['sslPassthrough'] === true) {
    const fault = 'is about requests, which nobody sees where ssl-passthrough hands connections on';
    for (const row of aboutRequests)
      if (fields[row.name] !== undefined) leaveOut(row, fault, 'InvalidAnnotation');
  }
  return { fields, closed };
}

/** What keeps requests out, and would let everybody in where it is not applied. Hosts that are handed on are sent to HTTPS anyway. */
const aboutRequests = policyIndex.rows.filter(
  ({ name, topic, field }) =>
    field.restricting === true &&
    field.scope === 'route' &&
    name !== 'sslPassthrough' &&
    topic.name !== 'httpsOnly',
);

function parseIn(
  { scopes, snippets }: PolicyScope,
  { field: { scope, snippet, parse } }: PolicyRow,
  text: unknown,
  namespace: string | undefined,
): { readonly value: unknown } | { readonly fault: string; readonly reason: string } {
  if (!scopes.includes(scope))
    return { fault: 'is about routes, so it belongs to the Ingress', reason: 'AnnotationMisplaced' };
  if (snippet === true && !snippets)
    return { fault: 'is not allowed here (controller.snippetAnnotations)', reason: 'SnippetForbidden' };
  const parsed =
    typeof text === 'string' ? parse(text, namespace) : { fault: `must be text: ${showValue(text)}` };
  return 'fault' in parsed ? { ...parsed, reason: 'InvalidAnnotation' } : parsed;
}

/** What becomes of the object when a setting is left out, to end a message with. */
function effectOf({
  restricting,
  narrows,
}: {
  readonly restricting?: true | undefined;
  readonly narrows?: true | undefined;
}): string {
  if (restricting === true) return 'its routes are closed until it is mended';
  return narrows === true ? 'nothing is granted until it is mended' : 'it has no effect';
}

/** Says whether it was meant to keep requests out, as far as anybody can tell: a typing error must not let them in. */
function reportUnknown(key: string, report: ReportFault): boolean {
  const name = key.toLowerCase();
  const near = namesElsewhere.get(name) ?? nearestName(name, policyIndex.byKey.keys());
  const restricts = near !== undefined && policyIndex.byKey.get(near)?.field.restricting === true;
  const hint = near === undefined ? '' : ` (did you mean ${annotationPrefix}${near}?)`;
  report({
    reason: 'AnnotationUnknown',
    field: annotationField(key),
    message: `is not known${hint}: ${effectOf(restricts ? { restricting: true } : {})}`,
    severity: restricts ? 'error' : 'warning',
  });
  return restricts;
}
