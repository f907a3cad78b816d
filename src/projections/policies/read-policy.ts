import { isRecord } from '../../lib/is-record.ts';
import { nearestName } from '../../lib/nearest-name.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ReportFault } from '../fault.ts';
import { showValue } from '../show-value.ts';
import { annotationField, annotationPrefix } from './annotation-field.ts';
import { namesElsewhere } from './names-elsewhere.ts';
import type { PolicyFields } from './policy-fields.ts';
import { policyIndex, type PolicyRow } from './policy-index.ts';
import { policyTable } from './policy-table.ts';
import type { PolicyTopic } from './policy-topic.ts';

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
}

/**
 * The annotations of an object as settings. Each that is unknown, malformed, out of place or without effect is reported by its name and left out; the others
 * count. `undefined`: it says nothing.
 */
export function readPolicy(
  { metadata }: KubeObject,
  { scopes, snippets }: PolicyScope,
  report: ReportFault,
): ReadPolicy | undefined {
  const annotations: unknown = metadata.annotations;
  if (!isRecord(annotations)) return undefined;
  const fields: Record<string, unknown> = {};
  let said = false;
  let closed = false;
  const withdrawn = new Set<PolicyTopic>();
  const leaveOut = ({ name, topic, field }: PolicyRow, fault: string, reason: string) => {
    report({ reason, field: annotationField(field.key), message: `${fault}: ${effectOf(field)}` });
    Reflect.deleteProperty(fields, name);
    if (field.restricting === true) closed = true;
    if (field.narrows === true) withdrawn.add(topic);
  };
  for (const [annotation, text] of Object.entries(annotations)) {
    if (!annotation.startsWith(annotationPrefix)) continue;
    const key = annotation.slice(annotationPrefix.length);
    const row = policyIndex.byKey.get(key);
    if (row === undefined) {
      if (!reportUnknown(key, report)) continue;
      said = closed = true;
      continue;
    }
    said = true;
    const { scope, snippet, parse } = row.field;
    if (!scopes.includes(scope)) {
      leaveOut(row, 'is about routes, so it belongs to the Ingress', 'AnnotationMisplaced');
      continue;
    }
    if (snippet === true && !snippets) {
      leaveOut(row, 'is not allowed here (controller.snippetAnnotations)', 'SnippetForbidden');
      continue;
    }
    const parsed = typeof text === 'string' ? parse(text) : { fault: `must be text: ${showValue(text)}` };
    if ('fault' in parsed) leaveOut(row, parsed.fault, 'InvalidAnnotation');
    else fields[row.name] = parsed.value;
  }
  if (!said) return undefined;
  for (const topic of policyTable) {
    if (withdrawn.has(topic))
      for (const name of Object.keys(topic.fields)) Reflect.deleteProperty(fields, name);
    for (const { field, fault } of topic.check?.(fields) ?? []) {
      const row = policyIndex.byField.get(field);
      if (row && fields[field] !== undefined) leaveOut(row, fault, 'InvalidAnnotation');
    }
    dropUnswitched(topic, fields, report);
  }
  return { fields, closed };
}

function dropUnswitched(
  { switch: by, fields: known }: (typeof policyTable)[number],
  fields: Record<string, unknown>,
  report: ReportFault,
): void {
  if (by === undefined || fields[by] === true) return;
  const off = fields[by] === false;
  const wanted = `${annotationPrefix}${policyIndex.byField.get(by)?.field.key ?? by}`;
  for (const name of Object.keys(known) as (keyof PolicyFields)[]) {
    if (fields[name] === undefined) continue;
    Reflect.deleteProperty(fields, name);
    if (off) continue;
    const key = policyIndex.byField.get(name)?.field.key ?? name;
    const message = `has no effect without ${wanted}: "true"`;
    report({ reason: 'AnnotationWithoutEffect', field: annotationField(key), message, severity: 'warning' });
  }
}

/** What becomes of the object when a setting is left out, to end a message with. */
function effectOf({ restricting, narrows }: Pick<PolicyRow['field'], 'restricting' | 'narrows'>): string {
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
