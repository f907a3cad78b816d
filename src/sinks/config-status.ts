import type { KubeObject } from '../api/kube-object.ts';
import { isRecord } from '../lib/is-record.ts';

/** What became of a configuration. */
export interface ConfigJudgement {
  /** The object as it was when it was judged. */
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

/**
 * The status to apply for a judgement; undefined when the object says so already.
 *
 * @param now ISO 8601
 */
export function configStatus(
  { object, status, reason, message, errors }: ConfigJudgement,
  now: string,
): KubeObject | undefined {
  const { name, namespace, generation } = object.metadata;
  const present = isRecord(object['status']) ? object['status'] : {};
  const former = conditionsOf(present).find(({ type }) => type === 'Validated');
  const stays = former?.['status'] === conditionStatus[status];
  const since =
    stays && typeof former['lastTransitionTime'] === 'string' ? former['lastTransitionTime'] : now;
  const condition = {
    type: 'Validated',
    status: conditionStatus[status],
    reason,
    message: message.slice(0, maxMessage),
    lastTransitionTime: since,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  const shown = errors.slice(0, maxErrors);
  const more = errors.length - shown.length;
  const next = {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    validationStatus: status,
    validationMessage: condition.message,
    validationErrors: more === 0 ? shown : [...shown, `and ${more} more`],
    conditions: [condition],
  };
  if (isSaid(present, next, former)) return undefined;
  return {
    apiVersion: 'haproxy-haptic.org/v1alpha1',
    kind: 'HAProxyTemplateConfig',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    status: { ...next, lastValidated: now },
  };
}

type Fields = Readonly<Record<string, unknown>>;

function isSaid(
  present: Fields,
  next: Fields & { readonly conditions: readonly Fields[] },
  former: Fields | undefined,
) {
  const { conditions, ...rest } = next;
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  return (
    Object.entries(rest).every(([field, value]) => same(present[field] ?? [], value)) &&
    Object.entries(conditions[0] ?? {}).every(([field, value]) => same(former?.[field], value))
  );
}

function conditionsOf(status: Fields): readonly Fields[] {
  const { conditions } = status;
  return Array.isArray(conditions) ? conditions.filter(isRecord) : [];
}
