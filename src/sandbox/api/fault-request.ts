import { Ajv } from 'ajv';
import { apiError } from './api-status.ts';
import type { Fault, FaultMatch } from './faults.ts';

/** What can be asked of `/sandbox/faults`: faults of requests to come, of watches that are open, or of the history. */
export type FaultRequest =
  | ({ readonly action: Fault['action'] } & Fault)
  /** A number is the code of an ERROR event. */
  | { readonly watches: 'cut' | 'silence' | 'end' | number; readonly match?: FaultMatch }
  /** All kinds, or `apiVersion/plural`. */
  | { readonly compact: true | string };

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 1 } as const;
const match = {
  type: 'object',
  additionalProperties: false,
  properties: {
    method: text,
    resource: text,
    namespace: text,
    name: text,
    subresource: text,
    watch: { type: 'boolean' },
    userAgent: text,
  },
} as const;

const action = (kind: string, properties: object = {}, required: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  required: ['kind', ...required],
  properties: { kind: { const: kind }, ...properties },
});
const code = { type: 'integer', minimum: 400, maximum: 599 } as const;
const actions: Readonly<Record<Fault['action']['kind'], object>> = {
  status: action('status', { code, retryAfterSeconds: count, message: text }, ['code']),
  delay: action('delay', { ms: { type: 'integer', minimum: 0, maximum: 600_000 } }, ['ms']),
  silence: action('silence'),
  cut: action('cut', { afterEvents: { type: 'integer', minimum: 0 } }, ['afterEvents']),
  'watch-error': action('watch-error', { code, afterEvents: { type: 'integer', minimum: 0 } }, [
    'code',
    'afterEvents',
  ]),
  'no-bookmarks': action('no-bookmarks'),
  'no-initial-events': action('no-initial-events'),
  'no-end-marker': action('no-end-marker'),
  reset: action('reset'),
};

const kinds = Object.keys(actions);
const object = (required: string, properties: object) => ({
  type: 'object',
  additionalProperties: false,
  required: [required],
  properties,
});
const watchesSchema = { anyOf: [{ enum: ['cut', 'silence', 'end'] }, code] };

const ajv = new Ajv({ strict: true, allErrors: true, strictTypes: false });
const validators = {
  watches: ajv.compile<FaultRequest>(object('watches', { watches: watchesSchema, match })),
  compact: ajv.compile<FaultRequest>(object('compact', { compact: { anyOf: [{ const: true }, text] } })),
};
const actionValidators = new Map(
  Object.entries(actions).map(([kind, schema]) => [
    kind,
    ajv.compile<FaultRequest>(object('action', { action: schema, match, count })),
  ]),
);

/** Reads the body of a POST. What is wrong with it is a 400 that names the field. */
export function parseFaultRequest(body: unknown): FaultRequest {
  const asked = typeof body === 'object' && body !== null ? body : {};
  const validate =
    'watches' in asked ? validators.watches : 'compact' in asked ? validators.compact : validatorOf(asked);
  if (validate(body)) return body;
  const words = (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath || 'the body'} ${message ?? ''}`,
  );
  throw apiError(400, `no fault: ${words.join('; ')}`);
}

function validatorOf(asked: object) {
  const wanted = 'action' in asked ? asked.action : undefined;
  const kind = typeof wanted === 'object' && wanted !== null && 'kind' in wanted ? wanted.kind : undefined;
  const validate = typeof kind === 'string' ? actionValidators.get(kind) : undefined;
  if (validate === undefined)
    throw apiError(
      400,
      `no fault: the body needs "watches", "compact", or an "action" whose kind is one of ${kinds.join(', ')}`,
    );
  return validate;
}
