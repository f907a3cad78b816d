import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';
import { authUrl } from '../parsers/auth-url.ts';
import { httpToken } from '../parsers/http-token.ts';
import { listOf } from '../parsers/list-of.ts';
import { oneOf } from '../parsers/one-of.ts';
import { signIn } from '../parsers/sign-in.ts';
import { refusedHeader } from '../refused-header.ts';
import type { PolicyNeed } from '../policy-need.ts';
import type { PolicyField, PolicyTopic } from '../policy-topic.ts';

const common = { scope: 'route', shape: 'nothing', restricting: true } as const;
const asked = [{ anyOf: ['authUrl'] }] as const satisfies readonly PolicyNeed[];

/** Who may come, by what another server says of each request. */
export const externalAuth: PolicyTopic = {
  name: 'externalAuth',
  title: 'Decisions of another server (external authentication)',
  fields: {
    authUrl: {
      ...common,
      key: 'auth-url',
      cost: 'free, but for the backend of a Service that nobody uses yet',
      parse: authUrl,
      values:
        '`svc://<service>:<port>/<path>` or `http://<service>.<namespace>.svc:<port>/<path>`, of the same namespace',
      summary:
        'Asks this Service about each request, without its body. An answer of 2xx lets the request pass; 3xx and 4xx are what the client gets; without an answer within 5 s, and at 5xx, it gets `503`.',
      example: 'svc://oauth2-proxy:4180/oauth2/auth',
    },
    authMethod: {
      ...common,
      key: 'auth-method',
      needs: asked,
      parse: oneOf('GET', 'HEAD', 'POST'),
      values: '`GET`, `HEAD` or `POST`',
      summary: 'How it is asked. Default `GET`.',
      example: 'HEAD',
    },
    authHeadersRequest: headers(
      'auth-headers-request',
      'Which headers of the request it is shown. Default `*`: all.',
      'Cookie, Authorization',
      true,
    ),
    authHeadersSucceed: headers(
      'auth-headers-succeed',
      'Which headers of its answer the server gets with the request, in place of those that the client sent. Default: none.',
      'X-Auth-Request-User, X-Auth-Request-Email',
      false,
    ),
    authHeadersFail: headers(
      'auth-headers-fail',
      'Which headers of its answer a client gets that may not pass, besides `Location` and `WWW-Authenticate`. Default `*`: all.',
      'Set-Cookie',
      true,
    ),
    authSignin: {
      ...common,
      key: 'auth-signin',
      needs: asked,
      parse: signIn,
      values: 'a URL, or a path of the same host',
      summary:
        'Where a client is sent in place of an answer of `401`, with the URL that it asked for as the parameter `rd`.',
      example: 'https://login.example.com/oauth2/start',
    },
  },
};

function headers(
  key: string,
  summary: string,
  example: string,
  all: boolean,
): PolicyField<readonly string[]> {
  const some = listOf(all ? headerName : replacedHeader, 32);
  return {
    ...common,
    key,
    needs: asked,
    parse: (text) => (all && text.trim() === '*' ? { value: ['*'] } : some(text)),
    values: `names of headers between commas${all ? ', or `*`' : ''}`,
    summary,
    example,
  };
}

/** In lower case, as HAProxy has them. `*` alone means all, so it is no name. */
function headerName(text: string): Parsed<string> {
  const name = httpToken(text.toLowerCase());
  return 'value' in name && name.value === '*' ? { fault: 'must be "*" alone, or names' } : name;
}

function replacedHeader(text: string): Parsed<string> {
  const name = headerName(text);
  const refusal = 'value' in name ? refusedHeader.request(name.value.replaceAll('_', '-')) : undefined;
  return refusal === undefined ? name : { fault: `may not change the header ${showValue(text)}: ${refusal}` };
}
