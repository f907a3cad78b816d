import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { concatMap, defer, finalize, type Observable } from 'rxjs';
import { entriesOf, valuesOf } from '../lib/ordered-map.ts';
import { errorCode } from '../lib/error-code.ts';
import { runWithTurns } from '../lib/run-with-turns.ts';
import type { Slices } from '../lib/slices.ts';
import { abortable } from '../operators/abortable.ts';
import type { Plan, PlanFile } from '../protocol/plan.ts';
import { plainOrigin } from './guard/plain-origin.ts';
import { withoutLoading } from './guard/without-loading.ts';

/** Runs `use` on a folder that holds the files of a plan, and takes the folder away afterwards. */
export type WithCheckRoot = <T>(plan: Plan, use: (root: string) => Observable<T>) => Observable<T>;

/**
 * Check roots under `tmpDir`: private (0700, files 0600) and removed on completion, error and unsubscription.
 * `default-path origin` of the configuration is pointed to the root, so that relative paths lead to the plan's own files, and what would
 * load code or write files is left out; line numbers stay. Errors with what the file system says.
 */
export function checkRootsIn(tmpDir: string): WithCheckRoot {
  let isSwept = false;
  return (plan, use) =>
    defer(() => {
      if (!isSwept) sweep(tmpDir);
      isSwept = true;
      const root = mkdtempSync(path.join(tmpDir, `${prefix}${process.pid}-`));
      let written: Promise<unknown> = Promise.resolve();
      const write = (signal: AbortSignal): Promise<void> => {
        const writing = writeFiles(plan, root, signal);
        written = writing.catch(() => undefined);
        return writing;
      };
      return abortable(write).pipe(
        concatMap(() => use(root)),
        // A write under way would bring the folder back: it ends first.
        finalize(() => void written.then(() => rm(root, { recursive: true, force: true, maxRetries: 3 }))),
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
    if (isLeft) rmSync(root, { recursive: true, force: true });
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

async function writeFiles(plan: Plan, root: string, signal: AbortSignal): Promise<void> {
  const folders = new Set<string>();
  for (const file of valuesOf(plan.files)) {
    const target = path.join(root, file.path);
    const folder = path.dirname(target);
    if (!folders.has(folder)) await mkdir(folder, { recursive: true, mode: 0o700 });
    folders.add(folder);
    const bytes =
      file.kind === 'config'
        ? await runWithTurns(configBytes(plan, file, root), signal)
        : Buffer.concat(file.content());
    await writeFile(target, bytes, { mode: 0o600, signal });
  }
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
