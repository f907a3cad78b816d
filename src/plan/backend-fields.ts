import type { Backend } from '../protocol/plan.ts';

/** A backend without its text and its owner. */
export type BackendFields = Omit<Backend, 'text' | 'owner'>;

export function fieldsOf({ text: _text, owner: _owner, ...fields }: Backend): BackendFields {
  return fields;
}
