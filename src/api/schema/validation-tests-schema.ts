import type { StructuralSchema } from '../structural-schema.ts';
import { assertionTypes } from '../assertion-types.ts';
import { fieldSchemas } from './field-schemas.ts';

const { text } = fieldSchemas;
const regex = { type: 'string', minLength: 1, maxLength: 16_384 } as const;
const headers = {
  type: 'object',
  maxProperties: 128,
  additionalProperties: { type: 'string', maxLength: 8192 },
} as const satisfies StructuralSchema;
const status = { type: 'integer', format: 'int32', minimum: 100, maximum: 599 } as const;
const content = { type: 'string', maxLength: 1_048_576 } as const;

const request = {
  type: 'object',
  description: 'traffic: the request that is sent to HAProxy.',
  properties: {
    method: { ...text, maxLength: 64, description: 'Method of the request. Default: GET.' },
    scheme: {
      type: 'string',
      enum: ['http', 'https'],
      description: 'Whether it is sent in the clear or over TLS. Default: http.',
    },
    port: {
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: 65535,
      description: 'Port of the bind line that it goes to. Default: 80, or 443 with https.',
    },
    host: {
      type: 'string',
      maxLength: 255,
      description: 'The Host header, and the server name of TLS. Default: localhost.',
    },
    path: { ...text, description: 'Path and query, sent as written. Default: /.' },
    headers: { ...headers, description: 'Headers besides Host, by name.' },
    body: { ...content, description: 'Body of the request.' },
    sni: {
      type: 'string',
      maxLength: 255,
      description: 'Server name of TLS, where it is not the host. Empty: none.',
    },
    clientAddress: {
      ...text,
      maxLength: 64,
      description: 'Address that HAProxy takes the client to have. Default: 127.0.0.1.',
    },
    answer: {
      type: 'object',
      description: 'What the stub in place of the server answers.',
      properties: {
        status: { ...status, description: 'Its status. Default: 200.' },
        headers: { ...headers, description: 'Its headers, by name.' },
        body: { ...content, description: 'Its body.' },
      },
    },
  },
} as const satisfies StructuralSchema;

const expect = {
  type: 'object',
  description:
    'traffic: what must come of the request; what is absent is not looked at. Headers, paths and bodies are regular expressions.',
  minProperties: 1,
  properties: {
    closed: {
      type: 'boolean',
      description: 'Whether HAProxy ends the connection without an answer; nothing else is looked at then.',
    },
    status: { ...status, description: 'Status of the answer.' },
    headers: { ...headers, description: 'Headers of the answer, by name. Empty: the header is not there.' },
    body: { type: 'string', maxLength: 16_384, description: 'Body of the answer.' },
    backend: {
      type: 'string',
      maxLength: 4096,
      description: 'Name of the backend that HAProxy asked. Empty: none.',
    },
    server: { ...text, description: 'Name of the server that HAProxy asked.' },
    request: {
      type: 'object',
      description: 'The request as the server got it.',
      properties: {
        method: { ...text, maxLength: 64, description: 'Its method.' },
        path: { ...text, description: 'Its path and query.' },
        headers: { ...headers, description: 'Its headers, by name. Empty: the header is not there.' },
        body: { type: 'string', maxLength: 16_384, description: 'Its body.' },
      },
    },
  },
} as const satisfies StructuralSchema;

const assertion = {
  type: 'object',
  required: ['type'],
  properties: {
    type: {
      type: 'string',
      enum: assertionTypes,
      description:
        'haproxy_valid: HAProxy takes the render. contains, not_contains: a regular expression matches the target, or does not. equals: the target is this text. jsonpath: a value of the context of templates. match_count: so many matches. match_order: patterns match in this order. deterministic: rendered twice, the same comes out. traffic: HAProxy runs with the render and answers a request.',
    },
    description: { type: 'string', maxLength: 4096, description: 'What it is about, for reports.' },
    target: {
      ...text,
      description:
        'What is looked at: haproxy.cfg, map:NAME, file:NAME, cert:NAME, crt-list:NAME, rendering_error or problems.',
    },
    pattern: { ...regex, description: 'Regular expression; ^ and $ match at lines with (?m).' },
    patterns: {
      type: 'array',
      description: 'match_order: regular expressions whose first matches must follow each other.',
      minItems: 1,
      maxItems: 256,
      items: regex,
    },
    expected: {
      type: 'string',
      maxLength: 524_288,
      description: 'equals: the text. jsonpath: the value. match_count: the number, as text.',
    },
    jsonpath: { ...text, description: 'jsonpath: the path, e.g. {.resources.services}.' },
    request,
    expect,
  },
  'x-kubernetes-validations': [
    {
      rule: "!(self.type in ['contains', 'not_contains', 'match_count']) || (has(self.target) && has(self.pattern))",
      message: 'contains, not_contains and match_count need target and pattern',
    },
    {
      rule: "!(self.type in ['equals', 'match_count']) || (has(self.target) && has(self.expected))",
      message: 'equals and match_count need target and expected',
    },
    {
      rule: "self.type != 'match_order' || (has(self.target) && has(self.patterns))",
      message: 'match_order needs target and patterns',
    },
    {
      rule: "self.type != 'jsonpath' || (has(self.jsonpath) && has(self.expected))",
      message: 'jsonpath needs jsonpath and expected',
    },
    {
      rule: "self.type == 'traffic' ? has(self.request) && has(self.expect) : !has(self.request) && !has(self.expect)",
      message: 'traffic needs request and expect; others have neither',
    },
  ],
} as const satisfies StructuralSchema;

/** `spec.validationTests`. */
export const validationTestsSchema = {
  type: 'object',
  description:
    'Tests of the templates, run before a configuration is taken and by "haptic validate". _global lends its fixtures and httpResources to all others.',
  default: {},
  maxProperties: 1024,
  additionalProperties: {
    type: 'object',
    properties: {
      description: { type: 'string', maxLength: 4096, description: 'What is tested.' },
      fixtures: {
        type: 'object',
        description:
          'Objects that templates see, by name in watchedResources, and haproxy-pods. A missing apiVersion or kind is filled in.',
        default: {},
        additionalProperties: {
          type: 'array',
          items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
      httpResources: {
        type: 'array',
        description: 'What HTTP sources answer; nothing else is reached.',
        maxItems: 256,
        default: [],
        items: {
          type: 'object',
          required: ['url', 'content'],
          properties: {
            url: { ...text, description: 'The address that a template asks for.' },
            content: { type: 'string', maxLength: 1_048_576, description: 'Body of the answer.' },
            headers: { ...headers, description: 'Headers of the answer, by name.' },
          },
        },
      },
      currentConfig: {
        type: 'string',
        maxLength: 1_048_576,
        description: 'Text of the haproxy.cfg that is at work, as currentConfig in templates.',
      },
      extraContext: {
        type: 'object',
        description: 'Laid over templatingSettings.extraContext, by their names.',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      capabilities: {
        type: 'object',
        description: 'Laid over the capabilities of haproxyVersion, by their names.',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      haproxyVersion: {
        type: 'string',
        pattern: '^[0-9]+\\.[0-9]+(\\.[0-9]+)?$',
        maxLength: 32,
        description: 'Version of HAProxy that templates see: 3.2. Default: that of the HAProxy at hand.',
      },
      assertions: {
        type: 'array',
        description: 'What must hold.',
        maxItems: 256,
        default: [],
        items: assertion,
      },
    },
  },
} as const satisfies StructuralSchema;
