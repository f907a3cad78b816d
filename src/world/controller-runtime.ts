import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Observable, Subscription } from 'rxjs';
import type { Verdict } from '../gate/verdict.ts';
import type { KubeTransport } from '../kube/kube-transport.ts';
import type { Taps } from '../operators/taps.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { Fleet } from '../protocol/fleet.ts';
import type { Leadership } from '../protocol/leadership.ts';
import type { HaproxyPod } from '../protocol/pod.ts';
import type { EventHistory } from '../sinks/event-history.ts';
import type { Metrics } from '../sinks/metrics.ts';
import type { StoreEdit } from '../sinks/recording.ts';
import type { DeploymentProgress } from '../sinks/track-deployments.ts';
import type { World } from './build-world.ts';
import type { RetainedAccess } from './retained-access.ts';
import type { StartupStages } from './startup-stages.ts';
import type { TryConfig } from './try-config.ts';

/** What a running controller offers to the parts that work beside its pipeline. */
export interface ControllerRuntime {
  /** The configuration at work: the present one at once, then every one that takes its place. Never errors. */
  readonly world$: Observable<World>;
  /** The configuration at work; undefined as long as none was taken. */
  readonly current: () => World | undefined;
  /** Renders that are out: the present one at once, then every later one. Never errors. */
  readonly bundle$: Observable<Bundle>;
  readonly pipeline: Pipeline<Verdict>;
  /** HAProxy pods that are delivered to. */
  readonly fleet$: Observable<readonly HaproxyPod[]>;
  /** All HAProxy pods that Kubernetes names: the present ones at once, then every change. Never errors. */
  readonly found$: Observable<Fleet>;
  /** How far the render that is out has come in the fleet. */
  readonly deployment$: Observable<DeploymentProgress>;
  /** What is written into the stores of watched resources, at the moment when it arrives. */
  readonly edit$: Observable<StoreEdit>;
  readonly transport: KubeTransport;
  /** The same for what only the leader may do: nothing is sent while this process may not write. */
  readonly leaderTransport: KubeTransport;
  /** Whether this process may write: as it is at once, then every change. Never errors. */
  readonly leadership$: Observable<Leadership>;
  /** What is kept for worse times, and how it is used. */
  readonly retained: RetainedAccess;
  /** Of `/debug/vars`: parts add theirs, each under a name of its own. */
  readonly vars: Record<string, () => unknown>;
  /** Of `/debug/events`. */
  readonly history: EventHistory;
  readonly identity: ControllerIdentity;
  /** What the load gate says of a configuration, without taking it; absent where the configuration came as files. */
  readonly tryConfig?: TryConfig;
  /**
   * Work that is to come to its end before everything is ended: it is begun when the controller is told to stop, while all else still
   * works, and waited for, though not for longer than the Lease is.
   */
  readonly endings: (() => Promise<unknown>)[];
  /** Its first value ends everything. */
  readonly stop$: Observable<void>;
  readonly taps: Taps;
  readonly registry: Registry;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Told which stages of the start are reached. */
  readonly stages: StartupStages;
  /** A stream of a part errored: a bug, after which nothing can be trusted. */
  readonly onFatal: (error: unknown) => void;
}

/** Whose what the controller makes in the cluster is: that of a configuration. */
export interface ControllerIdentity {
  readonly namespace: string;
  readonly name: string;
  /** The configuration is an object of the API; else it came as files. */
  readonly isObject: boolean;
}

/** Something that works beside the pipeline for as long as the controller runs; its subscription ends with the controller. */
export type ControllerPart = (runtime: ControllerRuntime) => Subscription;
