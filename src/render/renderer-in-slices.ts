import { pendingEntry } from '../collections/pending-entry.ts';
import type { Collection, Delta, Graph } from '../collections/types.ts';
import { CodedError } from '../lib/coded-error.ts';
import { digest } from '../lib/digest.ts';
import type { Problem } from '../lib/problem.ts';
import { ropeSize } from '../lib/rope.ts';
import type { Slices } from '../lib/slices.ts';
import { createPlan } from '../plan/create-plan.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { KeptOutputs } from '../protocol/kept-outputs.ts';
import type { Plan } from '../protocol/plan.ts';
import { noQuarantine, type Quarantine } from '../protocol/provenance.ts';
import type { WholeTemplate } from '../templates/create-template-environment.ts';
import type { Piece } from '../templates/fragment.ts';
import { renderFaultOf } from '../templates/render-fault.ts';
import { createRenderProfile } from '../templates/render-profile.ts';
import type { Slot } from '../templates/run.ts';
import { ownFragment } from '../templates/structure-helpers.ts';
import type { LookupUse } from '../templates/vocabulary.ts';
import { createBundleState, padded } from './bundle-state.ts';
import { bundleOptionsOf } from './bundle-options-of.ts';
import { compileTemplates, constantsOf } from './compile-templates.ts';
import type { Renderer, RendererOptions } from './create-renderer.ts';
import { documentsOf, type RenderDocument } from './documents-of.ts';
import { collectedCollection, type Collector } from './collected-collections.ts';
import { createHeldOutputs } from './held-outputs.ts';
import { ownerOfItem, templateOwner } from './owner-of.ts';
import { type PlacedOutputs, previewOutputs } from './preview-outputs.ts';
import { orderSlots } from './order-slots.ts';
import { outputOf } from './output-of.ts';
import { requireWholeDocuments } from './require-whole-documents.ts';
import { withPostProcess, type RenderedDocument } from './rendered-document.ts';
import { takenPaths } from './taken-paths.ts';
import type { Output } from '../protocol/output.ts';
import { restoreOutputs } from './restore-outputs.ts';
import { createTrackedReads } from './tracked-reads.ts';

interface PendingDeltas {
  readonly base: string;
  readonly deltas: readonly Delta<Output>[];
  next: number;
}

interface PlacedSlot {
  readonly slot: Slot;
  readonly uses: readonly LookupUse[];
  readonly document: RenderedDocument;
  readonly base: string;
}

const batch = 64;
const podsName = 'controller.haproxyPods';

/**
 * Compiles the templates of `config`, runs what is outside of forEach bodies, once, and makes a node of `graph` for every
 * forEach. Errors of the templates are thrown: `HAPTIC_ERR_TEMPLATE_INVALID` with all that is wrong with them,
 * `HAPTIC_ERR_TEMPLATE_RENDER` if the text around the fragments fails. Errors of an item are problems of its owner; the last
 * accepted output of that item stays.
 */
