import { pathRewrite } from '../parsers/path-rewrite.ts';
import type { PolicyTopic } from '../policy-topic.ts';

/** Another path by a regular expression, which HAProxy reads from its configuration only. */
export const pathRewrites: PolicyTopic = {
  name: 'pathRewrites',
  title: 'Rewrites by regular expressions',
  fields: {
    pathRewrite: {
      key: 'path-rewrite',
      parse: pathRewrite,
      scope: 'route',
      shape: 'value',
      values: 'a regular expression and a replacement with a blank between them',
      summary: 'The path that the server sees, where the whole path matches; the query stays.',
      example: '^/users/([^/]+)/photos/(.*) /photos/$1/$2',
    },
  },
};
