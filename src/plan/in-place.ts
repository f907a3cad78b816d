import { digest } from '../lib/digest.ts';
import { diffOrderedMaps, editOrderedMap, getEntry } from '../lib/ordered-map.ts';
import type { Slices } from '../lib/slices.ts';
import { limits } from '../protocol/limits.ts';
import type { Operation } from '../protocol/operation.ts';
import { planSchemaVersion, type Backend, type Plan, type PlanFile, type PlanMap } from '../protocol/plan.ts';
import { diffCertificateFile } from './diff-certificates.ts';
import type { DiffContext } from './diff-context.ts';
import { createDraft, type Draft } from './draft.ts';
import { createFileNeeds } from './file-needs.ts';
import { serversInPlace } from './in-place-servers.ts';
import { emitMapOperations } from './emit-map-operations.ts';
import { mapOperations } from './map-operations.ts';
import { sameBackend } from './same-record.ts';

/** What is safe on a worker that a reload will replace soon, and what the worker is afterwards. */
export interface InPlaceChanges {
  /** At most one batch. */
  readonly operations: readonly Operation[];
  readonly workerPlan: Plan;
}

export interface InPlaceInput extends Omit<DiffContext, 'draft' | 'needs'> {
  /** The configuration around backends changed too: what maps hold may mean something else by then. */
  readonly isStructural: boolean;
}

/** Backends between two pauses. */
const batch = 64;

/** What a unit of work did to the worker's plan; a unit is taken as a whole or not at all. */
interface Unit {
  readonly draft: Draft;
  readonly backend?: Backend;
  readonly maps?: readonly PlanMap[];
  readonly files?: readonly PlanFile[];
}

/**
 * The part of the way from the worker to `next` that can be gone at once, while the rest waits for a reload: servers of backends that the
 * worker has, new contents of its certificates, and maps if all of them can follow. A removed server is put into maintenance and
 * nothing more, since its name is needed until the reload. The result's plan shares all that did not change with the
 * worker's; time is proportional to what differs.
 */
export function* inPlaceChanges(input: InPlaceInput): Slices<InPlaceChanges | undefined> {
  const { worker, next, capabilities } = input;
  const draft = createDraft();
  const taken: Unit[] = [];
  let count = 0;
  for (const unit of unitsOf(input)) {
    if (unit === undefined) {
      yield;
      continue;
    }
    const operations = unit.draft.operations();
    if (operations.length === 0 || count + operations.length > limits.operationsPerBatch) continue;
    if (!operations.every(({ kind }) => capabilities.operations.has(kind))) continue;
    count += operations.length;
    draft.take(unit.draft);
    taken.push(unit);
  }
  const operations = draft.operations();
  if (operations.length === 0) return undefined;
  return { operations, workerPlan: afterwards(worker, next, operations, taken) };
}

/** Undefined: nothing yet, for a pause. */
function* unitsOf(input: InPlaceInput): Generator<Unit | undefined> {
  const { worker, next, loaded } = input;
  const contextOf = (draft: Draft): DiffContext => ({
    ...input,
    draft,
    needs: createFileNeeds(next, loaded, false, input.capabilities.version),
  });
  let addsBackend = false;
  let looked = 0;
  for (const { before, after } of diffOrderedMaps(worker.backends, next.backends)) {
    if (before === undefined) addsBackend = true;
    // Plans of two configurations share nothing, though most of it is equal.
    else if (after !== undefined && !sameBackend(before, after)) {
      const draft = createDraft();
      yield { draft, backend: serversInPlace(contextOf(draft), before, after) };
    }
    if (++looked % batch === 0) yield undefined;
  }
  for (const { before, after } of diffOrderedMaps(worker.files, next.files)) {
    if (before?.kind !== 'cert' || after?.kind !== 'cert' || before.digest === after.digest) continue;
    const draft = createDraft();
    diffCertificateFile(contextOf(draft), before, after);
    const inSubset = draft.operations().every(({ kind }) => kind === 'cert_set');
    if (draft.reasonCount() === 0 && inSubset) yield { draft, files: [after] };
  }
  if (!input.isStructural) yield yield* mapsInPlace(input, addsBackend);
}

/**
 * All maps or none, since they are read together: not when one of them needs more than a value or a deletion, nor when a value might name
 * a backend that comes with the reload.
 */
function* mapsInPlace({ worker, next, loaded }: InPlaceInput, addsBackend: boolean): Slices<Unit> {
  const nothing = { draft: createDraft() };
  const draft = createDraft();
  const maps: PlanMap[] = [];
  const files: PlanFile[] = [];
  for (const { key: path, before, after } of diffOrderedMaps(worker.maps, next.maps)) {
    const file = getEntry(next.files, path);
    if (getEntry(worker.files, path)?.digest === file?.digest) continue;
    if (!loaded.has('map', path) && loaded.otherName('map', path) === undefined) continue;
    if (before === undefined || after === undefined || file === undefined || !loaded.has('map', path))
      return nothing;
    const operations = yield* mapOperations(before, after);
    const { upserts, replace, obstacle } = operations;
    if (obstacle !== undefined || replace.length > 0 || upserts.some(({ kind }) => kind === 'map_add'))
      return nothing;
    if (addsBackend && upserts.length > 0) return nothing;
    emitMapOperations(draft, operations, { before, after }, { worker, next });
    maps.push(after);
    files.push(file);
  }
  return { draft, maps, files };
}

function afterwards(
  worker: Plan,
  next: Plan,
  operations: readonly Operation[],
  units: readonly Unit[],
): Plan {
  const backends = units.flatMap(({ backend }) => (backend === undefined ? [] : [backend]));
  const maps = units.flatMap((unit) => unit.maps ?? []);
  const files = units.flatMap((unit) => unit.files ?? []);
  return {
    ...worker,
    id: digest(`worker/${planSchemaVersion} ${worker.id} ${next.id} ${JSON.stringify(operations)}`),
    backends: editOrderedMap(
      worker.backends,
      backends.map((backend) => [backend.name, backend] as const),
    ),
    maps: editOrderedMap(
      worker.maps,
      maps.map((map) => [map.path, map] as const),
    ),
    files: editOrderedMap(
      worker.files,
      files.map((file) => [file.path, file] as const),
    ),
  };
}
