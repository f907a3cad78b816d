import type { StructuralSchema } from './template-config-schema.ts';
import { assertionTypes } from './validation-test.ts';

const text = { type: 'string', minLength: 1 } as const;
const texts = { type: 'object', additionalProperties: { type: 'string' } } as const;
const status = { type: 'integer', minimum: 100, maximum: 599 } as const;

/** `request` of a `traffic` assertion. */
const requestSchema = {
  type: 'object',
  description: 'The request that is sent to HAProxy.',
  properties: {
    method: { ...text, description: 'Default GET.' },
    scheme: { type: 'string', enum: ['http', 'https'], description: 'Default http.' },
    port: {
      type: 'integer',
      minimum: 1,
      maximum: 65535,
      description: 'Port of the bind line that it goes to. Default 80, or 443 with https.',
    },
    host: { type: 'string', description: 'The Host header, and the server name of TLS. Default localhost.' },
    path: { ...text, description: 'Path and query, sent as written. Default /.' },
    headers: { ...texts, description: 'Headers besides Host.' },
    body: { type: 'string' },
    sni: { type: 'string', description: 'Server name of TLS, where it is not the host; empty: none.' },
    clientAddress: { ...text, description: 'Address that HAProxy takes the client to have. Default 127.0.0.1.' },
    answer: {
      type: 'object',
      description: 'What the stub of the server answers. Default 200.',
      properties: { status, headers: texts, body: { type: 'string' } },
    },
  },
} as const satisfies StructuralSchema;

/** `expect` of a `traffic` assertion. */
const expectSchema = {
  type: 'object',
  description: 'What must come of the request. Texts of headers, paths and bodies are regular expressions.',
  properties: {
    status,
    headers: { ...texts, description: 'By name; an empty text: the header is not there.' },
    body: { type: 'string' },
    backend: { type: 'string', description: 'Backend that was asked; empty: none.' },
    server: { ...text, description: 'Server of the backend that was asked.' },
    request: {
      type: 'object',
      description: 'What the server was asked.',
      properties: { method: text, path: text, headers: texts, body: { type: 'string' } },
    },
  },
} as const satisfies StructuralSchema;

/** `HAProxyTemplateConfig.spec.validationTests`: the fields of {@link import('./validation-test.ts').ValidationTest}, by name. */
export const validationTestsSchema = {
  type: 'object',
  description: 'Tests of the templates, by name; what _global has is part of all of them. See docs/validation-tests.md.',
  additionalProperties: {
    type: 'object',
    properties: {
      description: { type: 'string' },
      fixtures: {
        type: 'object',
        description: 'Objects by name in watchedResources, or haproxy-pods. apiVersion and kind may be left out.',
        additionalProperties: {
          type: 'array',
          items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
      httpResources: {
        type: 'array',
        description: 'What the http helper gets, by URL; nothing is fetched.',
        items: {
          type: 'object',
          required: ['url', 'content'],
          properties: { url: text, content: { type: 'string' }, headers: texts },
        },
      },
      currentConfig: { type: 'string', description: 'The haproxy.cfg that is in effect before the render.' },
      extraContext: {
        type: 'object',
        description: 'Laid over templatingSettings.extraContext, key by key.',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      capabilities: {
        type: 'object',
        description: 'Laid over the capabilities of haproxyVersion.',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      haproxyVersion: {
        type: 'string',
        pattern: '^[0-9]+\\.[0-9]+',
        description: 'Version that templates see. Default: that of the HAProxy at hand.',
      },
      assertions: {
        type: 'array',
        items: {
          type: 'object',
          required: ['type'],
          properties: {
            type: { type: 'string', enum: assertionTypes },
            description: { type: 'string' },
            target: {
              type: 'string',
              description:
                'haproxy.cfg, map:<name>, file:<name>, cert:<name>, crt-list:<name>, rendering_error or problems.',
            },
            pattern: { type: 'string', description: 'Regular expression of contains, not_contains, match_count.' },
            patterns: {
              type: 'array',
              items: { type: 'string' },
              description: 'Regular expressions of match_order, in the order in which they must be found.',
            },
            expected: { type: 'string', description: 'What equals, jsonpath and match_count expect.' },
            jsonpath: { type: 'string', description: 'Path into the context of templates.' },
            request: requestSchema,
            expect: expectSchema,
          },
        },
      },
    },
  },
} as const satisfies StructuralSchema;
