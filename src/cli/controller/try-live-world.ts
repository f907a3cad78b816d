import type { Observable } from 'rxjs';
import { carryOver } from '../../gate/carry-over.ts';
import { type QuarantineState, emptyQuarantine } from '../../gate/quarantine-state.ts';
import type { Verdict } from '../../gate/verdict.ts';
import type { Plan } from '../../protocol/plan.ts';
import type { HeldObjects, Outputs } from '../../protocol/provenance.ts';
import type { RenderOutcome } from '../../protocol/render-outcome.ts';
import { translateOutputs } from '../../render/translate-outputs.ts';
import type { TrialEvent } from '../../world/load-gate.ts';
import type { LiveWorld } from '../../world/open-world.ts';
import { refusalWords } from '../../world/refusal-words.ts';
import { tryWorld } from '../../world/try-world.ts';
import { controllerTiming } from './controller-timing.ts';

export interface TryLiveWorldDeps {
  /** The configuration at work. */
  readonly current: () => LiveWorld | undefined;
  /** Who is held under it. */
  readonly quarantine: () => QuarantineState;
  /** Outputs of its render that HAProxy accepted last. */
  readonly accepted: () => Outputs | undefined;
  readonly changes: (world: LiveWorld) => Observable<unknown>;
  readonly waitingFor: (world: LiveWorld) => readonly string[];
  readonly render: (world: LiveWorld, held: HeldObjects) => Observable<RenderOutcome>;
  readonly check: (plan: Plan, world: LiveWorld) => Observable<Verdict>;
}

const checkAttempts = { delay: 1_000, attempts: 3 };

/** The trial of a configuration beside the one at work: whoever that holds is held, and whoever it serves must be served. */
export function tryLiveWorld(deps: TryLiveWorldDeps): (world: LiveWorld) => Observable<TrialEvent> {
  const begin = (world: LiveWorld): QuarantineState => {
    const former = deps.current();
    if (former === undefined) return { ...emptyQuarantine, generation: world.renderer.generation };
    return carryOver(deps.quarantine(), {
      generation: world.renderer.generation,
      accepted: deps.accepted(),
      translate: (outputs, owners) =>
        translateOutputs(outputs, owners, former.renderer.places, world.renderer.places),
    });
  };
  return (world) =>
    tryWorld<LiveWorld, Verdict>(world, {
      changes: deps.changes,
      waitingFor: deps.waitingFor,
      render: deps.render,
      check: (tried, plan) => deps.check(plan, tried),
      begin,
      words: (tried, verdict) => refusalWords(verdict, tried.sourceOfTemplate),
      syncTimeout: controllerTiming.loadGate.sync,
      retry: checkAttempts,
    });
}
