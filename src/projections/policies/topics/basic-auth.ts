import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';
import { secretName } from '../parsers/secret-name.ts';
import type { PolicyTopic } from '../policy-topic.ts';
import { userListName } from '../user-list-name.ts';

/** Who may come, by a name and a password (RFC 7617). */
export const basicAuth: PolicyTopic = {
  name: 'basicAuth',
  title: 'Passwords (basic authentication)',
  fields: {
    authSecret: {
      key: 'auth-secret',
      parse: secretName,
      scope: 'route',
      shape: { part: (secret, namespace) => userListName(namespace, secret) },
      restricting: true,
      values: 'the name of a Secret in the same namespace',
      summary:
        'Lets only users of the Secret in, by name and password; everybody else gets `401`. Its field `auth` has a line `user:hash` for each, as of `openssl passwd -6`; without that field, each field is a user.',
      example: 'shop-users',
    },
    authRealm: {
      key: 'auth-realm',
      needs: [{ anyOf: ['authSecret'] }],
      parse: realm,
      scope: 'route',
      shape: 'nothing',
      restricting: true,
      values: 'a text of printable characters, without quotes and backslashes',
      summary: 'What browsers show of what the password is for. Default `Restricted`.',
      example: 'Staff only',
    },
  },
};

function realm(text: string): Parsed<string> {
  const value = text.trim();
  if (/^[\x20\x21\x23-\x5b\x5d-\x7e]{1,128}$/.test(value)) return { value };
  return {
    fault: `must have 1 to 128 printable characters, no quotes and no backslashes, not ${showValue(text)}`,
  };
}
