import type { ApplyResultMode } from './wire.ts';

/**
 * A step on the way from a change in the cluster to the acknowledgement of each pod. What belongs together has one `id`: the changes that a
 * render was made from, the render, what HAProxy says of it, and its deliveries.
 */
export type TraceEvent =
  TraceChanges | TraceRender | TraceRejected | TraceVerdict | TraceDelivery | TraceRevision;

interface Traced {
  readonly id: string;
}

/** Objects of one watched resource that changed in one turn. */
export interface TraceChanges extends Traced {
  readonly type: 'changes';
  readonly resource: string;
  readonly count: number;
  /** Keys of the first ones, `+` for new, `-` for gone, `~` for changed. */
  readonly objects: readonly string[];
}

export interface TraceRender extends Traced {
  readonly type: 'render';
  readonly planId: string;
  readonly revision: number;
  readonly tookMs: number;
  /** Milliseconds from the arrival of the first change to the start of the render; absent where no change led to it. */
  readonly waitedMs?: number;
  /** `cold`: the first of a configuration. `warm`: what changed was rendered anew. `replay`: nothing had to be. */
  readonly cacheState: 'cold' | 'warm' | 'replay';
  /** How many objects changed since the render before. */
  readonly changes: number;
}

/** The templates failed as a whole: the former render stays. */
export interface TraceRejected extends Traced {
  readonly type: 'rejected';
  readonly message: string;
}

export interface TraceVerdict extends Traced {
  readonly type: 'verdict';
  readonly planId: string;
  readonly verdict: 'accepted' | 'refused' | 'unchecked';
  /** Milliseconds from the render. */
  readonly afterMs: number;
  readonly findings: number;
}

export interface TraceDelivery extends Traced {
  readonly type: 'delivery';
  readonly planId: string;
  readonly pod: string;
  readonly mode: ApplyResultMode | 'failed' | 'reverted';
  readonly tookMs: number;
  /** Milliseconds from the arrival of the first change; absent where no change led to it, or where the pod had the plan before. */
  readonly sinceChangeMs?: number;
  readonly operations?: number;
  /** Why it took a reload, or what failed. */
  readonly reasons: readonly string[];
}

/** Every pod runs a render that HAProxy accepts. Renders that were overtaken count with the one that overtook them. */
export interface TraceRevision extends Traced {
  readonly type: 'revision';
  readonly planId: string;
  readonly revision: number;
  /** Changed objects by watched resource. */
  readonly trigger: Readonly<Record<string, number>>;
  /** The first of them, `ingresses ~web/shop`. */
  readonly objects: readonly string[];
  /** Renders, this one included. */
  readonly renders: number;
  readonly renderMs: number;
  /** Milliseconds from the render to HAProxy's verdict. */
  readonly gateMs: number;
  /** Of the slowest pod. */
  readonly applyMs: number;
  /** From the arrival of the first change that it was made from. */
  readonly totalMs?: number;
  /** Pods by what it cost them. */
  readonly pods: Readonly<Record<string, number>>;
  readonly reloads: readonly string[];
}
