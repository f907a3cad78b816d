import { describePublished, type KnownPublished } from '../../kube/published-object.ts';
import type { PublishTrouble } from '../../kube/published-objects.ts';
import type { CurrentCondition } from './publish-status.ts';

export interface ConditionFacts {
  readonly pinned: boolean;
  /** Name of the HAProxyCfg that shows what is refused. */
  readonly twin: string;
  /** What each object fails of, by its name. */
  readonly failing: readonly (readonly [string, PublishTrouble])[];
  readonly oversized: readonly KnownPublished[];
}

/** Objects that are named; the API server takes no longer message than this. */
const most = { named: 10, message: 32_768 };

/** Conditions of the HAProxyCfg that shows what HAProxy accepted. */
export function mainConditions({
  pinned,
  twin,
  failing,
  oversized,
}: ConditionFacts): readonly CurrentCondition[] {
  return [
    {
      type: 'ConfigValidated',
      status: 'True',
      reason: 'AcceptedByHAProxy',
      message: 'HAProxy accepts this render.',
    },
    pinned
      ? {
          type: 'ConfigPinned',
          status: 'True',
          reason: 'NewerRefused',
          message: `HAProxy refuses newer renders: the pods are kept on this one. HAProxyCfg ${twin} shows what is refused.`,
        }
      : {
          type: 'ConfigPinned',
          status: 'False',
          reason: 'Following',
          message: 'The pods follow the newest render.',
        },
    publishedCondition(failing, oversized),
  ];
}

/** Conditions of the HAProxyCfg that shows what HAProxy refuses. */
export function twinConditions(words: string): readonly CurrentCondition[] {
  return [
    {
      type: 'ConfigValidated',
      status: 'False',
      reason: 'RefusedByHAProxy',
      message: words.slice(0, most.message),
    },
  ];
}

/** Condition of an object that shows a file. */
export function fileConditions(oversized: number | undefined): readonly CurrentCondition[] {
  return [
    oversized === undefined
      ? { type: 'Published', status: 'True', reason: 'Complete', message: 'The file is shown.' }
      : {
          type: 'Published',
          status: 'False',
          reason: 'ContentTooLarge',
          message: `The file has ${oversized} bytes, which fit into no object; it is on the HAProxy pods.`,
        },
  ];
}

function publishedCondition(
  failing: ConditionFacts['failing'],
  oversized: ConditionFacts['oversized'],
): CurrentCondition {
  const [first] = failing;
  const large = oversized.map((object) => `${describePublished(object)} (ContentTooLarge)`);
  const named = [...large, ...failing.map(([object, { reason }]) => `${object} (${reason})`)];
  if (named.length === 0)
    return {
      type: 'Published',
      status: 'True',
      reason: 'Complete',
      message: 'All files of the render are shown.',
    };
  const more = named.length - most.named;
  const list = [...named.slice(0, most.named), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
  return {
    type: 'Published',
    status: 'False',
    reason: first === undefined ? 'ContentTooLarge' : first[1].reason,
    message: `Not shown as they are: ${list}.`,
  };
}
