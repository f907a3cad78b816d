import { listOf } from '../parsers/list-of.ts';
import { sourceNetwork } from '../parsers/source-network.ts';
import type { PolicyField, PolicyTopic } from '../policy-topic.ts';
import { prefixLengths } from '../prefix-lengths.ts';

/** Who may come, by the address that a client comes from. */
export const sources: PolicyTopic = {
  name: 'sources',
  title: 'Allowed and denied addresses',
  fields: {
    allowlistSourceRange: range(
      'allowlist-source-range',
      'Who may use the route, by the address that the client comes from; everybody else gets `403`.',
      '10.0.0.0/8, fd00::/8, 192.0.2.17',
    ),
    denylistSourceRange: range(
      'denylist-source-range',
      'Who may not: gets `403`, also where `allowlist-source-range` has the address.',
      '203.0.113.0/24',
    ),
  },
};

function range(key: string, summary: string, example: string): PolicyField<readonly string[]> {
  return {
    key,
    parse: listOf(sourceNetwork, 1_000),
    scope: 'route',
    // Networks are in a map. What is looked up there is the address as it is for each length of a prefix.
    shape: { part: prefixLengths },
    restricting: true,
    values: 'IPv4 and IPv6 addresses and networks between commas, at most 1000',
    summary,
    example,
  };
}
