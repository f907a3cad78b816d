import type { Logger } from 'pino';
import type { Observable, Subscription } from 'rxjs';
import {
  BehaviorSubject,
  NEVER,
  ReplaySubject,
  Subject,
  concat,
  defer,
  distinctUntilChanged,
  filter,
  firstValueFrom,
  ignoreElements,
  map,
  merge,
  of,
  race,
  share,
  skip,
  switchMap,
  take,
  tap,
  throwError,
  timer,
} from 'rxjs';
import type { TemplateConfig } from '../../api/template-config.ts';
import { singleWriter } from '../../fleet/single-writer.ts';
import type { KubeTransport } from '../../kube/kube-transport.ts';
import { type LeaderTransport, leaderTransport } from '../../kube/leader-transport.ts';
import { describeFailure } from '../../kube/kube-failure.ts';
import { leaseRequests } from '../../kube/lease-requests.ts';
import type { OwnLease } from '../../kube/own-lease.ts';
import { parseDuration } from '../../lib/duration.ts';
import { abortable } from '../../operators/abortable.ts';
import type { DeploymentIntent, IntentBook } from '../../protocol/deployment-intent.ts';
import type { LeaderEpoch } from '../../protocol/leader-epoch.ts';
import type { Leadership } from '../../protocol/leadership.ts';
import type { Metrics } from '../../sinks/metrics.ts';
import { recordLeadership } from '../../sinks/record-leadership.ts';
import type { ElectionView } from '../../streams/election-view.ts';
import { keepIntent } from '../../streams/keep-intent.ts';
import { leaseElection } from '../../streams/lease-election.ts';
import type { ElectionCommand, LeaseTiming } from '../../streams/lease-state.ts';
import { type ListWatchDeps, listWatch } from '../../streams/list-watch.ts';
import { controllerTiming } from './controller-timing.ts';

/** What is known of the election before there is a configuration. */
export interface ElectionOptions {
  /** Of the Lease. */
  readonly namespace: string;
  /** Of this process; no other one has the same. */
  readonly identity: string;
  /** Of the Lease; takes the place of the configuration's. */
  readonly leaseName?: string;
}

type Election = TemplateConfig['controller']['leaderElection'];

export interface ElectLeaderDeps {
  /** Absent: this process has no rival. */
  readonly election?: ElectionOptions;
  /** The election that the configuration at work asks for, or the first one where there is none; late subscribers get it at once. */
  readonly election$: Observable<Election>;
  readonly transport: KubeTransport;
  /** Where the intent is written down when there is no election. */
  readonly ownLease: OwnLease;
  readonly watch: ListWatchDeps;
  /** Highest epoch that any pod is known to have seen. */
  readonly podEpoch: () => number;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Local monotonic clock, milliseconds. */
  readonly now: () => number;
  readonly onFatal: (error: unknown) => void;
}

export interface ElectedLeader {
  /** A standby at first; late subscribers get the newest value. */
  readonly leadership$: Observable<Leadership>;
  readonly epoch: LeaderEpoch;
  readonly transport: LeaderTransport;
  /** On the Lease of the election, with its renewals; without one, on the configuration's own. */
  readonly intent: IntentBook;
  /** Campaigns until unsubscribed. */
  readonly start: () => Subscription;
  /**
   * Stands down, waits for what is under way (`isIdle`), and gives the Lease back. Resolves when that is done, or when it takes too
   * long: the Lease then ends by itself.
   */
  readonly resign: (isIdle: () => boolean) => Promise<void>;
  /** For `/debug/vars`. */
  readonly vars: () => unknown;
}

/**
 * Who writes: by election for a Lease, or this process at any time where the first configuration says so. Name and kind of the election
 * stay as that has them, since replicas that disagree about them would both lead; its times follow the configuration at work.
 */
