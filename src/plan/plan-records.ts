import type { Owner } from '../lib/owner.ts';
import type { FileKind, SectionKind } from '../protocol/plan.ts';
import type { BackendFields } from './backend-fields.ts';

/**
 * A plan as lines of JSON: a header, then one record a line. The first element says which kind it is; entries belong to the map
 * or crt-list before them. A text that another record determines is left out (`null`).
 */
export type PlanRecord =
  | readonly ['section', key: string, SectionKind, name: string, text: string, template: string, Owner | null]
  | readonly ['profile', name: string, hasRules: boolean, text: string | null]
  | readonly ['backend', BackendFields, text: string | null, Owner | null]
  | readonly ['map', path: string, ordered: boolean]
  | readonly ['entry', position: string | null, key: string, value: string, text: string | null, Owner | null]
  | readonly ['crtlist', path: string]
  | readonly [
      'crtentry',
      position: string,
      certificate: string,
      options: readonly string[],
      sniFilters: readonly string[],
      Owner | null,
    ]
  | readonly ['file', path: string, FileKind, reloadOnChange: boolean, digest: string, size: number];

export interface PlanHeader {
  readonly schemaVersion: number;
  readonly id: string;
  /** Records that follow: a blob that was cut is told by this. */
  readonly records: number;
}

const text = { type: 'string' } as const;
const textOrNull = { type: 'string', nullable: true } as const;
const digest = { type: 'string', pattern: '^[0-9a-f]{16}$' } as const;
const words = { type: 'array', items: text } as const;
const keywords = {
  type: 'array',
  items: {
    type: 'object',
    required: ['name', 'args'],
    additionalProperties: false,
    properties: { name: text, args: words },
  },
} as const;
const owner = {
  type: 'object',
  nullable: true,
  required: ['kind', 'namespace', 'name'],
  additionalProperties: false,
  properties: { kind: text, namespace: text, name: text },
} as const;
const server = {
  type: 'object',
  required: ['name', 'address', 'port', 'extra'],
  additionalProperties: false,
  properties: {
    name: text,
    address: text,
    port: { type: 'integer' },
    weight: { type: 'integer' },
    disabled: { type: 'boolean' },
    guid: text,
    extra: keywords,
  },
} as const;
const backend = {
  type: 'object',
  required: ['name', 'profile', 'mode', 'shape', 'servers', 'defaultServer', 'bodyDigest'],
  additionalProperties: false,
  properties: {
    name: text,
    profile: text,
    mode: { type: 'string', enum: ['http', 'tcp'] },
    guid: text,
    balance: text,
    hashType: text,
    shape: { type: 'string', enum: ['dynamic', 'structural'] },
    shapeReason: text,
    servers: { type: 'array', items: server },
    defaultServer: keywords,
    bodyDigest: text,
  },
} as const;

const tuple = (...items: readonly object[]) => ({
  type: 'array',
  items,
  minItems: items.length,
  maxItems: items.length,
  additionalItems: false,
});
const list = (items: object) => ({ type: 'array', items });
const named = (name: PlanRecord[0]) => ({ type: 'string', enum: [name] });

/** JSON Schemas by kind of record. */
export const planRecordSchemas: Readonly<Record<PlanRecord[0], object>> = {
  section: tuple(
    named('section'),
    text,
    { type: 'string', enum: ['core', 'profile', 'backend'] },
    text,
    text,
    text,
    owner,
  ),
  profile: tuple(named('profile'), text, { type: 'boolean' }, textOrNull),
  backend: tuple(named('backend'), backend, textOrNull, owner),
  map: tuple(named('map'), text, { type: 'boolean' }),
  entry: tuple(named('entry'), textOrNull, text, text, textOrNull, owner),
  crtlist: tuple(named('crtlist'), text),
  crtentry: tuple(named('crtentry'), text, text, words, words, owner),
  file: tuple(
    named('file'),
    text,
    { type: 'string', enum: ['config', 'map', 'cert', 'ca', 'crl', 'crtlist', 'general'] },
    { type: 'boolean' },
    digest,
    { type: 'integer', minimum: 0 },
  ),
};

export const planHeaderSchema = {
  type: 'object',
  required: ['schemaVersion', 'id', 'records'],
  properties: { schemaVersion: { type: 'integer' }, id: digest, records: { type: 'integer', minimum: 0 } },
} as const;

/** After the plan's records there may be outputs: one record that says of which configuration, and one for each of them. */
export const outputsBegin = '["outputs",';
export const outputsRecordSchema = tuple({ type: 'string', enum: ['outputs'] }, digest);
export const outputRecordSchema = tuple(
  { type: 'string', enum: ['output'] },
  text,
  owner,
  list(
    tuple(
      { type: 'string', enum: ['core', 'profile', 'backend'] },
      text,
      { type: ['string', 'integer'], minimum: 0 },
      text,
      textOrNull,
      { anyOf: [backend, { type: 'boolean', enum: [true] }, { type: 'null' }] },
      { type: 'boolean', nullable: true },
    ),
  ),
  list(tuple(text, text, text, textOrNull, text)),
  { ...list(tuple(text, text, words, words)), nullable: true },
  list(
    tuple(
      text,
      { type: 'string', enum: ['config', 'map', 'cert', 'ca', 'crl', 'crtlist', 'general'] },
      { type: 'boolean' },
      digest,
      text,
    ),
  ),
);
