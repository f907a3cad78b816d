import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { errorCode } from '../../lib/error-code.ts';
import { record } from '../fields.ts';

export type SetValues =
  | { readonly kind: 'read'; readonly values: Readonly<Record<string, unknown>> }
  /** Nobody is there who could. */
  | { readonly kind: 'unavailable' }
  /** In helm's words, which may hold a value: not to be shown. */
  | { readonly kind: 'refused' };

/** What `--set` of helm means, which has a language of its own: helm says it, as the values of a chart that prints them. */
export async function readSetValues(
  sets: readonly string[],
  { helm, signal }: { readonly helm: string; readonly signal: AbortSignal },
): Promise<SetValues> {
  const chart = await mkdtemp(path.join(tmpdir(), 'haptic-set-'));
  try {
    await mkdir(path.join(chart, 'templates'));
    await writeFile(path.join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: set\nversion: 0.0.0\n');
    await writeFile(path.join(chart, 'templates', 'values.yaml'), '{{ toJson .Values }}\n');
    const line = ['template', 'set', chart, ...sets.flatMap((set) => ['--set', set])];
    const { stdout } = await promisify(execFile)(helm, line, { signal });
    return { kind: 'read', values: record(parse(stdout)) };
  } catch (error) {
    signal.throwIfAborted();
    return { kind: errorCode(error) === 'ENOENT' ? 'unavailable' : 'refused' };
  } finally {
    await rm(chart, { recursive: true, force: true });
  }
}
