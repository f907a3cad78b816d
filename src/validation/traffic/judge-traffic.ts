import type { TrafficExpectation } from '../../api/template-config.ts';
import { parsePattern } from '../pattern.ts';
import type { TrafficOutcome } from './with-traffic.ts';

/**
 * What came of a request against what is expected of it: undefined, or every difference, joined.
 *
 * @param field for errors: `assertions[0].expect`
 * @throws CodedError `HAPTIC_ERR_VALIDATION_ASSERTION` when a pattern is none
 */
export function judgeTraffic(
  { answer, failure, backend, forwarded }: TrafficOutcome,
  expect: TrafficExpectation,
  field: string,
): string | undefined {
  if (expect.closed === true)
    return answer && `there was an answer ${summaryOf({ answer, backend, ...(forwarded && { forwarded }) })}`;
  if (answer === undefined) return `there was no answer: ${failure ?? ''}`;
  const wrong: string[] = [];
  const differs = (
    what: string,
    is: string | number | undefined,
    wanted: string | number | undefined,
  ): void => {
    if (wanted !== undefined && is !== wanted) wrong.push(`${what} is ${shown(is)}, not ${shown(wanted)}`);
  };
  const mismatches = (
    what: string,
    is: string | undefined,
    pattern: string | undefined,
    at: string,
  ): void => {
    if (pattern === undefined) return;
    const expression = parsePattern(pattern, at);
    if (is === undefined) wrong.push(`${what} is missing`);
    else if (expression.find(is) === undefined)
      wrong.push(`${what} is ${shown(is)}, which ${shown(pattern)} does not match`);
  };
  const headers = (whose: string, is: Texts, wanted: Texts | undefined, at: string): void => {
    for (const [name, pattern] of Object.entries(wanted ?? {})) {
      const value = is[name.toLowerCase()];
      if (pattern !== '') mismatches(`${whose} ${name}`, value, pattern, `${at}.headers.${name}`);
      else if (value !== undefined) wrong.push(`${whose} ${name} is there: ${shown(value)}`);
    }
  };

  differs('status', answer.status, expect.status);
  differs('backend', backend, expect.backend);
  differs('server', forwarded?.server ?? '', expect.server);
  headers('header', answer.headers, expect.headers, field);
  mismatches('body', answer.body, expect.body, `${field}.body`);
  const seen = expect.request;
  if (seen !== undefined && forwarded === undefined) wrong.push('no server was asked');
  if (seen !== undefined && forwarded !== undefined) {
    differs('forwarded method', forwarded.method, seen.method);
    mismatches('forwarded path', forwarded.path, seen.path, `${field}.request.path`);
    headers('forwarded header', forwarded.headers, seen.headers, `${field}.request`);
    mismatches('forwarded body', forwarded.body, seen.body, `${field}.request.body`);
  }
  if (wrong.length === 0) return undefined;
  return [...wrong, summaryOf({ answer, backend, ...(forwarded && { forwarded }) })].join('; ');
}

type Texts = Readonly<Record<string, string>>;

/** What happened, so that a failure can be understood without running it again. */
function summaryOf({ answer, backend, forwarded }: TrafficOutcome): string {
  const where =
    forwarded === undefined
      ? 'no server was asked'
      : `server ${forwarded.backend}/${forwarded.server} was asked for ${forwarded.path}`;
  const chosen = backend === '' ? 'no backend was chosen' : `backend ${backend} was chosen`;
  return `(the answer was ${answer?.status ?? 'none'}, ${chosen}, ${where})`;
}

function shown(value: string | number | undefined): string {
  if (value === undefined || value === '') return 'none';
  return typeof value === 'number'
    ? String(value)
    : JSON.stringify(value.length > 120 ? `${value.slice(0, 120)}…` : value);
}
