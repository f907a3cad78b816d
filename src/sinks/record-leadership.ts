import type { Logger } from 'pino';
import {
  EMPTY,
  type Observable,
  type Subscription,
  defer,
  distinctUntilChanged,
  filter,
  finalize,
  interval,
  map,
  pairwise,
  startWith,
  switchMap,
  tap,
} from 'rxjs';
import type { Leadership } from '../protocol/leadership.ts';
import type { Metrics } from './metrics.ts';

/** What an election says of itself. */
export interface ElectionNews {
  readonly leadership: Leadership;
  /** What stands in its way. */
  readonly trouble?: string;
  /** Why the last term ended. */
  readonly ended?: string;
}

/** The counter of a leader's time is brought up to date this often, milliseconds. */
const tick = 1_000;

/** Tells terms, leaders and trouble in log and metrics, each once as long as it stays the same. Ends when unsubscribed. */
export function recordLeadership(
  news$: Observable<ElectionNews>,
  metrics: Pick<Metrics, 'isLeader' | 'leaderTransitions' | 'leaderSeconds'>,
  log: Logger,
  now: () => number,
  onError: (error: unknown) => void,
): Subscription {
  /** Counts the time for which it is subscribed. */
  const leading$ = defer(() => {
    let from = now();
    const count = (): void => {
      const to = now();
      metrics.leaderSeconds.inc((to - from) / 1000);
      from = to;
    };
    return interval(tick).pipe(tap(count), finalize(count));
  });
  const change$ = news$.pipe(distinctUntilChanged((a, b) => isSame(a.leadership, b.leadership)));
  const running = change$
    .pipe(startWith({ leadership: { kind: 'standby' } } satisfies ElectionNews), pairwise<ElectionNews>())
    .subscribe({
      next: ([{ leadership: before }, { leadership, ended }]) => {
        metrics.isLeader.set(leadership.kind === 'leading' ? 1 : 0);
        if (before.kind !== leadership.kind) metrics.leaderTransitions.inc();
        tell(before, leadership, ended);
      },
      error: onError,
    });
  running.add(
    change$
      .pipe(
        map(({ leadership }) => leadership.kind === 'leading'),
        distinctUntilChanged(),
        // Not work: a clock that runs for as long as it is of interest.
        switchMap((isLeading) => (isLeading ? leading$ : EMPTY)),
      )
      .subscribe({ error: onError }),
  );
  running.add(
    news$
      .pipe(
        map(({ trouble }) => trouble),
        distinctUntilChanged(),
        startWith(undefined),
        pairwise(),
        filter(([before, trouble]) => before !== trouble),
      )
      .subscribe({
        next: ([, trouble]) => {
          if (trouble === undefined) log.info('leader election goes on as it should');
          else log.warn({ reason: trouble }, 'leader election is in trouble, and goes on trying');
        },
        error: onError,
      }),
  );
  return running;

  function tell(before: Leadership, leadership: Leadership, ended: string | undefined): void {
    if (leadership.kind === 'leading') {
      const { epoch } = leadership;
      if (before.kind === 'leading')
        log.warn({ epoch, before: before.epoch }, 'the epoch of the term was raised');
      else log.info({ epoch }, 'this process leads: it writes to pods and objects');
      return;
    }
    const { leader } = leadership;
    if (before.kind === 'leading')
      log.warn({ epoch: before.epoch, reason: ended }, 'this process leads no more');
    else if (leader !== undefined) log.info({ leader }, 'another process leads: this one stands by');
  }
}

function isSame(a: Leadership, b: Leadership): boolean {
  if (a.kind === 'leading') return b.kind === 'leading' && a.epoch === b.epoch;
  return b.kind === 'standby' && a.leader === b.leader;
}
