import type { RetryEvent } from '../backend-fields.ts';
import { boolean } from '../parsers/boolean.ts';
import { listOf } from '../parsers/list-of.ts';
import { oneOf } from '../parsers/one-of.ts';
import { wholeNumber } from '../parsers/whole-number.ts';
import type { PolicyTopic } from '../policy-topic.ts';

const events = [
  'conn-failure',
  'empty-response',
  'junk-response',
  'response-timeout',
  '0rtt-rejected',
  '401',
  '403',
  '404',
  '408',
  '425',
  '429',
  '500',
  '501',
  '502',
  '503',
  '504',
] as const satisfies readonly RetryEvent[];

/** What becomes of a request that a server does not answer. */
export const retries: PolicyTopic = {
  name: 'retries',
  title: 'Retries',
  fields: {
    retryCount: {
      key: 'retries',
      parse: wholeNumber(0, 100),
      scope: 'backend',
      shape: 'value',
      values: '0 to 100',
      summary: 'How often a request is tried again, on another server where there is one. Default 3.',
      example: '2',
    },
    retryOn: {
      key: 'retry-on',
      parse: listOf(oneOf(...events), events.length),
      scope: 'backend',
      shape: 'value',
      values: `several of ${events.map((event) => `\`${event}\``).join(', ')}`,
      summary:
        'After what. Default `conn-failure`: when no connection came about, so that no server has seen the request. Anything else makes HAProxy keep request bodies until there is an answer. `429` has no effect before HAProxy 3.0.',
      example: 'conn-failure, empty-response, 503',
    },
    retryNonIdempotent: {
      key: 'retry-non-idempotent',
      needs: [{ anyOf: ['retryOn'], orOnService: true }],
      parse: boolean,
      scope: 'backend',
      shape: 'value',
      values: '`true` or `false`',
      summary:
        'Whether requests such as POST are tried again as well when a server may have seen them (RFC 9110, 9.2.2). Default `false`.',
      example: 'true',
    },
  },
  check: ({ retryOn, retryNonIdempotent }) =>
    retryNonIdempotent !== true || retryOn?.some((event) => event !== 'conn-failure') !== false
      ? []
      : [
          {
            field: 'retryNonIdempotent',
            fault: 'needs more than conn-failure in retry-on, since no server has seen such a request',
            isIdle: true,
          },
        ],
};
