import type { GateReport } from '../gate/gate-stage.ts';
import type { LatchState } from '../gate/latch.ts';
import { quarantinedObjects, type QuarantineState } from '../gate/quarantine-state.ts';
import { valuesOf } from '../lib/ordered-map.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { RenderOutcome } from '../protocol/render-outcome.ts';

/** What taps show of pipeline values: plain data of bounded size, never a file's content. */
export const tapShape = {
  render: (outcome: RenderOutcome): unknown =>
    outcome.kind === 'rendered'
      ? {
          kind: outcome.kind,
          ...bundleShape(outcome.bundle),
          problems: outcome.bundle.problems.slice(0, 100),
        }
      : outcome,
  bundle: (bundle: Bundle): unknown => ({
    ...bundleShape(bundle),
    files: [...valuesOf(bundle.plan.files)]
      .map(({ path, kind, digest, size }) => ({ path, kind, digest, size }))
      .slice(0, 1000),
  }),
  trial: ({ about, bundle, verdict }: GateReport<unknown>): unknown => ({
    about,
    planId: bundle.plan.id,
    held: [...(bundle.provenance?.quarantine.keys() ?? [])].slice(0, 100),
    verdict,
  }),
  quarantine: (state: QuarantineState): unknown => {
    const objects = quarantinedObjects(state);
    return {
      count: objects.length,
      objects: objects.slice(0, 1000).map((object) => ({
        ...object,
        since: new Date(object.since).toISOString(),
      })),
      ...(state.stuck === undefined ? {} : { stuck: state.stuck }),
    };
  },
  latch: ({ mode, pinned, newest, released, validatedPlanId }: LatchState): unknown => ({
    mode,
    pinned,
    newest: newest?.plan.id,
    released: released?.plan.id,
    validated: validatedPlanId,
  }),
};

function bundleShape({ plan, revision, problems }: Bundle) {
  return {
    revision,
    planId: plan.id,
    sections: plan.sections.size,
    backends: plan.backends.size,
    maps: Object.fromEntries([...valuesOf(plan.maps)].map((map) => [map.path, map.entries.size])),
    problemCount: problems.length,
  };
}
