import { type Observable, distinctUntilChanged, filter, map } from 'rxjs';
import { quarantinedObjects } from '../gate/quarantine-state.ts';
import { formatOwner } from '../lib/owner.ts';
import type { Pipeline } from '../pipeline.ts';
import type { DeliveryTarget } from '../protocol/delivery-target.ts';
import type { RecordedValue, RecordedVerdict } from '../sinks/recording.ts';

/** What a lane shows at one time. */
export interface LaneWords {
  readonly lane: OutputLane;
  readonly words: string;
}

export const outputs = ['renders', 'latch', 'quarantine', 'wanted'] as const;
export type OutputLane = (typeof outputs)[number];

/** One line on a line of a recording. */
export function describeInput(value: RecordedValue): string {
  switch (value.kind) {
    case 'begin':
      return `begin of the recording, ${value.startedAt}`;
    case 'config':
      return `configuration, which watches ${Object.keys(value.config.watchedResources).join(', ')}`;
    case 'edit': {
      const { edit } = value;
      if (edit.op === 'replace') return `${edit.resource}: a list of ${edit.objects.length}`;
      return `${edit.resource} ${edit.op === 'set' ? '~' : '-'}${edit.key}`;
    }
    case 'synced':
      return 'all objects are there';
    case 'optimistic':
      return 'what was out at the begin was accepted';
    case 'http':
      return `${value.key.slice(0, 12)} ${value.content?.kind ?? 'given up'}`;
    case 'fleet':
      return value.pods.length === 0 ? 'no pods' : value.pods.map(({ key }) => key).join(', ');
    case 'leadership':
      return value.leadership.kind === 'leading' ? `leading, epoch ${value.leadership.epoch}` : 'standby';
    case 'verdict':
      return describeVerdict(value.verdict);
    case 'delivery': {
      const { report } = value;
      if (report.kind === 'acked')
        return [`${report.pod.key} ${report.mode} ${report.planId}`, ...report.reasons].join('; ');
      if (report.kind === 'failed') return `${report.pod.key} failed (${report.stage}): ${report.message}`;
      return `${report.pod.key} went back to ${report.lkgPlanId}`;
    }
    case 'render':
      return `${value.planId}, ${value.problems} problems`;
    case 'rejected':
      return `failed: ${value.message}`;
    case 'end':
      return `end of the recording: ${value.reason}`;
  }
}

export function describeTarget(target: DeliveryTarget): string {
  if (target.kind === 'leave') return `${target.pod.key} left alone`;
  return target.kind === 'deliver'
    ? `${target.pod.key} to ${target.bundle.plan.id}`
    : `${target.pod.key} back from ${target.planId}`;
}

/** What comes out of a pipeline, but for what is wanted of pods. */
export function outputLanes(pipeline: Pipeline<RecordedVerdict>): readonly Observable<LaneWords>[] {
  return [
    pipeline.render$.pipe(
      map((outcome) =>
        outcome.kind === 'rejected'
          ? `failed: ${outcome.message}`
          : `${outcome.bundle.plan.id}, ${outcome.bundle.problems.length} problems`,
      ),
      map((words) => ({ lane: 'renders', words })),
    ),
    pipeline.latch$.pipe(
      map(
        ({ mode, pinned, released }) =>
          `${mode}${pinned ? ', pinned' : ''}: ${released === undefined ? 'nothing is out' : `${released.plan.id} is out`}`,
      ),
      distinctUntilChanged(),
      map((words) => ({ lane: 'latch', words })),
    ),
    pipeline.quarantine$.pipe(
      map((state) => quarantinedObjects(state).map(({ owner, kind }) => `${formatOwner(owner)} ${kind}`)),
      map((held) => (held.length === 0 ? 'nobody' : held.join(', '))),
      distinctUntilChanged(),
      filter((words, index) => index > 0 || words !== 'nobody'),
      map((words) => ({ lane: 'quarantine', words })),
    ),
  ];
}

function describeVerdict({ kind, planId, findings = [] }: RecordedVerdict): string {
  const [first] = findings;
  return `${planId} ${kind}${first === undefined ? '' : `: ${first.message}`}`;
}
