import { haproxyTime } from '../parsers/haproxy-time.ts';
import type { PolicyField, PolicyTopic } from '../policy-topic.ts';

/** Times that HAProxy waits for servers. */
export const timeouts: PolicyTopic = {
  name: 'timeouts',
  title: 'Time-outs',
  fields: {
    timeoutConnect: time('connect', 'How long a connection to a server may take.', '5s'),
    timeoutQueue: {
      ...time('queue', 'How long a request waits for a server that has room.', '10s'),
      needs: [{ anyOf: ['maxconnServer'], orOnService: true }],
    },
    timeoutServer: time('server', 'How long a server may be silent.', '2m'),
    timeoutTunnel: time(
      'tunnel',
      'How long both sides may be silent after an upgrade, as to WebSocket.',
      '1h',
    ),
  },
};

function time(what: string, summary: string, example: string): PolicyField<string> {
  return {
    key: `timeout-${what}`,
    parse: haproxyTime,
    scope: 'backend',
    shape: 'value',
    values: 'a time: `500ms`, `30s`, `5m`, `1h`; seconds without a unit',
    summary,
    example,
  };
}
