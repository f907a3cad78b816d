import type { Fleet } from '../../protocol/fleet.ts';
import type { Plan } from '../../protocol/plan.ts';
import type { RetainedConfig } from '../../protocol/retained-config.ts';
import type { WantedFile, WantedFiles } from './wanted-files.ts';

/** What is to be shown, as it is now. */
export interface PublishState {
  readonly options: PublishOptions;
  /** The render that HAProxy accepted last; undefined: none of this process yet, what is there stays. */
  readonly accepted?: AcceptedRender;
  /** The newest render is refused and nothing better has come; `none`: HAProxy accepts the newest one; undefined: not known yet. */
  readonly refused?: RefusedRender | 'none';
  /** HAProxy pods are kept on the accepted render since newer ones are refused. */
  readonly pinned: boolean;
  /** HAProxy pods as Kubernetes names them; undefined: not known yet. */
  readonly fleet?: Fleet;
  /** Renders that are kept for worse times; undefined: not known yet, what was told of them stays. */
  readonly retained?: readonly RetainedConfig[];
  /** The same plan gives the same files. */
  readonly filesOf: (plan: Plan) => WantedFiles;
  readonly twinOf: (plan: Plan) => WantedFile | undefined;
}

export interface PublishOptions {
  readonly enabled: boolean;
  /** See `WantedOptions`. */
  readonly compressionThreshold: number;
  readonly configFile: string;
  /** Milliseconds. */
  readonly interval: number;
}

/** Its plan alone: a bundle keeps the whole world alive that it was made of. Times in ISO 8601. */
export interface AcceptedRender {
  readonly plan: Plan;
  readonly renderedAt: string;
  readonly validatedAt: string;
}

export interface RefusedRender {
  readonly plan: Plan;
  readonly renderedAt: string;
  /** HAProxy's. */
  readonly words: string;
}
