import type { Backend, Keyword, Server } from '../protocol/plan.ts';

/** A backend without its text and its owner. */
export interface BackendFields {
  readonly name: string;
  readonly profile: string;
  readonly mode: 'http' | 'tcp';
  readonly guid?: string;
  readonly balance?: string;
  readonly hashType?: string;
  readonly shape: 'dynamic' | 'structural';
  readonly shapeReason?: string;
  readonly servers: readonly Server[];
  readonly defaultServer: readonly Keyword[];
  readonly bodyDigest: string;
}

export function fieldsOf({ text: _text, owner: _owner, ...fields }: Backend): BackendFields {
  return fields;
}
