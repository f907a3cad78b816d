import { diffOrderedMaps } from '../lib/ordered-map.ts';
import type { Plan } from '../protocol/plan.ts';

export interface FileChanges {
  readonly isEmpty: boolean;
  /** Paths of files, maps and crt-lists that changed: what names them may be affected. */
  readonly paths: ReadonlySet<string>;
  /** Why a part of the plan would not do; undefined when it may. */
  readonly goneReason: string | undefined;
}

/** What differs between the files of two plans, the configuration itself left out. O(what differs). */
export function changedFiles(before: Plan, after: Plan): FileChanges {
  const paths = new Set<string>();
  let goneReason: string | undefined;
  for (const { key, before: was, after: is } of diffOrderedMaps(before.files, after.files)) {
    if (was?.kind === 'config' || is?.kind === 'config' || was?.digest === is?.digest) continue;
    paths.add(key);
    if (is === undefined) goneReason = `the file ${key} is gone`;
  }
  return { isEmpty: paths.size === 0, paths, goneReason };
}