export function* rendererInSlices(options: RendererOptions): Slices<Renderer> {
  const { graph, config, resources, profileClock } = options;
  const profile = profileClock === undefined ? undefined : createRenderProfile(profileClock);
  const mark = graph.mark();
  const pods = options.pods ?? graph.source<unknown>(podsName);
  const context = graph.source<unknown>('render context');
  const constants = constantsOf(config, options.constants);
  const environment =
    options.environment ??
    (yield* compileTemplates(config, [...Object.keys(options.collections), podsName], constants, {
      profile,
      shipped: options.shippedTemplates,
    }));
  if (options.isPrepared === true) yield* environment.prepare();
  const documents = documentsOf(config).map(withPostProcess);
  const taken = takenPaths(documents, environment);
  const state = createBundleState(bundleOptionsOf(documents, environment));
  const collected = new Map<string, Collection<unknown>>();
  const collectors = new Map<string, Collector[]>();
  const others = { collection: namedCollection, context };
  const readsOf = createTrackedReads(
    graph,
    resources,
    config.watchedResources,
    others,
    options.http,
    options.onDemand,
  );
  const wholes: { readonly document: RenderedDocument; readonly whole: WholeTemplate }[] = [];
  for (const document of documents) {
    wholes.push({ document, whole: environment.renderWhole(document.template) });
    yield;
  }
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
  const pending: PendingDeltas[] = [];
  const slots: PlacedOutputs[] = [];
  const places = new Map<string, string>();
  const unsubscribe: (() => void)[] = [];
  let problemsChanged = true;
  let plan: Plan | undefined;
  let last: Bundle | undefined;
  let lastConflicts: readonly Problem[] | undefined;

  const placed: PlacedSlot[] = [];
  for (const [index, { document, whole }] of wholes.entries()) {
    placed.push(...placeWhole(whole, document, padded(index)));
    yield;
  }
  const fragments = new Map<PlacedSlot, Collection<Output>>();
  for (const one of orderSlots(placed)) {
    fragments.set(one, outputsOf(one));
    yield;
  }
  for (const { slot, base, document } of placed) notePlace(slot, document, base);
  for (const [{ base }, outputs] of fragments) slots.push({ base, outputs });
  for (const one of placed) {
    const { base } = one;
    const outputs = fragments.get(one);
    if (outputs !== undefined) watch(outputs, (deltas) => pending.push({ base, deltas, next: 0 }));
  }
  watch(graph.problems, () => (problemsChanged = true));

  /** Pieces of a whole template and fragments of its slots stand at the piece's position, so all sort as they print. */
  function placeWhole(
    whole: WholeTemplate,
    document: RenderedDocument,
    documentKey: string,
  ): readonly PlacedSlot[] {
    const { foreign } = whole;
    const effects = outputOf({ ...whole, pieces: [] }, document, taken);
    state.put(`${documentKey}\u0000`, document, effects);
    if (document.kind === 'resource') requireWholeDocuments(whole);
    return whole.pieces.flatMap((piece, position): PlacedSlot[] => {
      const base = `${documentKey}\u0000${padded(position)}\u0000`;
      if (piece.kind !== 'slot') {
        const pieces = [openEnded(piece, whole, position)];
        const fragment = { pieces, entries: [], files: [], ...(foreign && { foreign }) };
        state.put(base, document, outputOf(fragment, document, taken));
        return [];
      }
      const slot = whole.slots[piece.slot];
      return slot === undefined ? [] : [{ slot, uses: environment.lookupsOf(slot), document, base }];
    });
  }

  /** The n-th forEach over a collection that one template writes into one document. */
  function notePlace({ collection, place }: Slot, { template }: RenderDocument, base: string): void {
    const words = [template, place.replace(/:\d+:\d+$/, ''), collection];
    for (let nth = 0; ; nth++) {
      const name = [...words, nth].join(' ');
      if (places.has(name)) continue;
      places.set(name, base);
      return;
    }
  }

  function outputsOf({ slot, uses, document, base }: PlacedSlot): Collection<Output> {
    const reads = readsOf(uses, slot.collection);
    const outputs = graph.mapEntries<unknown, Output>(
      `fragments ${base.replaceAll('\u0000', '.')} ${slot.place}`,
      slot.collection === ownFragment ? singleEntry(slot, base) : collectionOf(slot),
      (item, key, reader) => {
        const owner = ownerOfItem(item, key, slot.collection);
        const bound = reads.bind(reader, (warning) =>
          reader.report({ severity: 'warning', ...warning, owner }),
        );
        try {
          const whole = bound.item(slot.collection, item);
          if (whole === undefined) return undefined;
          const output = outputOf(environment.renderItem(slot, whole, key, bound), document, taken, owner);
          bound.done();
          return output;
        } catch (error) {
          if (bound.isPending()) throw pendingEntry(`what ${slot.place} reads`);
          const fault = renderFaultOf(error);
          bound.failed(fault?.reason);
          if (fault === undefined) throw error;
          const { reason, field, message, place } = fault;
          const problem: Problem = {
            severity: 'error',
            reason,
            field,
            message: `${bound.hide(message)} (${place})`,
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
    for (const { helper, resource } of uses)
      if (helper === 'collect')
        collectors.set(resource, [...(collectors.get(resource) ?? []), { base, outputs }]);
    return outputs;
  }

  /** Slots are made in an order in which all that fill a collection are there when it is asked for. */
  function namedCollection(name: string): Collection<unknown> | undefined {
    const [head, own] = name.split('.');
    if (name === podsName) return pods;
    // Which there are is known by their names: what nobody reads is never asked for.
    if (head !== 'collected' || own === undefined) return options.collections[name];
    const made = collected.get(name) ?? collectedCollection(graph, own, inPrintOrder(collectors.get(own)));
    collected.set(name, made);
    return made;
  }

  /** The template itself is the owner of such a fragment. */
  function singleEntry({ template, place }: Slot, base: string): Collection<unknown> {
    const entry = graph.source<unknown>(`entry ${base.replaceAll('\u0000', '.')} ${place}`);
    entry.set(template, { owner: templateOwner(template) });
    return entry;
  }

  function collectionOf(slot: Slot): Collection<unknown> {
    const [head, name] = slot.collection.split('.');
    const collection =
      head === 'resources' && name !== undefined ? resources[name] : namedCollection(slot.collection);
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
    return shouldYield === undefined || isEncoded(shouldYield) ? 'finished' : 'yielded';
  }

  /** Makes the bytes of which the bundle is to be, and asks in between. */
  function isEncoded(shouldYield: () => boolean): boolean {
    const slices = state.encode();
    while (slices.next().done !== true) if (shouldYield()) return false;
    return true;
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
      withheldPatches: held.withheldPatches(),
      candidate,
      restore: (kept: KeptOutputs) =>
        kept.configuration === configuration ? restoreOutputs(kept, outputs, isPlace) : undefined,
    };
    return { plan: ofPlan, revision: graph.revision, problems, provenance, ...state.declared() };
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
    generation,
    places,
    environment,
    context,
    warnings: environment.warnings,
    profile: () => profile?.entries() ?? [],
    absorb,
    hold: (objects) => held.hold(objects.generation === generation ? objects.quarantine : noQuarantine),
    bundle: () => {
      absorb();
      const ofPlan = planNow();
      const conflicts = state.conflicts();
      const declared = state.declared();
      const problems =
        last !== undefined && lastConflicts === conflicts && !problemsChanged
          ? last.problems
          : [...problemsOf(graph), ...conflicts];
      if (
        last?.plan === ofPlan &&
        last.problems === problems &&
        last.resources === declared.resources &&
        last.statusPatches === declared.statusPatches &&
        last.events === declared.events &&
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

function inPrintOrder(collectors: readonly Collector[] = []): readonly Collector[] {
  return [...collectors].sort((a, b) => (a.base < b.base ? -1 : 1));
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
