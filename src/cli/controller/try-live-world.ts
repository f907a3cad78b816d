import { type Observable, of } from 'rxjs';
import { carryOver } from '../../gate/carry-over.ts';
import { type QuarantineState, emptyQuarantine } from '../../gate/quarantine-state.ts';
import type { Verdict } from '../../gate/verdict.ts';
import { runInSlices } from '../../operators/run-in-slices.ts';
import type { Plan } from '../../protocol/plan.ts';
import type { HeldObjects, Outputs } from '../../protocol/provenance.ts';
import type { RenderOutcome } from '../../protocol/render-outcome.ts';
import { translateOutputs } from '../../render/translate-outputs.ts';
import type { TrialEvent } from '../../world/load-gate.ts';
import type { LiveWorld } from '../../world/open-world.ts';
import { refusalWords } from '../../world/refusal-words.ts';
import { tryWorld } from '../../world/try-world.ts';
import { worldSlices } from '../../world/world-slices.ts';
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
  const begin = (world: LiveWorld): Observable<QuarantineState> => {
    const former = deps.current();
    if (former === undefined) return of({ ...emptyQuarantine, generation: world.renderer.generation });
    const over = {
      generation: world.renderer.generation,
      accepted: deps.accepted(),
      translate: (outputs: Outputs, owners: ReadonlySet<string>) =>
        translateOutputs(outputs, owners, former.renderer.places, world.renderer.places),
    };
    return runInSlices(() => carryOver(deps.quarantine(), over), worldSlices);
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
