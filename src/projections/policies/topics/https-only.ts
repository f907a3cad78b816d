import { boolean } from '../parsers/boolean.ts';
import { oneOf } from '../parsers/one-of.ts';
import { wholeNumber } from '../parsers/whole-number.ts';
import type { PolicyNeed } from '../policy-need.ts';
import type { PolicyTopic } from '../policy-topic.ts';

const common = { scope: 'route', shape: 'nothing' } as const;
const withHsts = [{ anyOf: ['hsts'], orByDefault: 'hsts' }] as const satisfies readonly PolicyNeed[];

/** That clients come by HTTPS, and by nothing else. */
export const httpsOnly: PolicyTopic = {
  name: 'httpsOnly',
  title: 'Redirects to HTTPS, HSTS',
  fields: {
    sslRedirect: {
      ...common,
      shape: { part: (isWanted) => (isWanted ? true : undefined) },
      key: 'ssl-redirect',
      parse: boolean,
      restricting: true,
      values: '`true` or `false`',
      summary:
        'Whether plain HTTP is sent to HTTPS. Default: `sslRedirect` of the configuration, for hosts with a certificate.',
      example: 'true',
    },
    sslRedirectCode: {
      ...common,
      shape: 'value',
      key: 'ssl-redirect-code',
      needs: [{ anyOf: ['sslRedirect'], orByDefault: 'sslRedirect' }],
      parse: oneOf(301, 302, 303, 307, 308),
      values: '`301`, `302`, `303`, `307` or `308`',
      summary: 'By which status. Default: `sslRedirectCode` of the configuration.',
      example: '301',
    },
    hsts: {
      ...common,
      shape: { part: (isWanted) => (isWanted ? true : undefined) },
      key: 'hsts',
      parse: boolean,
      values: '`true` or `false`',
      summary:
        'Whether browsers are told to come by HTTPS only. Default: `hsts.enabled` of the configuration, for hosts with a certificate.',
      example: 'true',
    },
    hstsMaxAge: {
      ...common,
      key: 'hsts-max-age',
      needs: withHsts,
      parse: wholeNumber(0, 63_072_000),
      values: 'seconds, at most 63072000',
      summary:
        'For how long they remember it; 0 makes them forget it. Default: `hsts.maxAge` of the configuration.',
      example: '300',
    },
    hstsIncludeSubdomains: {
      ...common,
      key: 'hsts-include-subdomains',
      needs: withHsts,
      parse: boolean,
      values: '`true` or `false`',
      summary: 'Whether it is said of all hosts below, too.',
      example: 'true',
    },
    hstsPreload: {
      ...common,
      key: 'hsts-preload',
      needs: withHsts,
      parse: boolean,
      values: '`true` or `false`',
      summary: 'Whether the host may be put on the lists that browsers come with.',
      example: 'true',
    },
  },
};
