import { parseDuration } from '../../lib/duration.ts';
import { errorMessage } from '../../lib/error-message.ts';
import type { HelperTable } from '../helper-spec.ts';
import { valueHelper as value } from '../value-helper.ts';
import { countOf, textOf } from './arguments.ts';

/**
 * Durations and points in time, as data. There is no clock: a fragment is printed when what it reads changes, so one that asked
 * for the time would be out of date at once, and two replicas would print different bytes.
 */
export const timeHelpers: HelperTable = {
  milliseconds: value(
    'milliseconds "1m30s"',
    'The duration in milliseconds. Written as Go does; a bare number counts as milliseconds.',
    [1, 1],
    ([from]) => millisecondsOf(textOf(from)),
    '{{milliseconds "1m30s"}} {{milliseconds "1.5s"}}',
  ),
  seconds: value(
    'seconds "1m30s"',
    'The duration in whole seconds, rounded up.',
    [1, 1],
    ([from]) => Math.ceil(millisecondsOf(textOf(from)) / 1000),
    '{{seconds "1m30s"}}',
  ),
  haproxyTime: value(
    'haproxyTime "1m30s"',
    'The duration as HAProxy takes it: in the largest unit in which it is a whole number.',
    [1, 1],
    ([from]) => inHaproxyUnits(millisecondsOf(textOf(from))),
    '{{haproxyTime "90s"}} {{haproxyTime "2h0m0s"}} {{haproxyTime "1.5s"}}',
  ),
  unixTime: value(
    'unixTime "2026-01-31T12:00:00Z"',
    'The point in time (RFC 3339) in seconds since 1970.',
    [1, 1],
    ([from]) => {
      const text = textOf(from);
      const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(text)
        ? Date.parse(text)
        : Number.NaN;
      if (Number.isFinite(time)) return Math.floor(time / 1000);
      throw new RangeError(`${JSON.stringify(text)} is not a time such as 2026-01-31T12:00:00Z`);
    },
    '{{unixTime "2026-01-31T12:00:00Z"}}',
  ),
  timestamp: value(
    'timestamp seconds',
    'The seconds since 1970 as a point in time (RFC 3339, UTC).',
    [1, 1],
    ([from]) => new Date(countOf(from, 253_402_300_799) * 1000).toISOString().replace('.000Z', 'Z'),
    '{{timestamp 1769860800}}',
  ),
};

function millisecondsOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  try {
    return parseDuration(text, 'duration');
  } catch (error) {
    throw new RangeError(errorMessage(error), { cause: error });
  }
}

function inHaproxyUnits(milliseconds: number): string {
  const whole = Math.ceil(milliseconds);
  for (const [unit, size] of [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ] as const)
    if (whole >= size && whole % size === 0) return `${whole / size}${unit}`;
  return `${whole}ms`;
}
