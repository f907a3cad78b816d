import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { concatMap, defer, finalize, type Observable, tap } from 'rxjs';
import { entriesOf, getEntry, valuesOf } from '../lib/ordered-map.ts';
import { errorCode } from '../lib/error-code.ts';
import { runWithTurns } from '../lib/run-with-turns.ts';
import type { Slices } from '../lib/slices.ts';
import { abortable } from '../operators/abortable.ts';
import type { Plan, PlanFile } from '../protocol/plan.ts';
import { plainOrigin } from './guard/plain-origin.ts';
import { withoutLoading } from './guard/without-loading.ts';

/** Runs `use` on a folder that holds the files of a plan, and takes the folder away afterwards. */
export type WithCheckRoot = <T>(plan: Plan, use: (root: string) => Observable<T>) => Observable<T>;

export interface CheckRootOptions {
  /**
   * One folder stays after a use that came to its end, for the next one to write only what is other than before. Called once, with what takes it
   * away at the end of the process, synchronously. Absent: none stays.
   */
  readonly keep?: (remove: () => void) => void;
}

/** A folder, and what is in it: digests by path. */
interface CheckRoot {
  readonly path: string;
  readonly files: Map<string, string>;
}

/**
 * Check roots under `tmpDir`: private (0700, files 0600) and removed on completion, error and unsubscription; but for one that is kept, if that is wanted,
 * until its next use.
 * `default-path origin` of the configuration is pointed to the root, so that relative paths lead to the plan's own files, and what would
 * load code or write files is left out; line numbers stay. Errors with what the file system says.
 */
export function checkRootsIn(tmpDir: string, { keep }: CheckRootOptions = {}): WithCheckRoot {
  let isSwept = false;
  let kept: CheckRoot | undefined;
  keep?.(() => {
    if (kept !== undefined) rmSync(kept.path, { recursive: true, force: true });
    kept = undefined;
  });
  return (plan, use) =>
    defer(() => {
      if (!isSwept) sweep(tmpDir);
      isSwept = true;
      const root = kept ?? {
        path: mkdtempSync(path.join(tmpDir, `${prefix}${process.pid}-`)),
        files: new Map(),
      };
      kept = undefined;
      let written: Promise<unknown> = Promise.resolve();
      let isDone = false;
      const write = (signal: AbortSignal): Promise<void> => {
        const writing = writeFiles(plan, root, signal);
        written = writing.catch(() => undefined);
        return writing;
      };
      const leave = (): void => {
        if (isDone && keep !== undefined && kept === undefined) kept = root;
        // A write under way would bring the folder back: it ends first.
        else void written.then(() => rm(root.path, { recursive: true, force: true, maxRetries: 3 }));
      };
      return abortable(write).pipe(
        concatMap(() => use(root.path)),
        tap({ complete: () => (isDone = true) }),
        finalize(leave),
      );
    });
}

const prefix = 'haptic-check-';

/** Removes what processes left behind that were killed amid a check. Pids are used again: in a container it is always the same. */
function sweep(tmpDir: string): void {
  const started = performance.timeOrigin + performance.now() - process.uptime() * 1000;
  for (const name of readdirSync(tmpDir)) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : NaN;
    if (!Number.isInteger(pid)) continue;
    const root = path.join(tmpDir, name);
    const isLeft = pid === process.pid ? changedAt(root) < started : !isAlive(pid);
    // Nobody waits for it, and there may be thousands of files.
    if (isLeft) void rm(root, { recursive: true, force: true }).catch(() => undefined);
  }
}

function changedAt(root: string): number {
  return statSync(root, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Files on their way to the disk: each takes several turns over other threads. */
const parallelWrites = 4;

/** Brings a root to the files of a plan. What it holds is not known before all of that has ended: after a failure it is of no further use. */
async function writeFiles(plan: Plan, { path: root, files }: CheckRoot, signal: AbortSignal): Promise<void> {
  for (const name of [...files.keys()]) {
    if (getEntry(plan.files, name) !== undefined) continue;
    files.delete(name);
    await rm(path.join(root, name), { force: true });
  }
  const folders = new Set<string>();
  const write = async (file: PlanFile): Promise<void> => {
    const target = path.join(root, file.path);
    const folder = path.dirname(target);
    if (!folders.has(folder)) await mkdir(folder, { recursive: true, mode: 0o700 });
    folders.add(folder);
    const bytes =
      file.kind === 'config'
        ? await runWithTurns(configBytes(plan, file, root), signal)
        : Buffer.concat(file.content());
    await writeFile(target, bytes, { mode: 0o600, signal });
    files.set(file.path, file.digest);
  };
  const changed = [...valuesOf(plan.files)].filter((file) => files.get(file.path) !== file.digest).values();
  const work = async (): Promise<void> => {
    for (const file of changed) await write(file);
  };
  const working = Array.from({ length: parallelWrites }, work);
  await Promise.allSettled(working);
  await Promise.all(working);
}

/** Sections between two pauses. */
const slice = 256;
const eachOrigin = new RegExp(plainOrigin, 'gm');

function* configBytes(plan: Plan, file: PlanFile, root: string): Slices<string | Buffer> {
  const { edits } = yield* withoutLoading(plan.sections);
  let isOther = edits.size > 0;
  const texts: string[] = [];
  for (const [key, section] of entriesOf(plan.sections)) {
    const { text } = edits.get(key) ?? section;
    const moved = text.includes('default-path')
      ? text.replace(eachOrigin, (_line, start: string) => start + root)
      : text;
    isOther ||= moved !== text;
    texts.push(moved);
    if (texts.length % slice === 0) yield;
  }
  return isOther ? texts.join('') : Buffer.concat(file.content());
}
