import type { KubeObject } from '../api/kube-object.ts';
import type { TemplateConfig } from '../api/template-config.ts';
import type { Collection, Delta, Fork, Graph } from '../collections/types.ts';
import { CodedError } from '../lib/coded-error.ts';
import { digest } from '../lib/digest.ts';
import type { Problem } from '../lib/problem.ts';
import { ropeSize } from '../lib/rope.ts';
import { createPlan } from '../plan/create-plan.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { KeptOutputs } from '../protocol/kept-outputs.ts';
import type { Plan } from '../protocol/plan.ts';
import { noQuarantine, type HeldObjects, type Quarantine } from '../protocol/provenance.ts';
import {
  createTemplateEnvironment,
  type TemplateEnvironment,
  type WholeTemplate,
} from '../templates/create-template-environment.ts';
import type { Piece } from '../templates/fragment.ts';
import { renderFaultOf } from '../templates/render-fault.ts';
import type { Slot } from '../templates/run.ts';
import { templateInvalid } from '../templates/template-error.ts';
import { createBundleState, padded } from './bundle-state.ts';
import { bundlePaths } from './bundle-paths.ts';
import { documentsOf, type RenderDocument } from './documents-of.ts';
import { createHeldOutputs } from './held-outputs.ts';
import type { HttpReads } from './http-reads.ts';
import { ownerOfItem } from './owner-of.ts';
import { type PlacedOutputs, type Preview, previewOutputs } from './preview-outputs.ts';
import { outputOf } from './output-of.ts';
import type { Output } from '../protocol/output.ts';
import { restoreOutputs } from './restore-outputs.ts';
import { createTrackedReads } from './tracked-reads.ts';

export interface RendererOptions {
  readonly graph: Graph;
  readonly config: TemplateConfig;
  /** One collection per entry of `watchedResources`, by its name; keys as `namespace/name`. */
  readonly resources: Readonly<Record<string, Collection<KubeObject>>>;
  /** Derived collections under the names that templates use: `hosts`, `backends`. */
  readonly collections: Readonly<Record<string, Collection<unknown>>>;
  /** What `http` reads in templates; absent: it is an error of the item. */
  readonly http?: HttpReads;
  /** Besides `extraContext` and `dataplane` of the configuration: `capabilities`, … Plain data. */
  readonly constants?: Readonly<Record<string, unknown>>;
}

/** The render of one configuration generation: fragments in the graph, and the bundle that follows their deltas. */
export interface Renderer {
  /** Holds these objects at what they were, from the next bundle on; nobody, if they were held in renders of another renderer. */
  hold(held: HeldObjects): void;
  /** Takes in what finished turns of the graph changed; `shouldYield` is asked every few dozen changes. */
  absorb(shouldYield?: () => boolean): 'finished' | 'yielded';
  /**
   * The bundle as of the last finished turn. O(changed) but for one native pass over the bytes of each file that changed. The
   * same object until there is something new.
   */
  bundle(): Bundle;
  /**
   * What the render would be under a finished what-if of the graph, with other objects held. The renderer itself stays as it is.
   * Undefined while a turn is half taken in, or after `dispose`.
   */
  preview(fork: Pick<Fork, 'changes'>, heldInstead: (present: Quarantine) => Quarantine): Preview | undefined;
  /** Names, map keys and files that two owners claim: the first in print order has them. Problems of fragments are in the graph. */
  readonly problems: readonly Problem[];
  /** Takes the fragments out of the graph. Nodes that were made after the renderer's go with them. */
  dispose(): void;
}

interface PendingDeltas {
  readonly base: string;
  readonly deltas: readonly Delta<Output>[];
  next: number;
}

const batch = 64;

/**
 * Compiles the templates of `config`, runs what is outside of forEach bodies, once, and makes a node of `graph` for every
 * forEach. Errors of the templates are thrown: `HAPTIC_ERR_TEMPLATE_INVALID` with all that is wrong with them,
 * `HAPTIC_ERR_TEMPLATE_RENDER` if the text around the fragments fails. Errors of an item are problems of its owner; the last
 * accepted output of that item stays.
 */
