import { kubernetesName } from '../../kubernetes-name.ts';
import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';
import { boolean } from '../parsers/boolean.ts';
import { haproxyTime } from '../parsers/haproxy-time.ts';
import { oneOf } from '../parsers/one-of.ts';
import type { PolicyNeed } from '../policy-need.ts';
import type { PolicyTopic } from '../policy-topic.ts';

const common = { scope: 'backend', shape: 'value' } as const;
const byCookie = [{ anyOf: ['affinity'], value: 'cookie' }] as const satisfies readonly PolicyNeed[];

/** Clients stay with their server by a cookie. */
export const affinity: PolicyTopic = {
  name: 'sessionCookie',
  title: 'Affinity by cookie',
  fields: {
    affinity: {
      ...common,
      key: 'affinity',
      parse: oneOf('cookie', 'none'),
      values: '`cookie` or `none`',
      summary:
        'Clients that come back with the cookie get the server that they had, as long as it is there. Goes before `sessionAffinity` of the Service.',
      example: 'cookie',
    },
    sessionCookieName: {
      ...common,
      key: 'session-cookie-name',
      needs: byCookie,
      parse: cookieName,
      values: 'a name',
      summary: 'Default `INGRESSCOOKIE`.',
      example: 'SERVER',
    },
    sessionCookieStrategy: {
      ...common,
      key: 'session-cookie-strategy',
      needs: byCookie,
      parse: oneOf('insert', 'rewrite', 'prefix'),
      values: '`insert`, `rewrite` or `prefix`',
      summary:
        'Whether the cookie is HAProxy’s own, one of the application whose value is replaced, or one whose value gets a prefix. Default `insert`.',
      example: 'insert',
    },
    sessionCookiePreserve: {
      ...common,
      key: 'session-cookie-preserve',
      needs: byCookie,
      parse: boolean,
      values: '`true` or `false`',
      summary: 'Leaves the cookie alone where the application sets it itself.',
      example: 'true',
    },
    sessionCookieDomain: {
      ...common,
      key: 'session-cookie-domain',
      needs: byCookie,
      parse: domain,
      values: 'a domain',
      summary: 'Shares the cookie among hosts of a domain.',
      example: 'example.com',
    },
    sessionCookieSameSite: {
      ...common,
      key: 'session-cookie-same-site',
      needs: byCookie,
      parse: oneOf('None', 'Lax', 'Strict'),
      values: '`None`, `Lax` or `Strict`',
      summary: 'When browsers send it along from other sites; `None` makes it `Secure`, as browsers ask for.',
      example: 'Lax',
    },
    sessionCookieSecure: {
      ...common,
      key: 'session-cookie-secure',
      needs: byCookie,
      parse: boolean,
      values: '`true` or `false`',
      summary: 'Has browsers send it by HTTPS only: for hosts that plain HTTP does not lead to.',
      example: 'true',
    },
    sessionCookieMaxIdle: {
      ...common,
      key: 'session-cookie-max-idle',
      needs: byCookie,
      parse: haproxyTime,
      values: 'a time',
      summary: 'After how long without a request it does not count any more.',
      example: '30m',
    },
    sessionCookieMaxLife: {
      ...common,
      key: 'session-cookie-max-life',
      needs: byCookie,
      parse: haproxyTime,
      values: 'a time',
      summary: 'After how long it does not count any more.',
      example: '8h',
    },
  },
  check: ({ sessionCookieStrategy = 'insert', ...fields }) =>
    sessionCookieStrategy === 'insert'
      ? []
      : (
          [
            'sessionCookiePreserve',
            'sessionCookieSecure',
            'sessionCookieMaxIdle',
            'sessionCookieMaxLife',
          ] as const
        )
          .filter((field) => fields[field] !== undefined)
          .map((field) => ({ field, fault: 'is for session-cookie-strategy: insert', isIdle: true })),
};

function cookieName(text: string): Parsed<string> {
  const value = text.trim();
  if (/^[A-Za-z0-9_.-]{1,64}$/.test(value)) return { value };
  return { fault: `must be at most 64 letters, digits, "_", "." and "-", not ${showValue(text)}` };
}

function domain(text: string): Parsed<string> {
  const name = text.trim().toLowerCase().replace(/^\./, '');
  if (kubernetesName.domain(name) && name.includes('.')) return { value: name };
  return { fault: `must be a domain such as "example.com", not ${showValue(text)}` };
}
