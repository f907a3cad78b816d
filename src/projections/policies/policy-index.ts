import type { PolicyFields } from './policy-fields.ts';
import { policyTable } from './policy-table.ts';
import type { PolicyField, PolicyTopic } from './policy-topic.ts';

/** A row of the table, without the type of its value. */
export interface PolicyRow {
  readonly name: keyof PolicyFields;
  readonly topic: PolicyTopic;
  readonly field: PolicyField<unknown>;
}

const rows: readonly PolicyRow[] = policyTable.flatMap((topic) =>
  Object.entries(topic.fields).map(([name, field]) => ({
    name: name as keyof PolicyFields,
    topic,
    field: field,
  })),
);

/** The table by annotation and by field. */
export const policyIndex = {
  rows,
  byKey: new Map(rows.map((row) => [row.field.key, row])) as ReadonlyMap<string, PolicyRow>,
  byField: new Map(rows.map((row) => [row.name, row])) as ReadonlyMap<keyof PolicyFields, PolicyRow>,
};
