import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';
import { haproxyTime } from '../parsers/haproxy-time.ts';
import { listOf } from '../parsers/list-of.ts';
import { sourceNetwork } from '../parsers/source-network.ts';
import { wholeNumber } from '../parsers/whole-number.ts';
import type { PolicyNeed } from '../policy-need.ts';
import type { PolicyTopic } from '../policy-topic.ts';
import { prefixLengths } from '../prefix-lengths.ts';

const common = { scope: 'route', restricting: true } as const;
const limited = [
  { anyOf: ['limitRps', 'limitRequests', 'limitConnections'] },
] as const satisfies readonly PolicyNeed[];
const most = 1_000_000;
/** Seconds. Few, since each has a table, and takes its memory from everybody. */
const periods: readonly number[] = [1, 10, 60, 600, 3600];
/** With these `deny_status` answers as it is asked to, on every line. */
const statuses = ['400', '403', '429', '503'];

/** How much one client may ask for. */
export const limits: PolicyTopic = {
  name: 'limits',
  title: 'Rate limits',
  fields: {
    limitRps: {
      ...common,
      key: 'limit-rps',
      parse: wholeNumber(1, most),
      shape: 'nothing',
      values: 'requests, 1 to 1000000',
      summary: 'How many requests a client may send in one second; more get `429`.',
      example: '20',
    },
    limitRequests: {
      ...common,
      key: 'limit-requests',
      parse: wholeNumber(1, most),
      shape: 'nothing',
      values: 'requests, 1 to 1000000',
      summary: 'How many requests a client may send within `limit-period`. In place of `limit-rps`.',
      example: '600',
    },
    limitPeriod: {
      ...common,
      key: 'limit-period',
      needs: [{ anyOf: ['limitRequests'] }],
      parse: period,
      shape: 'value',
      values: '`1s`, `10s`, `1m`, `10m` or `1h`',
      summary: 'The period of `limit-requests`. Default `1s`.',
      example: '1m',
    },
    limitConnections: {
      ...common,
      key: 'limit-connections',
      parse: wholeNumber(1, most),
      shape: 'nothing',
      values: 'a number, 1 to 1000000',
      summary:
        'How many requests, upgraded connections among them, a client may have open at a time; more get `429`. Connections that ask for nothing do not count.',
      example: '10',
    },
    limitBy: {
      ...common,
      key: 'limit-by',
      needs: limited,
      parse: limitKey,
      shape: 'value',
      values: '`address`, `path` or `header:<name>`',
      summary:
        'What one client is: an address (of IPv6 the first 64 bits), which is the default; a path, for all clients together; or the value of a request header, and the address of those who do not send it.',
      example: 'header:X-Api-Key',
    },
    limitWhitelist: {
      ...common,
      key: 'limit-whitelist',
      needs: limited,
      parse: listOf(sourceNetwork, 1_000),
      shape: { part: prefixLengths },
      values: 'IPv4 and IPv6 addresses and networks between commas, at most 1000',
      summary: 'Who may ask for as much as it likes, by the address that the client comes from.',
      example: '10.0.0.0/8',
    },
    limitStatusCode: {
      ...common,
      key: 'limit-status-code',
      needs: limited,
      parse: (text) =>
        statuses.includes(text.trim())
          ? { value: Number(text.trim()) }
          : { fault: `must be one of ${statuses.join(', ')}, not ${showValue(text)}` },
      shape: 'value',
      values: '`400`, `403`, `429` or `503`',
      summary: 'What whoever asks for too much gets. Default `429`.',
      example: '503',
    },
  },
  check: ({ limitRps, limitRequests }) =>
    limitRps === undefined || limitRequests === undefined
      ? []
      : [{ field: 'limitRps', fault: 'cannot be said beside limit-requests' }],
};

/** Seconds. */
function period(text: string): Parsed<number> {
  const time = haproxyTime(text);
  const seconds = 'value' in time && !time.value.endsWith('ms') ? Number(time.value.slice(0, -1)) : 0;
  return periods.includes(seconds)
    ? { value: seconds }
    : { fault: `must be one of 1s, 10s, 1m, 10m, 1h, not ${showValue(text)}` };
}

/** `address`, `path`, or `header:` and the name of a header in lower case. */
function limitKey(text: string): Parsed<string> {
  const word = text.trim().toLowerCase();
  if (word === 'address' || word === 'path') return { value: word };
  // It is printed, so it has no character that means something to HAProxy, as HTTP would allow.
  if (/^header:[a-z0-9_-]{1,64}$/.test(word)) return { value: word };
  return { fault: `must be "address", "path" or "header:<name>", not ${showValue(text)}` };
}
