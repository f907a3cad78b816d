import type { KubeObject } from '../api/kube-object.ts';
import type { TemplateConfigStatus } from '../api/template-config-status.ts';
import { isRecord } from '../lib/is-record.ts';

/** What became of a configuration. */
export interface ConfigJudgement {
  /** The object as it was when it was judged: its status may have become another since. */
  readonly object: KubeObject;
  readonly status: 'Valid' | 'Invalid' | 'Unknown';
  readonly reason:
    'ValidationSucceeded' | 'ConfigInvalid' | 'HAProxyValidationFailed' | 'LoadGateFailed' | 'Validating';
  /** One sentence. */
  readonly message: string;
  /** All that is wrong. */
  readonly errors: readonly string[];
}

const conditionStatus = { Valid: 'True', Invalid: 'False', Unknown: 'Unknown' } as const;
/** The API server takes no longer condition. */
const maxMessage = 32_768;
const maxErrors = 50;
/** Of one error, in characters: an object has room for all of them. */
const maxError = 4_096;

/**
 * The status to apply for a judgement; undefined when the object says so already, whichever of the statuses known of it is the newest.
 * The object that is applied can be no other than the one that was judged: it has its uid.
 *
 * @param known statuses of the object, unvalidated, the likeliest to stand there first
 * @param now ISO 8601
 */
export function configStatus(
  { object, status, reason, message, errors }: ConfigJudgement,
  known: readonly unknown[],
  now: string,
): KubeObject | undefined {
  const { name, namespace, generation, uid } = object.metadata;
  const present = known.map((one) => (isRecord(one) ? one : {}));
  const former = present[0] && validatedOf(present[0]);
  const begun = former?.['status'] === conditionStatus[status] ? former['lastTransitionTime'] : undefined;
  const condition = {
    type: 'Validated',
    status: conditionStatus[status],
    reason,
    message: message.slice(0, maxMessage),
    lastTransitionTime: typeof begun === 'string' ? begun : now,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  const shown = errors.slice(0, maxErrors).map(shortened);
  const more = errors.length - shown.length;
  const next = {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    validationStatus: status,
    validationMessage: condition.message,
    validationErrors: more === 0 ? shown : [...shown, `and ${more} more`],
  };
  const { lastTransitionTime: _since, ...said } = condition;
  if (present.length > 0 && present.every((one) => isSaid(one, next, said))) return undefined;
  return {
    apiVersion: 'haproxy-haptic.org/v1alpha1',
    kind: 'HAProxyTemplateConfig',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
    },
    status: { ...next, conditions: [condition], lastValidated: now } satisfies TemplateConfigStatus,
  };
}

function shortened(text: string): string {
  return text.length <= maxError ? text : `${text.slice(0, maxError - 1)}…`;
}

type Fields = Readonly<Record<string, unknown>>;

function isSaid(present: Fields, next: Fields, condition: Fields): boolean {
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  const former = validatedOf(present);
  return (
    Object.entries(next).every(([field, value]) => same(present[field] ?? [], value)) &&
    Object.entries(condition).every(([field, value]) => same(former?.[field], value))
  );
}

function validatedOf({ conditions }: Fields): Fields | undefined {
  return Array.isArray(conditions)
    ? conditions.filter(isRecord).find(({ type }) => type === 'Validated')
    : undefined;
}
