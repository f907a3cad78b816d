import { oneOf } from '../parsers/one-of.ts';
import { type RedirectUrl, redirectUrl } from '../parsers/redirect-url.ts';
import { urlPath } from '../parsers/url-path.ts';
import type { PolicyTopic } from '../policy-topic.ts';

/** Answers that send the client elsewhere. The address is in a map, the status in the profile. */
export const redirects: PolicyTopic = {
  name: 'redirects',
  title: 'Redirects',
  fields: {
    redirectTo: {
      key: 'redirect-to',
      parse: redirectUrl,
      scope: 'route',
      shape: { part: ({ keepsPath }: RedirectUrl) => (keepsPath ? 'prefix' : 'location') },
      values:
        'an absolute URL; with a path it is the answer as it stands, without one the path and query of the request are kept',
      summary: 'Sends every request elsewhere.',
      example: 'https://new.example.com',
    },
    redirectToCode: {
      key: 'redirect-to-code',
      needs: [{ anyOf: ['redirectTo'] }],
      parse: oneOf(301, 302, 303, 307, 308),
      scope: 'route',
      shape: 'value',
      values: '`301`, `302`, `303`, `307` or `308`',
      summary: 'The status of that answer. Default `302`.',
      example: '308',
    },
    appRoot: {
      key: 'app-root',
      parse: urlPath,
      scope: 'route',
      shape: { part: () => true },
      values: 'a path',
      summary: 'Sends requests for exactly `/` to a path on the same host (302).',
      example: '/app',
    },
  },
};
