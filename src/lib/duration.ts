import { CodedError } from './coded-error.ts';

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const term = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/**
 * A duration as Go's `time.ParseDuration` writes it (`100ms`, `1m30s`, `1.5h`, `0`), in milliseconds; may be fractional.
 * Negative durations are refused, since nothing here waits a negative time.
 *
 * @param field where the text came from, for the error: `watchedResources.pods.debounceInterval`
 * @throws CodedError `HAPTIC_ERR_CONFIG_DURATION`, naming field and text
 */
export function parseDuration(text: string, field: string): number {
  if (text === '0') return 0;
  let total = 0;
  term.lastIndex = 0;
  while (term.lastIndex < text.length) {
    const match = term.exec(text);
    if (match === null) throw refused(text, field);
    total += Number(match[1]) * (unitMs[match[2] ?? ''] ?? Number.NaN);
  }
  if (text === '' || !Number.isFinite(total)) throw refused(text, field);
  return total;
}

function refused(text: string, field: string): CodedError {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return new CodedError(
    'HAPTIC_ERR_CONFIG_DURATION',
    `${field}: ${JSON.stringify(shown)} is not a duration; write a number with a unit, such as "100ms", "1m30s" or "0"`,
  );
}
