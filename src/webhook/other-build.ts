import type { KubeObject } from '../api/kube-object.ts';
import { isRecord } from '../lib/is-record.ts';

/** A library as a configuration refers to it. */
export interface LibraryRevision {
  readonly name: string;
  readonly revision: string;
}

/**
 * How an object of the chart comes with another build than the one that is asked about it, as the beginning of a sentence; undefined where it does not, or is
 * none of the chart's. Builds of one version are told by the revisions of their libraries, which the chart makes of the contents.
 *
 * @param atWork revisions that the configuration at work names
 */
export function otherBuild(
  { metadata: { name, labels }, kind, spec }: KubeObject,
  version: string,
  atWork: readonly LibraryRevision[],
): string | undefined {
  if (labels?.['app.kubernetes.io/part-of'] !== 'haptic') return undefined;
  const other = labels['app.kubernetes.io/version'];
  if (other !== undefined && other !== version)
    return `comes with version ${other}, and version ${version} that is asked`;
  const revisions = new Map(atWork.map((library) => [library.name, library.revision]));
  const come = kind === 'HAProxyTemplateLibrary' ? [revisionOf(name, spec)] : revisionsIn(spec);
  const changed = come.find((library) => {
    const known = revisions.get(library.name);
    return known !== undefined && library.revision !== undefined && library.revision !== known;
  });
  return changed === undefined
    ? undefined
    : `comes with revision ${changed.revision ?? ''} of the library ${changed.name}, and version ${version} that is asked, with revision ` +
        `${revisions.get(changed.name) ?? ''} at work,`;
}

type Given = { readonly name: string; readonly revision: string | undefined };

function revisionsIn(spec: unknown): readonly Given[] {
  const refs = isRecord(spec) ? spec['libraryRefs'] : undefined;
  if (!Array.isArray(refs)) return [];
  return refs.flatMap((ref: unknown) => {
    const name = isRecord(ref) ? ref['name'] : undefined;
    return typeof name === 'string' ? [revisionOf(name, ref)] : [];
  });
}

function revisionOf(name: string, of: unknown): Given {
  const revision = isRecord(of) ? of['revision'] : undefined;
  return { name, revision: typeof revision === 'string' ? revision : undefined };
}
