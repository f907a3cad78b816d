import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';
import { boolean } from '../parsers/boolean.ts';
import { httpToken } from '../parsers/http-token.ts';
import { listOf } from '../parsers/list-of.ts';
import { wholeNumber } from '../parsers/whole-number.ts';
import type { PolicyTopic } from '../policy-topic.ts';

const common = { scope: 'route', shape: 'nothing' } as const;

/** Answers for browsers that ask whether a page of another origin may use this one (Fetch standard, CORS protocol). */
export const cors: PolicyTopic = {
  name: 'cors',
  title: 'Cross-origin requests (CORS)',
  switch: 'corsEnable',
  fields: {
    corsEnable: {
      ...common,
      key: 'cors-enable',
      parse: boolean,
      values: '`true` or `false`',
      summary:
        'Answers preflight requests and adds the headers that let pages of other origins use the route.',
      example: 'true',
    },
    corsAllowOrigin: {
      ...common,
      key: 'cors-allow-origin',
      narrows: true,
      parse: origins,
      values: 'origins between commas, `https://*.example.com` for hosts one label below, or `*`',
      summary: 'Whose pages may use it. Default `*`.',
      example: 'https://app.example.com, https://*.example.org',
    },
    corsAllowMethods: {
      ...common,
      key: 'cors-allow-methods',
      narrows: true,
      parse: listOf(httpToken, 32),
      values: 'methods between commas',
      summary: 'Default `GET, PUT, POST, DELETE, PATCH, OPTIONS`.',
      example: 'GET, POST',
    },
    corsAllowHeaders: {
      ...common,
      key: 'cors-allow-headers',
      narrows: true,
      parse: listOf(httpToken, 64),
      values: 'names of headers between commas',
      summary: 'Which request headers pages may set. Default: those that the preflight asks for.',
      example: 'Authorization, Content-Type',
    },
    corsExposeHeaders: {
      ...common,
      key: 'cors-expose-headers',
      parse: listOf(httpToken, 64),
      values: 'names of headers between commas',
      summary: 'Which response headers pages may read, besides the harmless ones.',
      example: 'X-Request-Id',
    },
    corsAllowCredentials: {
      ...common,
      key: 'cors-allow-credentials',
      needs: [{ anyOf: ['corsAllowOrigin'] }],
      parse: boolean,
      values: '`true` or `false`',
      summary:
        'Whether browsers send cookies and passwords along. `cors-allow-origin` has to name the origins.',
      example: 'true',
    },
    corsMaxAge: {
      ...common,
      key: 'cors-max-age',
      parse: wholeNumber(0, 86_400),
      values: 'seconds, at most 86400',
      summary: 'For how long browsers remember the answer to a preflight. Default `86400`.',
      example: '600',
    },
  },
  check: ({ corsAllowCredentials, corsAllowOrigin }) => {
    // With every origin, any page could act as whoever looks at it. Browsers refuse `*` here, and mirroring the origin would get around that.
    if (corsAllowCredentials !== true || corsAllowOrigin?.includes('*') !== true) return [];
    return [{ field: 'corsAllowCredentials', fault: 'needs cors-allow-origin to name the origins' }];
  },
};

function origins(text: string): Parsed<readonly string[]> {
  return text.trim() === '*' ? { value: ['*'] } : listOf(origin, 100)(text);
}

/** Scheme, host and port as browsers and shells of applications (`capacitor://localhost`) send them (RFC 6454): in lower case, without the scheme's own port. */
function origin(text: string): Parsed<string> {
  const lower = text.toLowerCase();
  const [, scheme = '', host = '', port] =
    /^([a-z][a-z0-9+.-]{0,31}):\/\/((?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)(?::(\d{1,5}))?$/.exec(
      lower,
    ) ?? [];
  if (host === '' || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535 || host.includes('..')) {
    return { fault: `must be an origin such as "https://app.example.com", not ${showValue(text)}` };
  }
  const own = { http: '80', https: '443' }[scheme];
  return {
    value: port === undefined || port === own ? `${scheme}://${host}` : `${scheme}://${host}:${port}`,
  };
}