export function electLeader(deps: ElectLeaderDeps): ElectedLeader {
  const { now, log, transport } = deps;
  const single = singleWriter();
  const command = new Subject<ElectionCommand>();
  const retired = new BehaviorSubject(false);
  const intent$ = new BehaviorSubject<DeploymentIntent | undefined>(undefined);
  let view: ElectionView | undefined;
  let lease: { readonly namespace: string; readonly name: string } | undefined;
  /** Of the newest term. */
  let epoch = 0;

  const isHeld = (): boolean => view !== undefined && now() < view.deadline;
  const { election$ } = deps;
  const view$ = election$.pipe(
    take(1),
    // A source: there is one for good.
    switchMap((first) =>
      deps.election === undefined || !first.enabled ? alone() : campaign(deps.election, first),
    ),
    tap((next) => {
      view = next;
      if (next.leadership.kind === 'leading') ({ epoch } = next.leadership);
    }),
    share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true }),
  );

  function alone(): Observable<ElectionView> {
    const as = (leadership: Leadership, deadline: number): ElectionView => ({
      leadership,
      deadline,
      holder: '',
      lease: 'absent',
      isWatched: false,
      transitions: 0,
      isReleased: leadership.kind === 'standby',
      ...(leadership.kind === 'standby' && { ended: 'this process stops' }),
    });
    const view$ = retired.pipe(
      map((isRetired) =>
        isRetired ? as({ kind: 'standby' }, -Infinity) : as({ kind: 'leading', epoch: 0 }, Infinity),
      ),
    );
    const kept$ = keepIntent({
      intent$,
      write: (intent) => abortable((signal) => deps.ownLease.write(intent, signal)),
      ...controllerTiming.intent,
    }).pipe(
      tap((written) => {
        if (written.kind === 'failed')
          log.warn({ reason: written.message }, 'what goes out could not be written down');
      }),
      ignoreElements(),
    );
    return merge(view$, kept$);
  }

  function campaign(
    { namespace, identity, leaseName }: ElectionOptions,
    first: Election,
  ): Observable<ElectionView> {
    const name = leaseName ?? first.leaseName;
    lease = { namespace, name };
    log.info({ lease, identity }, 'campaigning for the Lease');
    const leases = { apiVersion: 'coordination.k8s.io/v1', resources: 'leases', namespace };
    return leaseElection({
      ...lease,
      identity,
      requests: leaseRequests(transport, lease, (signal) => deps.ownLease.owners(namespace, signal)),
      watch$: listWatch(deps.watch, { ...leases, fieldSelector: `metadata.name=${name}` }),
      timing$: concat(election$, NEVER).pipe(map(timingOf), distinctUntilChanged(isSameTiming)),
      command$: command,
      podEpoch: deps.podEpoch,
      intent: () => intent$.value,
      random: Math.random,
      now,
    });
  }

  const reclaimed = (floor: number): Observable<'reclaimed' | 'foreign'> =>
    defer(() => {
      const outcome$ = view$.pipe(
        map(({ leadership }) => outcomeOf(leadership, floor)),
        filter((outcome) => outcome !== undefined),
        take(1),
      );
      command.next({ kind: 'reclaim', floor });
      return outcome$;
    });

  const ownIntent = (): Observable<DeploymentIntent | undefined> =>
    abortable((signal) => deps.ownLease.read(signal)).pipe(
      switchMap((found) =>
        found.ok ? of(found.value) : throwError(() => new Error(describeFailure(found.failure))),
      ),
    );

  return {
    leadership$: concat(
      defer(() => (view === undefined ? of<Leadership>({ kind: 'standby' }) : of())),
      view$.pipe(map(({ leadership }) => leadership)),
    ).pipe(distinctUntilChanged(isSameLeadership)),
    epoch: {
      current: () => (lease === undefined ? single.current() : epoch),
      isHeld,
      reclaim: (floor) => (lease === undefined ? single.reclaim(floor) : reclaimed(floor)),
    },
    transport: leaderTransport(transport, isHeld),
    intent: {
      want: (intent) => intent$.next(intent),
      read: () => (lease === undefined ? ownIntent() : of(view?.intent)),
    },
    start: () => {
      const running = view$.subscribe({ error: deps.onFatal });
      running.add(recordLeadership(view$, deps.metrics, log, now, deps.onFatal));
      running.add(
        election$.pipe(skip(1), distinctUntilChanged(isSameElection)).subscribe({
          next: ({ enabled, leaseName }) => {
            if (deps.election === undefined) return;
            const isNamed =
              lease === undefined || deps.election.leaseName !== undefined || leaseName === lease.name;
            if (enabled !== (lease !== undefined) || !isNamed)
              log.warn({ enabled, leaseName }, 'another election takes effect when this process starts anew');
          },
          error: deps.onFatal,
        }),
      );
      return running;
    },
    resign: async (isIdle) => {
      if (view === undefined) return;
      retired.next(true);
      command.next({ kind: 'retire' });
      const { drain, release } = controllerTiming.leadership;
      await firstValueFrom(race(timer(drain), timer(0, 10).pipe(filter(isIdle))));
      command.next({ kind: 'release' });
      const released$ = view$.pipe(filter(({ isReleased }) => isReleased));
      await firstValueFrom(race(timer(release), released$));
    },
    vars: () => ({
      election: lease ?? 'disabled',
      identity: deps.election?.identity,
      ...view,
      deadline: undefined,
      epoch,
      ...(view !== undefined && Number.isFinite(view.deadline)
        ? { renewedUntilMs: Math.round(view.deadline - now()) }
        : {}),
    }),
  };
}

function outcomeOf(leadership: Leadership, floor: number): 'reclaimed' | 'foreign' | undefined {
  if (leadership.kind === 'standby' || floor >= Number.MAX_SAFE_INTEGER) return 'foreign';
  return leadership.epoch > floor ? 'reclaimed' : undefined;
}

function timingOf(election: Election): LeaseTiming {
  const ms = (field: 'leaseDuration' | 'renewDeadline' | 'retryPeriod') =>
    parseDuration(election[field], `controller.leaderElection.${field}`);
  return {
    leaseDuration: ms('leaseDuration'),
    renewDeadline: ms('renewDeadline'),
    retryPeriod: ms('retryPeriod'),
  };
}

function isSameTiming(a: LeaseTiming, b: LeaseTiming): boolean {
  return (
    a.leaseDuration === b.leaseDuration &&
    a.renewDeadline === b.renewDeadline &&
    a.retryPeriod === b.retryPeriod
  );
}

function isSameElection(a: Election, b: Election): boolean {
  return a.enabled === b.enabled && a.leaseName === b.leaseName;
}

function isSameLeadership(a: Leadership, b: Leadership): boolean {
  if (a.kind === 'leading') return b.kind === 'leading' && a.epoch === b.epoch;
  return b.kind === 'standby' && a.leader === b.leader;
}
