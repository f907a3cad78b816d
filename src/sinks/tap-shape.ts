import type { GateReport } from '../gate/gate-stage.ts';
import type { LatchState, LatchVerdict } from '../gate/latch.ts';
import { quarantinedObjects, type QuarantineState } from '../gate/quarantine-state.ts';
import { valuesOf, type OrderedMap } from '../lib/ordered-map.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { RenderOutcome } from '../protocol/render-outcome.ts';

type ShownVerdict = LatchVerdict & { readonly warnings?: readonly unknown[]; readonly output?: string };

/** What taps show of pipeline values: plain data of bounded size, never a file's content. */
export const tapShape = {
  render: (outcome: RenderOutcome): unknown =>
    outcome.kind === 'rendered'
      ? {
          kind: outcome.kind,
          ...bundleShape(outcome.bundle),
          ...declaredShape(outcome.bundle),
          problems: outcome.bundle.problems.slice(0, 100),
        }
      : outcome,
  bundle: (bundle: Bundle): unknown => ({
    ...bundleShape(bundle),
    files: [...valuesOf(bundle.plan.files)]
      .map(({ path, kind, digest, size }) => ({ path, kind, digest, size }))
      .slice(0, 1000),
  }),
  verdict: ({ findings, warnings, output, ...verdict }: ShownVerdict): unknown => ({
    ...verdict,
    ...(findings === undefined ? {} : { findingCount: findings.length, findings: findings.slice(0, 100) }),
    ...(warnings === undefined ? {} : { warningCount: warnings.length, warnings: warnings.slice(0, 100) }),
    ...(output === undefined ? {} : { output: output.slice(0, 16 * 1024) }),
  }),
  trial: ({ about, bundle, verdict }: GateReport<ShownVerdict>): unknown => ({
    about,
    planId: bundle.plan.id,
    held: [...(bundle.provenance?.quarantine.keys() ?? [])].slice(0, 100),
    verdict: tapShape.verdict(verdict),
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
  latch: ({
    mode,
    pinned,
    newest,
    released,
    accepted,
    validatedPlanId,
    refusedPlanId,
  }: LatchState): unknown => ({
    mode,
    pinned,
    newest: newest?.plan.id,
    released: released?.plan.id,
    accepted: accepted?.plan.id,
    validated: validatedPlanId,
    refused: refusedPlanId,
  }),
};

/** Objects by their name alone: they may be Secrets. */
function declaredShape({ resources, statusPatches, events }: Bundle) {
  return {
    ...shown('resources', resources, ({ reference, owner }) => ({ reference, owner })),
    ...shown('statusPatches', statusPatches, ({ place: _place, ...patch }) => patch),
    ...shown('events', events, ({ place: _place, ...event }) => event),
  };
}

function shown<T>(name: string, map: OrderedMap<T> | undefined, describe: (value: T) => unknown) {
  if (map === undefined || map.size === 0) return {};
  return { [`${name}Count`]: map.size, [name]: [...valuesOf(map)].slice(0, 100).map(describe) };
}

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
