import { byteSize } from '../parsers/byte-size.ts';
import type { PolicyTopic } from '../policy-topic.ts';

/** How much a client may send. */
export const bodySize: PolicyTopic = {
  name: 'bodySize',
  title: 'Size of request bodies',
  fields: {
    proxyBodySize: {
      key: 'proxy-body-size',
      parse: byteSize,
      scope: 'route',
      shape: 'nothing',
      restricting: true,
      values: 'bytes, with `k`, `m` or `g` for powers of 1024; `0` or `unlimited`: as much as anybody likes',
      summary:
        'How many bytes the body of a request may have; larger ones get `413`. A body whose length is not told in advance must fit into a buffer (about 15 kB) and come within 10 seconds (of gRPC 1 second), or gets `411` or `408`.',
      example: '8m',
    },
  },
};
