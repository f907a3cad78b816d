import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';
import { haproxyTime } from '../parsers/haproxy-time.ts';
import { hostName } from '../parsers/host-name.ts';
import { wholeNumber } from '../parsers/whole-number.ts';
import type { PolicyTopic } from '../policy-topic.ts';

const common = { scope: 'backend', shape: 'value' } as const;
const ofServers = { scope: 'backend', shape: 'server' } as const;

/** Whether HAProxy asks servers itself how they are, beside what Kubernetes says. */
export const healthChecks: PolicyTopic = {
  name: 'healthChecks',
  title: 'Health checks',
  fields: {
    healthCheckInterval: {
      ...ofServers,
      key: 'health-check-interval',
      parse: haproxyTime,
      values: 'a time',
      summary:
        'HAProxy asks each server as often as that, beside what readiness probes say. Any annotation of this table turns checks on. Default `2s`.',
      example: '5s',
    },
    healthCheckUri: {
      ...common,
      key: 'health-check-uri',
      parse: path,
      values: 'a path',
      summary:
        'What is asked for; answers from 200 to 399 are good. Default: that the server takes a connection.',
      example: '/healthz',
    },
    healthCheckHost: {
      ...common,
      key: 'health-check-host',
      needs: [{ anyOf: ['healthCheckUri'] }],
      parse: hostName,
      values: 'a host name',
      summary: 'The `Host` of the question. Default: none.',
      example: 'shop.example.com',
    },
    healthCheckPort: {
      ...ofServers,
      key: 'health-check-port',
      parse: wholeNumber(1, 65_535),
      values: 'a port of the pods',
      summary: 'Where it is asked. Default: where requests go.',
      example: '8081',
    },
    healthCheckTimeout: {
      ...common,
      key: 'health-check-timeout',
      parse: haproxyTime,
      values: 'a time',
      summary: 'How long an answer may take once there is a connection. Default: the interval.',
      example: '1s',
    },
    healthCheckRiseCount: {
      ...ofServers,
      key: 'health-check-rise-count',
      parse: wholeNumber(1, 100),
      values: '1 to 100',
      summary: 'How many good answers in a row bring a server back. Default 2.',
      example: '2',
    },
    healthCheckFallCount: {
      ...ofServers,
      key: 'health-check-fall-count',
      parse: wholeNumber(1, 100),
      values: '1 to 100',
      summary: 'How many bad answers in a row take a server out. Default 3.',
      example: '3',
    },
  },
};

/** Path and query, as a client would send them. */
function path(text: string): Parsed<string> {
  const value = text.trim();
  if (/^\/[\x21-\x7e]{0,1023}$/.test(value) && !value.includes('#')) return { value };
  return { fault: `must be a path of at most 1024 visible characters, not ${showValue(text)}` };
}
