/** What an assertion of a validation test may be. */
export const assertionTypes = [
  'haproxy_valid',
  'contains',
  'not_contains',
  'equals',
  'jsonpath',
  'match_count',
  'match_order',
  'deterministic',
  'traffic',
] as const;
