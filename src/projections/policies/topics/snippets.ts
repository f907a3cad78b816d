import { configurationLines } from '../parsers/configuration-lines.ts';
import type { PolicyTopic } from '../policy-topic.ts';

/** HAProxy's own language. Whoever may write it can do whatever HAProxy can, so it is off unless the configuration says otherwise. */
export const snippets: PolicyTopic = {
  name: 'snippets',
  title: 'Snippets',
  fields: {
    configBackend: {
      key: 'config-backend',
      parse: configurationLines,
      scope: 'backend',
      shape: 'value',
      snippet: true,
      values: 'lines of a `defaults` section for backends; see `controller.snippetAnnotations`',
      summary: 'Lines that are printed as they stand, after all others.',
      example: 'http-request set-header x-from-haproxy %[var(txn.haptic_backend)]',
    },
  },
};
