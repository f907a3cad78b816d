import { type Observable, type OperatorFunction, distinctUntilChanged, map, of, pipe } from 'rxjs';
import type { KubeObject } from '../api/kube-object.ts';
import { configErrorText } from '../config/config-error.ts';
import type { ConfigLibrary } from '../config/config-library.ts';
import { resolveInSlices } from '../config/resolve-in-slices.ts';
import { contentDigest } from '../lib/content-digest.ts';
import { isRecord } from '../lib/is-record.ts';
import { runInSlices } from '../operators/run-in-slices.ts';
import { switchMapFair } from '../operators/switch-map-fair.ts';
import type { ConfigObjects } from '../streams/config-objects.ts';
import type { Candidate, ResolvedConfig, StageResult } from './load-report.ts';
import { worldSlices } from './world-slices.ts';

export interface ConfigCandidatesOptions {
  /** `namespace/name` that is looked for. */
  readonly wanted: string;
  /** Libraries that the program brings along. */
  readonly shipped?: readonly ConfigLibrary[];
}

export type ConfigState =
  | {
      readonly kind: 'present';
      readonly candidate: Candidate;
      /** As it was when it became a candidate. */
      readonly object: KubeObject;
    }
  /** There is none, and why: what was taken before stays. */
  | { readonly kind: 'missing'; readonly message: string };

/** Milliseconds for which newer states may supersede one of which a candidate is made. */
const maxStale = 1_000;

/**
 * What stands in the API as configurations that want to be taken. A change that is none for the configuration is no news: of its
 * status or labels, of a library that it does not refer to.
 *
 * Loss policy: the newest wins. A large one takes more than one turn of the event loop.
 */
export function configCandidates(
  options: ConfigCandidatesOptions,
): OperatorFunction<ConfigObjects, ConfigState> {
  return pipe(
    // Most changes are of this kind, and to see it costs nothing.
    distinctUntilChanged(hasSameContent),
    switchMapFair((objects) => configStateOf(objects, options), { maxStale }),
    distinctUntilChanged(isSame),
  );
}

function configStateOf(
  { isServed, config, libraries }: ConfigObjects,
  { wanted, shipped = [] }: ConfigCandidatesOptions,
): Observable<ConfigState> {
  if (!isServed)
    return of({
      kind: 'missing',
      message: 'the API serves no HAProxyTemplateConfig: install the CRDs by haptic apply-crds',
    });
  if (config === undefined)
    return of({ kind: 'missing', message: `there is no HAProxyTemplateConfig ${wanted}` });
  return candidateOf(config, libraries, shipped).pipe(
    map((candidate) => ({ kind: 'present', object: config, candidate })),
  );
}

/** A configuration with the libraries that are there. Emits once and completes: at once, unless it is a large one. */
export function candidateOf(
  { metadata, spec }: KubeObject,
  objects: readonly KubeObject[],
  shipped: readonly ConfigLibrary[],
): Observable<Candidate> {
  const { name, namespace = '', generation } = metadata;
  const libraries = objects.map(libraryOf);
  const content = [spec ?? null, usedBy(spec, libraries, ({ name: library }) => library)];
  return runInSlices(() => contentDigest(content), worldSlices).pipe(
    map((id) => ({
      id,
      name: `HAProxyTemplateConfig ${namespace}/${name}`,
      ...(generation === undefined ? {} : { generation }),
      resolve$: runInSlices(() => resolveInSlices({ name, spec, libraries, shipped }), worldSlices).pipe(
        map((resolution): StageResult<ResolvedConfig> => {
          if (!resolution.ok) return { ok: false, errors: resolution.errors.map(configErrorText) };
          const { config, sources } = resolution;
          return { ok: true, value: { config, sourceOfTemplate: sources.sourceOfTemplate } };
        }),
      ),
    })),
  );
}

function libraryOf({ metadata: { name }, spec }: KubeObject): ConfigLibrary {
  const revision = isRecord(spec) ? spec['revision'] : undefined;
  return { name, revision: typeof revision === 'string' ? revision : '', spec };
}

function usedBy<T>(spec: unknown, libraries: readonly T[], nameOf: (library: T) => string): readonly T[] {
  const refs = isRecord(spec) ? spec['libraryRefs'] : undefined;
  const names = new Set(
    Array.isArray(refs) ? refs.map((ref: unknown) => (isRecord(ref) ? ref['name'] : undefined)) : [],
  );
  return libraries.filter((library) => names.has(nameOf(library)));
}

/** By what the API says of it: an object of one uid and one generation has one `spec`. */
function hasSameContent(a: ConfigObjects, b: ConfigObjects): boolean {
  if (a.isServed !== b.isServed || a.config === undefined || b.config === undefined) return false;
  const [before, after] = [a, b].map(({ config, libraries }) => [
    config,
    ...usedBy(config?.['spec'], libraries, ({ metadata }) => metadata.name),
  ]);
  return (
    before?.length === after?.length &&
    before?.every((object, index) => isSameSpec(object, after?.[index])) === true
  );
}

function isSameSpec(a: KubeObject | undefined, b: KubeObject | undefined): boolean {
  const { uid, generation } = a?.metadata ?? {};
  return (
    uid !== undefined &&
    generation !== undefined &&
    uid === b?.metadata.uid &&
    generation === b.metadata.generation
  );
}

function isSame(a: ConfigState, b: ConfigState): boolean {
  if (a.kind === 'missing' || b.kind === 'missing')
    return a.kind === 'missing' && b.kind === 'missing' && a.message === b.message;
  return (
    a.candidate.id === b.candidate.id &&
    a.object.metadata.uid === b.object.metadata.uid &&
    a.object.metadata.generation === b.object.metadata.generation
  );
}