export function createRenderer(options: RendererOptions): Renderer {
  const { graph, config, resources, collections } = options;
  const constants = {
    capabilities: {},
    ...options.constants,
    extraContext: config.templatingSettings.extraContext,
    dataplane: config.dataplane,
  };
  const environment = createTemplateEnvironment({
    templates: documentsOf(config).map(({ template, kind, source }) => ({
      name: template,
      document: kind,
      source,
    })),
    snippets: Object.fromEntries(
      Object.entries(config.templateSnippets).map(([name, { template }]) => [name, template]),
    ),
    vocabulary: {
      collections: Object.keys(collections),
      resources: Object.fromEntries(
        Object.entries(config.watchedResources).map(([name, { indexBy }]) => [
          name,
          { indexKeys: indexBy?.length ?? 2 },
        ]),
      ),
    },
    constants,
    certificatesFolder: bundlePaths(config.dataplane).certificates,
  });
  const documents = documentsOf(config);
  const taken = takenPaths(documents, environment);
  const state = createBundleState({
    maps: [
      ...documents.filter(({ kind }) => kind === 'map').map(({ path, ordered }) => ({ path, ordered })),
      ...[...environment.mapPaths.keys()]
        .filter((path) => documents.every((document) => document.path !== path))
        .map((path) => ({ path, ordered: false })),
    ],
    crtLists: [...environment.crtListPaths.keys()],
    files: documents.filter(({ kind }) => kind === 'file'),
  });
  const readsOf = createTrackedReads(graph, resources, config.watchedResources, options.http);
  const wholes = documents.map((document) => ({
    document,
    whole: environment.renderWhole(document.template),
  }));
  const generation = {};
  const configuration = digest(
    JSON.stringify([documents, config.templateSnippets, config.watchedResources, constants]),
  );
  const documentAt = new Map(documents.map((document, index) => [padded(index), document] as const));
  const held = createHeldOutputs({
    put: (place, output) => state.put(place, documentOf(place), output),
    drop: (place, output) => state.drop(place, documentOf(place), output),
  });
  let isDisposed = false;
  const mark = graph.mark();
  const pending: PendingDeltas[] = [];
  const slots: PlacedOutputs[] = [];
  const unsubscribe: (() => void)[] = [];
  let problemsChanged = true;
  let plan: Plan | undefined;
  let last: Bundle | undefined;
  let lastConflicts: readonly Problem[] | undefined;

  wholes.forEach(({ document, whole }, documentIndex) => {
    placeWhole(whole, document, padded(documentIndex));
  });
  watch(graph.problems, () => (problemsChanged = true));

  /** Pieces of a whole template and fragments of its slots stand at the piece's position, so all sort as they print. */
  function placeWhole(whole: WholeTemplate, document: RenderDocument, documentKey: string): void {
    const effects = outputOf({ ...whole, pieces: [] }, document, taken);
    state.put(`${documentKey}\u0000`, document, effects);
    whole.pieces.forEach((piece, position) => {
      const base = `${documentKey}\u0000${padded(position)}\u0000`;
      if (piece.kind !== 'slot') {
        const fragment = { pieces: [openEnded(piece, whole, position)], entries: [], files: [] };
        state.put(base, document, outputOf(fragment, document, taken));
        return;
      }
      const slot = whole.slots[piece.slot];
      if (slot === undefined) return;
      const outputs = outputsOf(slot, document, base);
      slots.push({ base, outputs });
      watch(outputs, (deltas) => pending.push({ base, deltas, next: 0 }));
    });
  }

  function outputsOf(slot: Slot, document: RenderDocument, base: string): Collection<Output> {
    const reads = readsOf(environment.lookupsOf(slot));
    return graph.mapEntries<unknown, Output>(
      `fragments ${base.replaceAll('\u0000', '.')} ${slot.place}`,
      collectionOf(slot),
      (item, key, reader) => {
        const owner = ownerOfItem(item, key, slot.collection);
        const bound = reads.bind(reader, (warning) =>
          reader.report({ severity: 'warning', ...warning, owner }),
        );
        try {
          return outputOf(environment.renderItem(slot, item, key, bound), document, taken, owner);
        } catch (error) {
          const fault = renderFaultOf(error);
          if (fault === undefined) throw error;
          const { reason, field, message, place } = fault;
          const problem: Problem = {
            severity: 'error',
            reason,
            field,
            message: `${message} (${place})`,
            owner,
          };
          throw Object.assign(
            new CodedError('HAPTIC_ERR_TEMPLATE_RENDER', problem.message, { cause: error }),
            { problem },
          );
        }
      },
      { reads: reads.nodes, ownerOf: (item, key) => ownerOfItem(item, key, slot.collection) },
    );
  }

  function collectionOf(slot: Slot): Collection<unknown> {
    const [head = '', name] = slot.collection.split('.');
    const collection = name === undefined ? collections[head] : resources[name];
    if (collection === undefined)
      throw new CodedError(
        'HAPTIC_ERR_RENDER_NO_COLLECTION',
        `${slot.place}: nothing provides ${slot.collection}`,
      );
    return collection;
  }

  /** Deltas are queued here, not worked on: whoever advances the graph decides when the bundle follows. */
  function watch<V>(collection: Collection<V>, next: (deltas: readonly Delta<V>[]) => void): void {
    const subscription = collection.deltas$.subscribe({
      next,
      error: (error: unknown) => {
        throw error;
      },
    });
    unsubscribe.push(() => subscription.unsubscribe());
  }

  function absorb(shouldYield?: () => boolean): 'finished' | 'yielded' {
    for (let work = pending[0]; work !== undefined; work = pending[0]) {
      const end = Math.min(work.next + batch, work.deltas.length);
      for (; work.next < end; work.next++) take(work, work.deltas[work.next]);
      state.flush();
      held.flush();
      if (work.next === work.deltas.length) pending.shift();
      if (shouldYield?.() !== true) continue;
      // A plan and the bytes of what is there so far take their share of hashing and encoding out of the final ones.
      const parts = state.parts();
      plan = createPlan(parts, plan);
      ropeSize(parts.sections);
      return 'yielded';
    }
    return 'finished';
  }

  function take({ base }: PendingDeltas, delta: Delta<Output> | undefined): void {
    if (delta !== undefined) held.take(`${base}${delta.key}\u0000`, delta.before, delta.after);
  }

  function isPlace(place: string): boolean {
    return documentAt.has(documentKeyOf(place));
  }

  function documentOf(place: string): RenderDocument {
    const document = documentAt.get(documentKeyOf(place));
    if (document === undefined) throw new Error('unreachable: places are made of documents');
    return document;
  }

  /** What is printed now, as a plan: the same object when nothing changed. */
  function planNow(): Plan {
    const parts = state.finish();
    if (plan === undefined || !sameParts(plan, parts)) plan = createPlan(parts, plan);
    return plan;
  }

  function bundleOf(ofPlan: Plan, problems: readonly Problem[]): Bundle {
    const outputs = held.outputs();
    const provenance = {
      generation,
      configuration,
      outputs,
      quarantine: held.quarantine,
      withheld: held.withheld(),
      candidate,
      restore: (kept: KeptOutputs) =>
        kept.configuration === configuration ? restoreOutputs(kept, outputs, isPlace) : undefined,
    };
    return { plan: ofPlan, revision: graph.revision, problems, provenance };
  }

  function candidate(quarantine: Quarantine): Bundle | undefined {
    if (pending.length > 0 || isDisposed) return undefined;
    const present = held.quarantine;
    held.hold(quarantine);
    const tried = bundleOf(planNow(), []);
    held.hold(present);
    return tried;
  }

  return {
    absorb,
    hold: (objects) => held.hold(objects.generation === generation ? objects.quarantine : noQuarantine),
    bundle: () => {
      absorb();
      const ofPlan = planNow();
      const conflicts = state.conflicts();
      const problems =
        last !== undefined && lastConflicts === conflicts && !problemsChanged
          ? last.problems
          : [...problemsOf(graph), ...conflicts];
      if (
        last?.plan === ofPlan &&
        last.problems === problems &&
        last.provenance?.outputs === held.outputs() &&
        last.provenance.quarantine === held.quarantine &&
        last.provenance.withheld === held.withheld()
      )
        return last;
      problemsChanged = false;
      lastConflicts = conflicts;
      last = bundleOf(ofPlan, problems);
      return last;
    },
    preview: (fork, heldInstead) =>
      pending.length > 0 || isDisposed
        ? undefined
        : previewOutputs(
            { slots, held, flush: () => state.flush(), planNow, conflicts: () => state.conflicts() },
            fork,
            heldInstead,
          ),
    get problems() {
      return state.conflicts();
    },
    dispose: () => {
      isDisposed = true;
      for (const stop of unsubscribe) stop();
      graph.release(mark);
    },
  };
}

