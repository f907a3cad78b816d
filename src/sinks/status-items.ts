import { isRecord } from '../lib/is-record.ts';
import type { JsonObject } from '../protocol/declared.ts';

/** An item of a list that Kubernetes keeps by `type`: a condition. */
export type TypedItem = JsonObject & { readonly type: string };

/** The items of a list of such items; undefined: it is anything else. */
export function typedItems(value: unknown): readonly TypedItem[] | undefined {
  return isList(value) && value.length > 0 && value.every(isTyped) ? value : undefined;
}

/** Set by whoever writes a condition, when its status changes. */
export const transitionTime = 'lastTransitionTime';

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isTyped(item: unknown): item is TypedItem {
  return isRecord(item) && typeof item['type'] === 'string';
}
