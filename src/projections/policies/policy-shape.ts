import type { PolicyFields } from './policy-fields.ts';
import { policyIndex, type PolicyRow } from './policy-index.ts';

/**
 * What a profile is made of: for each topic that is used `true`, and for each field that is printed in it its value or part. Equal shapes are one profile, so values
 * that are looked up in maps are not in it.
 */
export type PolicyShape = Readonly<Record<string, unknown>>;

/** @param namespace of the object that says it: names of objects are names there */
export function policyShape(fields: PolicyFields, namespace: string): PolicyShape {
  const shape: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const row = policyIndex.byField.get(name as keyof PolicyFields);
    if (row === undefined || value === undefined) continue;
    if (row.field.scope === 'host' || row.field.shape === 'server') continue;
    shape[row.topic.name] = true;
    const part = partOf(row.field, value, namespace);
    if (part !== undefined) shape[name] = part;
  }
  return shape;
}

function partOf({ shape }: PolicyRow['field'], value: unknown, namespace: string): unknown {
  if (shape === 'nothing' || shape === 'server') return undefined;
  return shape === 'value' ? value : shape.part(value, namespace);
}
