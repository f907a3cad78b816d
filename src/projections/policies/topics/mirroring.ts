import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';
import { type AuthUrl, authUrl } from '../parsers/auth-url.ts';
import type { PolicyTopic } from '../policy-topic.ts';

/** Copies of requests for another Service, whose answers nobody sees. */
export const mirroring: PolicyTopic = {
  name: 'mirroring',
  title: 'Mirroring',
  fields: {
    mirrorTarget: {
      key: 'mirror-target',
      parse: service,
      scope: 'route',
      shape: { part: () => true },
      values: '`svc://service:port`, or `http://service:port`; of the namespace of the Ingress',
      summary:
        'Sends a copy of each request to a Service, as far as its body fits into a buffer of HAProxy (16 kB).',
      example: 'svc://shop-next:80',
    },
  },
};

function service(text: string): Parsed<AuthUrl> {
  const url = authUrl(text);
  if (!('fault' in url) && url.value.path === '/') return url;
  return { fault: `must be a Service such as "svc://shop-next:80", without a path, not ${showValue(text)}` };
}
