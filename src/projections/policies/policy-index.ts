import type { PolicyFields } from './policy-fields.ts';
import type { PolicyNeed } from './policy-need.ts';
import { policyTable } from './policy-table.ts';
import type { PolicyField, PolicyTopic } from './policy-topic.ts';

/** A row of the table, without the type of its value. */
export interface PolicyRow {
  readonly name: keyof PolicyFields;
  readonly topic: PolicyTopic;
  readonly field: PolicyField<unknown>;
  /** Its own, after the topic's switch. */
  readonly needs: readonly PolicyNeed[];
}

const rows: readonly PolicyRow[] = policyTable.flatMap((topic) =>
  Object.entries(topic.fields).map(([name, field]) => ({
    name: name as keyof PolicyFields,
    topic,
    field: field,
    needs: [
      ...(topic.switch === undefined || topic.switch === name ? [] : [{ anyOf: [topic.switch] }]),
      ...(field.needs ?? []),
    ],
  })),
);

/** The table by annotation and by field. */
export const policyIndex = {
  rows,
  byKey: new Map(rows.map((row) => [row.field.key, row])) as ReadonlyMap<string, PolicyRow>,
  byField: new Map(rows.map((row) => [row.name, row])) as ReadonlyMap<keyof PolicyFields, PolicyRow>,
};
