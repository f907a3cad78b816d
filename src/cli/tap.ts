import { CodedError } from '../lib/coded-error.ts';
import { parseDuration } from '../lib/duration.ts';
import { isRecord } from '../lib/is-record.ts';
import { selectPaths } from '../lib/select-paths.ts';
import { askController } from './ask-controller.ts';
import type { CliCall } from './cli-command.ts';
import { recordTo } from './record-to.ts';
import { tapFilter } from './tap-filter.ts';
import type { tapOptions } from './tap-command.ts';

/** `haptic tap`: the values of a tap as lines of JSON until it ends, the limit, the time, or the signal. */
export async function runTap(call: CliCall<typeof tapOptions>): Promise<number> {
  const { values, words, out } = call;
  const limit = parseLimit(values.limit);
  const seconds = parseSeconds(values.for);
  const filters = values.filter.map(tapFilter);
  const show = selectPaths(values.select);
  const [name] = words;
  if (values.record !== undefined) {
    if (name !== undefined || limit !== undefined || filters.length > 0 || values.select.length > 0)
      throw new CodedError(
        'HAPTIC_ERR_CLI_USAGE',
        '--record writes all that comes in: it goes with --for alone, without NAME, --filter, --select and --limit',
      );
    return recordTo(values.record, { url: values.url, seconds, signal: call.signal, err: call.err });
  }
  if (name === undefined) {
    const { taps } = (await (await askController(values.url, 'taps', call.signal)).json()) as {
      readonly taps: readonly string[];
    };
    out(taps.map((tap) => `${tap}\n`).join(''));
    return 0;
  }
  let left = limit ?? Infinity;
  const done = new AbortController();
  const signal = AbortSignal.any([call.signal, done.signal]);
  try {
    const query = seconds === undefined ? '' : `?for=${seconds}`;
    const response = await askController(values.url, `taps/${encodeURIComponent(name)}${query}`, signal);
    for await (const value of linesOf(response)) {
      if (isRecord(value) && isBesides(value, call.err)) continue;
      if (!filters.every((holds) => holds(value))) continue;
      out(`${JSON.stringify(show(value))}\n`);
      left -= 1;
      if (left <= 0) break;
    }
    return 0;
  } catch (error) {
    if (call.signal.aborted) return 0;
    throw error;
  } finally {
    done.abort();
  }
}

async function* linesOf(response: Response): AsyncGenerator {
  if (response.body === null) return;
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line) as unknown;
  }
  if (rest !== '') yield JSON.parse(rest) as unknown;
}

/** What the stream says besides its values: signs of life, losses, and why it ends. */
function isBesides(value: Readonly<Record<string, unknown>>, err: (text: string) => void): boolean {
  const [field, ...more] = Object.keys(value);
  if (more.length > 0 || field === undefined) return false;
  if (field === 'heartbeat') return true;
  if (field === 'dropped') {
    err(`haptic tap: ${String(value[field])} values were lost: this reader is too slow for them\n`);
    return true;
  }
  if (field === 'error')
    throw new CodedError('HAPTIC_ERR_CLI_CONTROLLER', `the tap ended: ${String(value[field])}`);
  return false;
}

function parseLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (Number.isSafeInteger(limit) && limit > 0) return limit;
  throw new CodedError('HAPTIC_ERR_CLI_USAGE', `--limit must be a whole number from 1, not "${text}"`);
}

function parseSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Math.ceil(parseDuration(text, '--for') / 1000);
  if (seconds >= 1) return seconds;
  throw new CodedError('HAPTIC_ERR_CLI_USAGE', '--for must be at least a second');
}
