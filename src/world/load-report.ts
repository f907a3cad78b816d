import type { Observable } from 'rxjs';
import type { TemplateConfig } from '../api/template-config.ts';
import type { QuarantineState } from '../gate/quarantine-state.ts';
import type { Bundle } from '../protocol/bundle.ts';

/** What a configuration goes through before it is taken, in this order. */
export const loadStages = ['basic', 'template', 'jsonpath', 'validationTests', 'render', 'check'] as const;

export type LoadStage = (typeof loadStages)[number];

/** What a stage came to: its result, or all that is wrong, one text each. */
export type StageResult<T> =
  | { readonly ok: true; readonly value: T }
  /** `passing`: nothing is known to be wrong with the configuration; the same one is tried again. */
  | { readonly ok: false; readonly errors: readonly string[]; readonly passing?: boolean };

/** A configuration that is read and checked. */
export interface ResolvedConfig {
  readonly config: TemplateConfig;
  /** Of a template as its errors name it: where it stands, e.g. `library base/snippet frontends-500`. */
  readonly sourceOfTemplate: (template: string) => string;
}

/** A configuration that wants to be taken. */
export interface Candidate {
  /** Equal for two candidates of the same content. */
  readonly id: string;
  /** For people: `HAProxyTemplateConfig haptic-system/haproxy-config`. */
  readonly name: string;
  /** `metadata.generation` of the object that it is. */
  readonly generation?: number;
  /** The `basic` stage: merges, defaults, schema. Emits once and completes; subscribing does the work, with pauses. */
  readonly resolve$: Observable<StageResult<ResolvedConfig>>;
}

/** The render with which a configuration was accepted: it is not made nor checked again. */
export interface AcceptedRender {
  readonly bundle: Bundle;
  readonly state: QuarantineState;
}

/** What becomes of candidates. */
export type LoadReport<World> =
  /** A stage is passed. */
  | {
      readonly kind: 'passed';
      readonly candidate: Candidate;
      readonly stage: LoadStage;
      readonly tookMs: number;
    }
  | {
      readonly kind: 'refused';
      readonly candidate: Candidate;
      readonly stage: LoadStage;
      readonly errors: readonly string[];
      readonly passing: boolean;
    }
  /** `render` is absent for the first one, which the pipeline itself renders and checks. */
  | {
      readonly kind: 'accepted';
      readonly candidate: Candidate;
      readonly world: World;
      readonly render?: AcceptedRender;
      readonly tookMs: number;
    }
  /** It is the one at work. */
  | { readonly kind: 'unchanged'; readonly candidate: Candidate };