/** A place begins with its document. */
function documentKeyOf(place: string): string {
  return place.slice(0, place.indexOf('\u0000'));
}

function problemsOf(graph: Graph): Problem[] {
  return graph.problems.keys().flatMap((key) => graph.problems.peek(key) ?? []);
}

function sameParts(plan: Plan, parts: Omit<Plan, 'id' | 'schemaVersion'>): boolean {
  return (
    plan.sections === parts.sections &&
    plan.backends === parts.backends &&
    plan.profiles === parts.profiles &&
    plan.maps === parts.maps &&
    plan.crtLists === parts.crtLists &&
    plan.files === parts.files
  );
}

/** The last text of the configuration ends its line; text before a slot may leave its line open. */
function openEnded(piece: Piece, whole: WholeTemplate, position: number): Piece {
  if (piece.kind !== 'text' || position !== whole.pieces.length - 1 || piece.text.endsWith('\n'))
    return piece;
  return { ...piece, text: `${piece.text}\n` };
}

/** Effects cannot write into ordered maps, nor over files that the configuration makes. */
function takenPaths(
  documents: readonly RenderDocument[],
  { mapPaths, crtListPaths }: Pick<TemplateEnvironment, 'mapPaths' | 'crtListPaths'>,
): ReadonlyMap<string, string> {
  const taken = new Map<string, string>();
  for (const { kind, path, ordered, template } of documents) {
    taken.set(`crt-list ${path}`, `${template} makes the file ${path}`);
    if (kind === 'map') taken.set(`file ${path}`, `${template} makes the file ${path}`);
    if (kind === 'map' && ordered)
      taken.set(
        `map ${path}`,
        `${template} makes the map ${path}, whose order counts: set ordered to false to add entries from elsewhere`,
      );
    if (kind === 'file')
      for (const what of ['file', 'map']) taken.set(`${what} ${path}`, `${template} makes the file ${path}`);
  }
  const written = [
    ...[...mapPaths].map(([path, place]) => [`map ${path}`, place] as const),
    ...[...crtListPaths].map(([path, place]) => [`crt-list ${path}`, place] as const),
  ];
  const clashes = written.flatMap(([what, place]) => {
    const message = taken.get(what);
    return message === undefined ? [] : [{ ...place, message }];
  });
  if (clashes.length > 0) throw templateInvalid(clashes);
  for (const path of mapPaths.keys())
    if (!taken.has(`file ${path}`)) taken.set(`file ${path}`, `mapEntry makes the map ${path}`);
  for (const path of crtListPaths.keys())
    for (const what of ['file', 'map'])
      if (!taken.has(`${what} ${path}`))
        taken.set(`${what} ${path}`, `crtListEntry makes the crt-list ${path}`);
  return taken;
}
