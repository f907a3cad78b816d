import { type Observable, filter, share, Subject } from 'rxjs';
import type { RecordedValue } from '../sinks/recording.ts';

type Kind = RecordedValue['kind'];
type Of<K extends Kind> = Extract<RecordedValue, { readonly kind: K }>;

/** What comes into the pipeline of a replay, a lane each; hot. */
export interface ReplayInputs {
  readonly config: Observable<Of<'config'>>;
  readonly edits: Observable<Of<'edit'> | Of<'synced'>>;
  readonly http: Observable<Of<'http'>>;
  readonly fleet: Observable<Of<'fleet'>>;
  readonly leadership: Observable<Of<'leadership'>>;
  readonly verdicts: Observable<Of<'verdict'> | Of<'optimistic'>>;
  readonly deliveries: Observable<Of<'delivery'>>;
}

export type InputLane = keyof ReplayInputs;

/** The lane that a line of a recording belongs to; undefined: it did not come in, but out. */
export const laneOf: Readonly<Record<Kind, InputLane | undefined>> = {
  config: 'config',
  edit: 'edits',
  synced: 'edits',
  http: 'http',
  fleet: 'fleet',
  leadership: 'leadership',
  verdict: 'verdicts',
  optimistic: 'verdicts',
  delivery: 'deliveries',
  begin: undefined,
  end: undefined,
  render: undefined,
  rejected: undefined,
};

export const inputLanes: readonly InputLane[] = [
  'config',
  'edits',
  'http',
  'fleet',
  'leadership',
  'verdicts',
  'deliveries',
];

/** One stream of all that was recorded, by lanes. */
export function inputsOf(value$: Observable<RecordedValue>): ReplayInputs {
  const shared$ = value$.pipe(share({ connector: () => new Subject(), resetOnRefCountZero: true }));
  const of = <K extends Kind>(...kinds: readonly K[]): Observable<Of<K>> =>
    shared$.pipe(filter((value): value is Of<K> => kinds.some((kind) => kind === value.kind)));
  return {
    config: of('config'),
    edits: of('edit', 'synced'),
    http: of('http'),
    fleet: of('fleet'),
    leadership: of('leadership'),
    verdicts: of('verdict', 'optimistic'),
    deliveries: of('delivery'),
  };
}
