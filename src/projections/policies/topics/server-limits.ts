import { haproxyTime } from '../parsers/haproxy-time.ts';
import { wholeNumber } from '../parsers/whole-number.ts';
import type { PolicyTopic } from '../policy-topic.ts';

const common = { scope: 'backend', shape: 'server' } as const;

/** How much each server is given. */
export const serverLimits: PolicyTopic = {
  name: 'serverLimits',
  title: 'Limits of servers',
  fields: {
    maxconnServer: {
      ...common,
      key: 'maxconn-server',
      parse: wholeNumber(1, 1_000_000),
      values: 'connections',
      summary:
        'How many requests a server is sent at a time by each HAProxy pod; others wait (`timeout-queue`).',
      example: '100',
    },
    maxqueueServer: {
      ...common,
      key: 'maxqueue-server',
      needs: [{ anyOf: ['maxconnServer'], orOnService: true }],
      parse: wholeNumber(1, 1_000_000),
      values: 'requests',
      summary:
        'How many requests may wait for a certain server; others go to another one, even where they have a cookie.',
      example: '50',
    },
    slowStart: {
      ...common,
      key: 'slow-start',
      parse: haproxyTime,
      values: 'a time',
      summary: 'How long a server that is new, or comes back, is given less than its share.',
      example: '30s',
    },
  },
};
