import { isRecord } from '../../lib/is-record.ts';
import { nearestName } from '../../lib/nearest-name.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ReportFault } from '../fault.ts';
import { showValue } from '../show-value.ts';
import { annotationField, annotationPrefix } from './annotation-field.ts';
import type { PolicyFields } from './policy-fields.ts';
import { policyIndex, type PolicyRow } from './policy-index.ts';
import { policyTable } from './policy-table.ts';

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
  const leaveOut = ({ name, field: { key, restricting } }: PolicyRow, fault: string, reason: string) => {
    const effect = restricting ? 'its routes are closed until it is mended' : 'it has no effect';
    report({ reason, field: annotationField(key), message: `${fault}: ${effect}` });
    Reflect.deleteProperty(fields, name);
    if (restricting) closed = true;
  };
  for (const [annotation, text] of Object.entries(annotations)) {
    if (!annotation.startsWith(annotationPrefix)) continue;
    const key = annotation.slice(annotationPrefix.length);
    const row = policyIndex.byKey.get(key);
    if (row === undefined) {
      reportUnknown(key, report);
      continue;
    }
    said = true;
    const { scope, snippet, parse } = row.field;
    if (!scopes.includes(scope)) {
      const message = 'is about routes, so it belongs to the Ingress: it has no effect here';
      report({ reason: 'AnnotationMisplaced', field: annotationField(key), message, severity: 'warning' });
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

function reportUnknown(key: string, report: ReportFault): void {
  const near = nearestName(key, policyIndex.byKey.keys());
  const hint = near === undefined ? '' : `; did you mean ${annotationPrefix}${near}?`;
  const message = `is not known, and has no effect${hint}`;
  report({ reason: 'AnnotationUnknown', field: annotationField(key), message, severity: 'warning' });
}
