import { boolean } from '../parsers/boolean.ts';
import { hostName } from '../parsers/host-name.ts';
import { listOf } from '../parsers/list-of.ts';
import type { PolicyTopic } from '../policy-topic.ts';

const most = 16;

/** Hosts that lead to those of an Ingress. An Ingress that names such a host in its rules goes before. */
export const otherHosts: PolicyTopic = {
  name: 'otherHosts',
  title: 'Other host names',
  fields: {
    serverAlias: {
      key: 'server-alias',
      parse: listOf(hostName, most),
      scope: 'host',
      shape: 'nothing',
      values: `host names between commas, at most ${most}`,
      summary:
        "Hosts that the paths of the Ingress's first host are served on as well; as many as have 1000 paths together.",
      example: 'shop.example.org, shop.example.net',
    },
    redirectFrom: {
      key: 'redirect-from',
      parse: listOf(hostName, most),
      scope: 'host',
      shape: 'nothing',
      values: `host names between commas, at most ${most}`,
      summary: "Hosts whose requests are sent to the same path on the Ingress's first host (308).",
      example: 'old.example.com',
    },
    fromToWwwRedirect: {
      key: 'from-to-www-redirect',
      parse: boolean,
      scope: 'host',
      shape: 'nothing',
      values: '`true` or `false`',
      summary:
        'For each host of the Ingress: sends requests for the same one with `www.` in front, or without it, there (308).',
      example: 'true',
    },
  },
};
