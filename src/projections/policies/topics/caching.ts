import { boolean } from '../parsers/boolean.ts';
import type { PolicyTopic } from '../policy-topic.ts';

/** Answers that HAProxy gives by itself. It takes a filter, which HAProxy does not carry over from profiles, so it is on lines of the backend's own section. */
export const caching: PolicyTopic = {
  name: 'caching',
  title: 'Caching',
  fields: {
    cache: {
      key: 'cache',
      parse: boolean,
      scope: 'backend',
      shape: 'server',
      cost: 'a reload for each backend that has it',
      values: '`true` or `false`',
      summary:
        'Answers again what servers say is fresh (`max-age`, `s-maxage` or `Expires`), without asking them. Not where requests need a password, a token or the word of another server.',
      example: 'true',
    },
  },
};
