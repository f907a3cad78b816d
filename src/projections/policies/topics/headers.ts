import { type HeaderLine, headerLines } from '../parsers/header-lines.ts';
import { headerName } from '../parsers/header-name.ts';
import { hostAndPort } from '../parsers/host-and-port.ts';
import { listOf } from '../parsers/list-of.ts';
import type { PolicyField, PolicyTopic } from '../policy-topic.ts';
import { refusedHeader } from '../refused-header.ts';

const lines = 'lines of `Name: value`; values are taken as they stand';

/** Edits of headers in both directions. Names are in the profile, values in maps. */
export const headers: PolicyTopic = {
  name: 'headerEdits',
  title: 'Headers',
  fields: {
    requestSetHeaders: edit(
      'request',
      false,
      'headers',
      'Sets headers of requests, in place of what the client sent.',
    ),
    requestAddHeaders: edit(
      'request',
      true,
      'request-add-header',
      'Adds headers to requests, beside what the client sent.',
    ),
    requestDelHeaders: removal('request', 'Takes headers out of requests.', 'X-Debug, X-Internal-User'),
    responseSetHeaders: edit(
      'response',
      false,
      'response-set-header',
      "Sets headers of responses, HAProxy's own included, in place of the server's.",
    ),
    responseAddHeaders: edit(
      'response',
      true,
      'response-add-header',
      "Adds headers to responses, HAProxy's own included, beside the server's.",
    ),
    responseDelHeaders: removal('response', 'Takes headers out of responses.', 'Server, X-Powered-By'),
    upstreamVhost: {
      key: 'upstream-vhost',
      parse: hostAndPort,
      scope: 'route',
      shape: { part: () => true },
      values: 'a host name, with a port or without',
      summary: 'The `Host` that the server sees.',
      example: 'internal.example.com',
    },
  },
};

type Direction = keyof typeof refusedHeader;

function edit(
  of: Direction,
  repeatable: boolean,
  key: string,
  summary: string,
): PolicyField<readonly HeaderLine[]> {
  return {
    key,
    parse: headerLines(refusedHeader[of], repeatable),
    scope: 'route',
    shape: { part: (value) => value.map(({ name }) => name) },
    // What a client sends in place of it would be believed.
    ...(of === 'request' && !repeatable && { restricting: true as const }),
    values: lines,
    summary,
    example: of === 'request' ? 'X-Tenant: blue' : 'X-Frame-Options: DENY',
  };
}

function removal(of: Direction, summary: string, example: string): PolicyField<readonly string[]> {
  return {
    key: `${of}-del-header`,
    parse: listOf((name) => headerName(name, refusedHeader[of]), 32),
    scope: 'route',
    shape: 'value',
    ...(of === 'request' && { restricting: true as const }),
    values: 'names of headers between commas',
    summary,
    example,
  };
}
