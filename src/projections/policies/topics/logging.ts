import { boolean } from '../parsers/boolean.ts';
import type { PolicyTopic } from '../policy-topic.ts';

/** What is written of requests. */
export const logging: PolicyTopic = {
  name: 'logging',
  title: 'Logging',
  fields: {
    enableAccessLog: {
      key: 'enable-access-log',
      parse: boolean,
      scope: 'route',
      shape: 'value',
      values: '`true` or `false`',
      summary: 'Whether requests are logged, where the configuration logs any. Default `true`.',
      example: 'false',
    },
  },
};
