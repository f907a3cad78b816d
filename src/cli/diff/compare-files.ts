import { createTwoFilesPatch } from 'diff';
import { CodedError } from '../../lib/coded-error.ts';
import { getEntry, valuesOf } from '../../lib/ordered-map.ts';
import { redact } from '../../lib/redact.ts';
import type { FileKind, Plan, PlanFile } from '../../protocol/plan.ts';
import { hidePasswords } from '../../sinks/publish/hide-passwords.ts';

export interface FileChange {
  readonly path: string;
  readonly kind: FileKind;
  readonly change: 'added' | 'removed' | 'changed';
  /** Unified diff; absent where contents are not shown or not known. */
  readonly diff?: string;
  /** Why there is no diff. */
  readonly note?: string;
}

export interface CompareOptions {
  /** Lines around a change; undefined: no contents at all. */
  readonly context?: number;
}

/** Kinds of files that may hold keys, or say nothing to a reader. */
const hidden = new Set<FileKind>(['cert']);

/** What differs between the files of two plans, by path. */
export function compareFiles(from: Plan, to: Plan, { context }: CompareOptions): readonly FileChange[] {
  const paths = new Set([...valuesOf(from.files), ...valuesOf(to.files)].map(({ path }) => path));
  return [...paths].sort().flatMap((path) => {
    const [before, after] = [getEntry(from.files, path), getEntry(to.files, path)];
    const file = after ?? before;
    if (file === undefined || (before?.digest === after?.digest && before?.size === after?.size)) return [];
    const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
    const facts = { path, kind: file.kind, change } as const;
    if (context === undefined) return [facts];
    if (hidden.has(file.kind)) return [{ ...facts, note: 'contents of certificates are not shown' }];
    const [was, is] = [textOf(before), textOf(after)];
    if (was === undefined || is === undefined)
      return [{ ...facts, note: 'a pod does not tell the contents of this file' }];
    if (was === is)
      return [{ ...facts, note: 'only users, passwords or private keys differ, which are not shown' }];
    const names = [
      before === undefined ? '/dev/null' : `a/${path}`,
      after === undefined ? '/dev/null' : `b/${path}`,
    ];
    const patch = createTwoFilesPatch(names[0] ?? '', names[1] ?? '', was, is, undefined, undefined, {
      context,
    });
    // The first line is a ruler.
    return [{ ...facts, diff: patch.split('\n').slice(1).join('\n') }];
  });
}

function textOf(file: PlanFile | undefined): string | undefined {
  if (file === undefined) return '';
  try {
    const content = Buffer.concat(file.content());
    const shown = file.kind === 'config' ? hidePasswords(content) : content;
    return String(redact(shown.toString('utf8')));
  } catch (error) {
    if (error instanceof CodedError && error.code === 'HAPTIC_ERR_PLAN_CONTENT') return undefined;
    throw error;
  }
}
