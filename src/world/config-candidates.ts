import { type OperatorFunction, distinctUntilChanged, map, pipe } from 'rxjs';
import type { KubeObject } from '../api/kube-object.ts';
import { configErrorText } from '../config/config-error.ts';
import type { ConfigLibrary } from '../config/config-library.ts';
import { resolveConfig } from '../config/resolve-config.ts';
import { digest } from '../lib/digest.ts';
import { isRecord } from '../lib/is-record.ts';
import type { ConfigObjects } from '../streams/config-objects.ts';
import { stableJson } from '../templates/stable-json.ts';
import type { Candidate } from './load-report.ts';

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

/**
 * What stands in the API as configurations that want to be taken. A change that is none for the configuration is no news: of its
 * status or labels, of a library that it does not refer to.
 */
export function configCandidates(
  options: ConfigCandidatesOptions,
): OperatorFunction<ConfigObjects, ConfigState> {
  return pipe(
    map((objects) => configStateOf(objects, options)),
    distinctUntilChanged(isSame),
  );
}

/** One state of the API as a configuration that wants to be taken. */
export function configStateOf(
  { isServed, config, libraries }: ConfigObjects,
  { wanted, shipped = [] }: ConfigCandidatesOptions,
): ConfigState {
  if (!isServed)
    return {
      kind: 'missing',
      message: 'the API serves no HAProxyTemplateConfig: install the CRDs by haptic apply-crds',
    };
  if (config === undefined)
    return { kind: 'missing', message: `there is no HAProxyTemplateConfig ${wanted}` };
  return { kind: 'present', object: config, candidate: candidateOf(config, libraries, shipped) };
}

/** A configuration with the libraries that are there. */
export function candidateOf(
  { metadata, spec }: KubeObject,
  objects: readonly KubeObject[],
  shipped: readonly ConfigLibrary[],
): Candidate {
  const { name, namespace = '', generation } = metadata;
  const libraries = objects.map(libraryOf);
  return {
    id: digest(stableJson([spec ?? null, usedBy(spec, libraries)])),
    name: `HAProxyTemplateConfig ${namespace}/${name}`,
    ...(generation === undefined ? {} : { generation }),
    resolve: () => {
      const resolution = resolveConfig({ name, spec, libraries, shipped });
      if (!resolution.ok) return { ok: false, errors: resolution.errors.map(configErrorText) };
      const { config, sources } = resolution;
      return { ok: true, value: { config, sourceOfTemplate: sources.sourceOfTemplate } };
    },
  };
}

function libraryOf({ metadata: { name }, spec }: KubeObject): ConfigLibrary {
  const revision = isRecord(spec) ? spec['revision'] : undefined;
  return { name, revision: typeof revision === 'string' ? revision : '', spec };
}

function usedBy(spec: unknown, libraries: readonly ConfigLibrary[]): readonly ConfigLibrary[] {
  const refs = isRecord(spec) ? spec['libraryRefs'] : undefined;
  const names = new Set(
    Array.isArray(refs) ? refs.map((ref: unknown) => (isRecord(ref) ? ref['name'] : undefined)) : [],
  );
  return libraries.filter(({ name }) => names.has(name));
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
