import type { BehaviorSubject, Observable, Subject } from 'rxjs';
import type { AgentClient } from '../fleet/agent-client.ts';
import type { Verdict } from '../gate/verdict.ts';
import type { IntentBook } from '../protocol/deployment-intent.ts';
import type { LeaderEpoch } from '../protocol/leader-epoch.ts';
import type { Plan } from '../protocol/plan.ts';
import type { HaproxyPod } from '../protocol/pod.ts';
import type { RetainedConfig } from '../protocol/retained-config.ts';
import type { OwnRender } from '../sinks/retained/own-render.ts';
import type { RecoveryState } from '../sinks/retained/recovery-state.ts';

/** Where HAProxy pods are looked for. */
export interface PodSelection {
  readonly matchLabels: Readonly<Record<string, string>>;
  /** Of their agents. */
  readonly port: number;
}

/** What it takes to keep renders and to give them to pods, and what is told of it. */
export interface RetainedAccess {
  readonly client: Pick<AgentClient, 'state' | 'apply'>;
  readonly epoch: LeaderEpoch;
  readonly intent: IntentBook;
  /** HAProxy's own check. */
  readonly check: (plan: Plan) => Observable<Verdict>;
  /** The plan as a blob; undefined: it is too large. Emits once and completes. */
  readonly encode: (plan: Plan) => Observable<Uint8Array | undefined>;
  /** What was known of a pod holds no more. */
  readonly forget: (pod: HaproxyPod) => void;
  /** Whether this process has a render of its own: as it is at once, then every change. Never errors. */
  readonly own$: Observable<OwnRender>;
  /** Told where pods are, for as long as no configuration says so. */
  readonly selection: Subject<PodSelection>;
  /** Renders that are kept, whole and read back; undefined: not known. */
  readonly kept: BehaviorSubject<readonly RetainedConfig[] | undefined>;
  readonly recovery: BehaviorSubject<RecoveryState>;
}
