import { open } from 'node:fs/promises';
import { CodedError } from '../lib/coded-error.ts';
import { errorMessage } from '../lib/error-message.ts';
import { askController } from './ask-controller.ts';

export interface RecordToOptions {
  /** Of the debug pages. */
  readonly url: string;
  readonly seconds: number | undefined;
  /** Ends the recording, which is whole then as well. */
  readonly signal: AbortSignal;
  readonly err: (text: string) => void;
}

/**
 * Writes a recording of a running controller to a file, readable for its owner alone. Resolves to the exit code: 0 whole, 1 cut by the other
 * side.
 *
 * @throws CodedError `HAPTIC_ERR_CLI_CONTROLLER` when there is none, `HAPTIC_ERR_CLI_USAGE` for a file that cannot be written
 */
export async function recordTo(
  file: string,
  { url, seconds, signal, err }: RecordToOptions,
): Promise<number> {
  const response = await askController(
    url,
    `recording${seconds === undefined ? '' : `?for=${seconds}`}`,
    signal,
  );
  const target = await open(file, 'w', 0o600).catch((cause: unknown) => {
    throw new CodedError('HAPTIC_ERR_CLI_USAGE', `--record: ${errorMessage(cause)}`, { cause });
  });
  let tail = '';
  let lines = 0;
  try {
    if (response.body !== null)
      for await (const chunk of response.body) {
        await target.write(chunk);
        const text = Buffer.from(chunk).toString('utf8');
        lines += text.split('\n').length - 1;
        tail = (tail + text).slice(-4_096);
      }
  } catch (error) {
    if (!signal.aborted) throw error;
    // What is not whole is no line; nothing before it is missing.
    const at = lastTime(tail);
    const end = JSON.stringify({ at, kind: 'end', reason: 'interrupted' });
    tail = `${tail.endsWith('\n') || tail === '' ? '' : '\n'}${end}\n`;
    await target.write(tail);
  } finally {
    await target.close();
  }
  const isWhole = tail.trimEnd().split('\n').at(-1)?.includes('"kind":"end"') === true;
  err(
    isWhole
      ? `haptic tap: ${lines} lines in ${file}; haptic replay ${file} runs them\n`
      : `haptic tap: ${lines} lines in ${file}, and then the controller went away\n`,
  );
  return isWhole ? 0 : 1;
}

function lastTime(tail: string): number {
  const times = [...tail.matchAll(/"at":(\d+(?:\.\d+)?)/g)];
  return Number(times.at(-1)?.[1] ?? 0);
}
