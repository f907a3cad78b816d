import type { FromSchema } from '../../api/from-schema.ts';
import type { publishedSchemas } from '../../api/schema/published-schemas.ts';
import { isRecord } from '../../lib/is-record.ts';
import { retainedConfigs } from '../../kube/retained-object.ts';
import type { RetainedConfig } from '../../protocol/retained-config.ts';
import type { DeployedPod } from './deployed-pods.ts';

/** `status` of a HAProxyCfg. */
export type PublishStatus = FromSchema<typeof publishedSchemas.configStatus>;
export type PublishCondition = NonNullable<PublishStatus['conditions']>[number];
/** What holds now; since when is not known yet. */
export type CurrentCondition = Pick<PublishCondition, 'type' | 'status' | 'reason' | 'message'>;

type Fields = Readonly<Record<string, unknown>>;

/** What a status is to say, without times that only tell when it was said. */
export interface StatusWish {
  readonly generation: number;
  readonly conditions: readonly CurrentCondition[];
  /** Of the newest render; those of the former status stay where the content is still that. */
  readonly times?: { readonly renderedAt: string; readonly validatedAt?: string };
  readonly totalSize: number;
  readonly contentSize: number;
  readonly auxiliaryFiles?: PublishStatus['auxiliaryFiles'];
  readonly pods?: readonly DeployedPod[];
  readonly validationError?: string;
  /** Absent: as they were told before. */
  readonly retained?: readonly RetainedConfig[];
}

/**
 * The status to apply over a former one; undefined when that says so already, whenever it was said.
 *
 * @param now ISO 8601
 */
export function publishStatus(wish: StatusWish, former: Fields, now: string): PublishStatus | undefined {
  const { generation, times, totalSize, contentSize, auxiliaryFiles, pods, validationError } = wish;
  const conditions = timed(wish.conditions, former['conditions'], generation, now);
  const metadata = isRecord(former['metadata']) ? former['metadata'] : {};
  const knownTimes = {
    renderedAt: times?.renderedAt ?? textOf(metadata['renderedAt']),
    validatedAt: times === undefined ? textOf(metadata['validatedAt']) : times.validatedAt,
  };
  const retained = wish.retained ?? retainedConfigs(former);
  const next: PublishStatus = {
    observedGeneration: generation,
    // Server-side apply keeps no list by key that is empty.
    ...(pods !== undefined && pods.length > 0 && { deployedToPods: pods }),
    ...(retained.length > 0 && { retainedConfigs: retained }),
    ...(auxiliaryFiles && { auxiliaryFiles }),
    metadata: {
      totalSize,
      contentSize,
      ...(knownTimes.renderedAt !== undefined && { renderedAt: knownTimes.renderedAt }),
      ...(knownTimes.validatedAt !== undefined && { validatedAt: knownTimes.validatedAt }),
    },
    ...(validationError !== undefined && { validationError }),
    conditions,
  };
  return isSaid(next, former) ? undefined : next;
}

/** Conditions with the time since which they are as they are. */
export function timed(
  conditions: readonly CurrentCondition[],
  former: unknown,
  generation: number,
  now: string,
): readonly PublishCondition[] {
  const known = new Map(
    (Array.isArray(former) ? former.filter(isRecord) : []).map((condition) => [condition['type'], condition]),
  );
  return conditions.map((condition) => {
    const before = known.get(condition.type);
    const since = before?.['status'] === condition.status ? textOf(before['lastTransitionTime']) : undefined;
    return { ...condition, observedGeneration: generation, lastTransitionTime: since ?? now };
  });
}

function isSaid(next: PublishStatus, former: Fields): boolean {
  const { deployedToPods, ...rest } = next;
  const { deployedToPods: formerPods, ...formerRest } = former;
  return sorted(rest) === sorted(formerRest) && samePods(deployedToPods ?? [], podsOf(formerPods));
}

/** The API server orders fields as it likes. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function podsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Of the errors in a row only each doubling is news; times and durations never are, by themselves. */
function samePods(next: readonly DeployedPod[], former: readonly Fields[]): boolean {
  const known = new Map(former.map((pod) => [pod['podName'], pod]));
  return (
    next.length === known.size &&
    next.every((pod) => {
      const before = known.get(pod.podName);
      return before !== undefined && newsOf(pod) === newsOf(before);
    })
  );
}

function newsOf(pod: Fields): string {
  const {
    deployedAt: _deployed,
    syncDuration: _duration,
    lastErrorAt: _error,
    consecutiveErrors,
    ...news
  } = pod;
  const errors = typeof consecutiveErrors === 'number' ? consecutiveErrors : 0;
  return sorted({ ...news, errors: errors === 0 ? 0 : Math.floor(Math.log2(errors)) + 1 });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
