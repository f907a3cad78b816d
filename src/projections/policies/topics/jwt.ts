import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';
import { jwtAlgorithms } from '../jwt-algorithms.ts';
import { listOf } from '../parsers/list-of.ts';
import { secretName } from '../parsers/secret-name.ts';
import { oneOf } from '../parsers/one-of.ts';
import type { PolicyTopic } from '../policy-topic.ts';
import { refusedHeader } from '../refused-header.ts';
import { userListName } from '../user-list-name.ts';

const common = { scope: 'route', restricting: true } as const;

/** Who may come, by a signed token (RFC 7519). */
export const jwt: PolicyTopic = {
  name: 'jwt',
  title: 'Signed tokens (JWT)',
  fields: {
    jwtSecret: {
      ...common,
      key: 'jwt-secret',
      parse: secretName,
      shape: { part: (secret, namespace) => userListName(namespace, secret) },
      values: 'the name of a Secret in the same namespace',
      summary:
        'Lets only requests in whose `Authorization: Bearer` token has been signed by one of the keys in the Secret and has not expired; others get `401`. Each field of the Secret is a public key or certificate (PEM), or a set of keys (JWKS).',
      example: 'login-keys',
    },
    jwtAlgorithm: {
      ...common,
      key: 'jwt-algorithm',
      needs: [{ anyOf: ['jwtSecret'] }],
      parse: oneOf(...jwtAlgorithms),
      shape: 'value',
      values: jwtAlgorithms.map((name) => `\`${name}\``).join(', '),
      summary:
        'How tokens are signed; none with another algorithm is believed, whatever it says itself. Default `RS256`.',
      example: 'ES256',
    },
    jwtIssuer: {
      ...common,
      key: 'jwt-issuer',
      needs: [{ anyOf: ['jwtSecret'] }],
      parse: claimValue,
      shape: { part: () => true },
      values: 'a text of visible characters',
      summary: 'Who must have issued the token (`iss`).',
      example: 'https://login.example.com/',
    },
    jwtAudience: {
      ...common,
      key: 'jwt-audience',
      needs: [{ anyOf: ['jwtSecret'] }],
      parse: listOf(claimValue, 16),
      shape: { part: () => true },
      values: 'texts of visible characters between commas',
      summary:
        'For whom the token must be (`aud`): one of these. Of a token for many, the first eight count.',
      example: 'shop, shop-admin',
    },
    jwtClaimsHeaders: {
      ...common,
      key: 'jwt-claims-headers',
      needs: [{ anyOf: ['jwtSecret'] }],
      parse: listOf(claimHeader, 16),
      shape: 'value',
      values: '`<claim>:<header>` between commas',
      summary:
        'Claims that the server gets as headers, in place of those that the client sent. One with line breaks or other control characters is left out.',
      example: 'sub:X-User, email:X-User-Email',
    },
  },
};

/** No quotes and brackets: a list of audiences as a whole is none of them. */
function claimValue(text: string): Parsed<string> {
  const value = text.trim();
  if (/^[A-Za-z0-9._~:/?#@!$&()*+;=%-]{1,256}$/.test(value)) return { value };
  return {
    fault: `must have 1 to 256 visible characters, no quotes, commas and brackets, not ${showValue(text)}`,
  };
}

/** `<claim>:<header>`, the header in lower case; both are printed, and have no character that means something to HAProxy. */
function claimHeader(text: string): Parsed<string> {
  const [, claim = '', header = ''] = /^([A-Za-z0-9_]{1,64}):([A-Za-z0-9_-]{1,64})$/.exec(text) ?? [];
  const name = header.toLowerCase();
  if (claim === '')
    return { fault: `must be a claim and a header such as "sub:X-User", not ${showValue(text)}` };
  const refusal = refusedHeader.request(name.replaceAll('_', '-'));
  return refusal === undefined
    ? { value: `${claim}:${name}` }
    : { fault: `may not change the header ${name}: ${refusal}` };
}
