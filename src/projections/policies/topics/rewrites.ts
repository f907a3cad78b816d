import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';
import { urlPath } from '../parsers/url-path.ts';
import type { PolicyTopic } from '../policy-topic.ts';

/**
 * Another path for the server than the client's. The profile has the number of elements of the route's path, after which the rest of the request's begins; so
 * routes as deep as each other share it, and no regular expression is needed.
 */
export const rewrites: PolicyTopic = {
  name: 'rewrites',
  title: 'Rewrites of the path',
  fields: {
    rewriteTarget: {
      key: 'rewrite-target',
      parse: target,
      scope: 'route',
      shape: 'nothing',
      values: 'a path',
      summary:
        "Takes the place of the route's own path in the path that the server sees; what follows it, and the query, stay.",
      example: '/v2',
    },
  },
  pathShape: (path) => (path === '' ? 0 : path.split('/').length - 1),
};

/** What looks like a capture is none: it would be a part of the path. */
function target(text: string): Parsed<string> {
  if (!/\$\d/.test(text)) return urlPath(text);
  return { fault: `has no captures, for which path-rewrite is: must be a path, not ${showValue(text)}` };
}
