import { leaseIntent } from '../kube/lease-intent.ts';
import type { DeploymentIntent } from '../protocol/deployment-intent.ts';
import type { Leadership } from '../protocol/leadership.ts';
import type { ElectionState } from './lease-state.ts';

/** What an election shows of itself. */
export interface ElectionView {
  readonly leadership: Leadership;
  /** Of the local monotonic clock, milliseconds: nothing may be written from then on. -Infinity for a standby. */
  readonly deadline: number;
  /** Who holds the Lease; empty: nobody, or not known. */
  readonly holder: string;
  readonly lease: 'unknown' | 'absent' | 'present';
  /** Told of what happens to the Lease; else it is read now and then. */
  readonly isWatched: boolean;
  /** Times that the Lease changed hands, by its own count. */
  readonly transitions: number;
  /** What stands on the Lease of what goes out to HAProxy pods. */
  readonly intent?: DeploymentIntent;
  /** What stands in the way: a request that failed, an annotation that is no number. */
  readonly trouble?: string;
  /** Why the last term ended. */
  readonly ended?: string;
  /** The Lease was given back, or there was none to give. */
  readonly isReleased: boolean;
}

export function electionView(state: ElectionState): ElectionView {
  const { lease, term, identity, ended } = state;
  const record = lease.kind === 'present' ? lease.record : undefined;
  const holder = lease.kind === 'unknown' ? lease.holder : (record?.holder ?? '');
  const trouble = troubleOf(state);
  const intent = lease.kind === 'present' ? leaseIntent(lease.object) : undefined;
  const leader = holder === '' || holder === identity ? {} : { leader: holder };
  return {
    leadership: term === undefined ? { kind: 'standby', ...leader } : { kind: 'leading', epoch: term.epoch },
    deadline: term?.deadline ?? -Infinity,
    holder,
    lease: lease.kind,
    isWatched: state.isWatched,
    transitions: record?.transitions ?? 0,
    ...(intent === undefined ? {} : { intent }),
    ...(trouble === undefined ? {} : { trouble }),
    ...(ended === undefined ? {} : { ended }),
    isReleased: state.phase === 'released',
  };
}

function troubleOf({ failure, lease, namespace, name }: ElectionState): string | undefined {
  if (failure !== undefined) return failure;
  if (lease.kind !== 'present' || lease.record.epoch.kind !== 'unreadable') return undefined;
  const shown = JSON.stringify(lease.record.epoch.text.slice(0, 100));
  return `annotation haptic.io/leader-epoch of Lease ${namespace}/${name} is no whole number: ${shown}`;
}
