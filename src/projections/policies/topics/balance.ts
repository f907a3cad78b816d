import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';
import type { BalanceAlgorithm } from '../backend-fields.ts';
import type { PolicyTopic } from '../policy-topic.ts';

/** Those that take servers at runtime; with hashes that holds for a consistent one, which the profile says. */
const plain = ['roundrobin', 'leastconn', 'random', 'source', 'uri'] as const;

/** How requests are spread over servers. */
export const balance: PolicyTopic = {
  name: 'balance',
  title: 'Load balancing',
  fields: {
    balanceAlgorithm: {
      key: 'balance-algorithm',
      parse: algorithm,
      scope: 'backend',
      shape: 'value',
      values: '`roundrobin`, `leastconn`, `random`, `source`, `uri`, `hdr(NAME)` or `url_param(NAME)`',
      summary:
        'Which server gets the next request: in turn, the one with the fewest connections, any, or always the same for an address, a path, a header or a parameter of the query. Default `roundrobin`.',
      example: 'leastconn',
    },
  },
};

function algorithm(text: string): Parsed<BalanceAlgorithm> {
  const word = text.trim();
  const simple = plain.find((known) => known === word);
  if (simple !== undefined) return { value: { by: simple } };
  const [, by, name = ''] = /^(hdr|url_param)\(([A-Za-z0-9_-]{1,64})\)$/.exec(word) ?? [];
  if (by === 'hdr') return { value: { by, name: name.toLowerCase() } };
  if (by === 'url_param') return { value: { by, name } };
  return { fault: `must be one of ${plain.join(', ')}, hdr(NAME), url_param(NAME), not ${showValue(text)}` };
}
