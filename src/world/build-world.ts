import type { KubeObject } from '../api/kube-object.ts';
import type { TemplateConfig } from '../api/template-config.ts';
import type { Collection, Graph, SourceCollection } from '../collections/types.ts';
import { runSlices } from '../lib/run-slices.ts';
import type { FirstReads } from '../render/await-reads.ts';
import type { Renderer, RendererOptions } from '../render/create-renderer.ts';
import type { HttpMember } from '../streams/http-member.ts';
import type { Facts } from './build-facts.ts';
import type { LiveStore } from './live-store.ts';
import { worldInSlices } from './world-in-slices.ts';

/** One configuration at work: its stores, the collections derived from them, and the renderer on top. */
export interface World {
  readonly config: TemplateConfig;
  /** All of it: its turns take in what changed in the stores, and a what-if of it takes edits of them. */
  readonly graph: Graph;
  /** The stores, by name in `watchedResources`. */
  readonly stores: ReadonlyMap<string, SourceCollection<KubeObject>>;
  readonly renderer: Renderer;
  /** Objects that the first render waits for. */
  readonly firstReads: FirstReads;
  /** What its facts wait for. */
  readonly waits: Facts['waits'];
  /** The Secrets that are held. Asked between turns. */
  readonly secrets: () => Iterable<KubeObject>;
  /** Lets go of stores and facts, which may be those of other configurations too. */
  readonly dispose: () => void;
}

/** Stores and facts that outlive a configuration. */
export interface WorldGround {
  readonly stores: ReadonlyMap<string, LiveStore>;
  readonly facts: Facts;
}

export interface WorldOptions {
  readonly config: TemplateConfig;
  /** What templates may know besides `extraContext`: `capabilities`. */
  readonly constants: Readonly<Record<string, unknown>>;
  /** Default: stores and facts of its own, empty. */
  readonly ground?: WorldGround;
  /** Absent: `http` in templates is an error of the item. */
  readonly http?: WorldHttp;
  /** HAProxy's pods as templates see them, and the graph that they are of. Absent: there are none. */
  readonly pods?: { readonly graph: Graph; readonly collection: Collection<unknown> };
  /** See {@link RendererOptions.shippedTemplates}. */
  readonly shippedTemplates?: ReadonlyMap<string, string>;
  /** See {@link RendererOptions.profileClock}. */
  readonly profileClock?: () => number;
  /** See {@link RendererOptions.isPrepared}. */
  readonly isPrepared?: boolean;
}

/** What `http` reads in templates, and the graph that its contents are of. Fixtures need no more than that. */
export interface WorldHttp extends Partial<Pick<HttpMember, 'attach' | 'leave'>> {
  readonly graph: Graph;
  readonly reads: NonNullable<RendererOptions['http']>;
}

/** See {@link worldInSlices}: all at once, for whoever has nothing else to do. */
export function buildWorld(options: WorldOptions): World {
  return runSlices(worldInSlices(options));
}
