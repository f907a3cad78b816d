import type { KubeObject } from '../api/kube-object.ts';
import type { TemplateConfig } from '../api/template-config.ts';
import type { Collection, Fork, Graph, SourceCollection } from '../collections/types.ts';
import type { Problem } from '../lib/problem.ts';
import { runSlices } from '../lib/run-slices.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { HeldObjects, Quarantine } from '../protocol/provenance.ts';
import type { TemplateEnvironment } from '../templates/create-template-environment.ts';
import type { ProfileEntry } from '../templates/render-profile.ts';
import type { TemplateError } from '../templates/template-error.ts';
import type { HttpReads } from './http-reads.ts';
import type { OnDemandResource } from './on-demand-reads.ts';
import type { Preview } from './preview-outputs.ts';
import { rendererInSlices } from './renderer-in-slices.ts';

export interface RendererOptions {
  readonly graph: Graph;
  readonly config: TemplateConfig;
  /** One collection per entry of `watchedResources`, by its name; keys as `namespace/name`. */
  readonly resources: Readonly<Record<string, Collection<KubeObject>>>;
  /** Derived collections under the names that templates use: `hosts`, `backends`. */
  readonly collections: Readonly<Record<string, Collection<unknown>>>;
  /** What `http` reads in templates; absent: it is an error of the item. */
  readonly http?: HttpReads;
  /** Of which resources `resources` holds references only, by name in `watchedResources`. */
  readonly onDemand?: Readonly<Record<string, OnDemandResource>>;
  /** Templates that the program brings along, by name: see `Section.foreign`. Absent: there are none. */
  readonly shippedTemplates?: ReadonlyMap<string, string>;
  /** Besides `extraContext` and `dataplane` of the configuration: `capabilities`, … Plain data. */
  readonly constants?: Readonly<Record<string, unknown>>;
  /** HAProxy's pods, `controller.haproxyPods` in templates, by `namespace/name`. Absent: there are none. */
  readonly pods?: Collection<unknown>;
  /** Milliseconds, monotonic: counts and times what runs, see `Renderer.profile`. Absent: nothing is measured. */
  readonly profileClock?: () => number;
  /**
   * That of another renderer, whose configuration, constants and names of collections are the same and which measures nothing: items are
   * pure functions to it. Default: compiled anew.
   */
  readonly environment?: TemplateEnvironment;
  /** Compiles also what only items run, so that no item waits for it. Default: when it first runs. */
  readonly isPrepared?: boolean;
}

/** The render of one configuration generation: fragments in the graph, and the bundle that follows their deltas. */
export interface Renderer {
  /** `Provenance.generation` of all its renders. */
  readonly generation: object;
  /**
   * Where the fragments of each forEach stand: the beginning of their places, by a name that stays while a configuration is edited
   * around it. See `translateOutputs`.
   */
  readonly places: ReadonlyMap<string, string>;
  /** The compiled templates. */
  readonly environment: TemplateEnvironment;
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
  /**
   * What the render is for, as `renderMode` and `admissionSubject` show it. Written in what-ifs only: the fragments that read it are
   * printed anew, so `graph.fork([{ collection: renderer.context, key: 'renderMode', value: 'admission' }, …])`.
   */
  readonly context: SourceCollection<unknown>;
  /** What the templates of this configuration do that is hardly meant. */
  readonly warnings: readonly TemplateError[];
  /** What ran since the renderer was made, the most expensive first; empty without `profileClock`. */
  profile(): readonly ProfileEntry[];
  /** Names, map keys and files that two owners claim: the first in print order has them. Problems of fragments are in the graph. */
  readonly problems: readonly Problem[];
  /** Takes the fragments out of the graph. Nodes that were made after the renderer's go with them. */
  dispose(): void;
}

/** See {@link rendererInSlices}: all at once, for whoever has nothing else to do. */
export function createRenderer(options: RendererOptions): Renderer {
  return runSlices(rendererInSlices(options));
}
