import { compileSchemas } from '../../lib/compile-schemas.ts';
import type { OperationKind } from '../../protocol/operation.ts';

const text = { type: 'string' } as const;
const integer = { type: 'integer' } as const;
const backend = { backend: text } as const;
const server = { backend: text, server: text } as const;
const endpoint = { ...server, address: text, port: integer } as const;
const mode = { type: 'string', enum: ['http', 'tcp'] } as const;
const file = { path: text } as const;
const entry = { ...file, key: text } as const;
const texts = { type: 'array', items: text } as const;
const keywords = {
  type: 'array',
  items: {
    type: 'object',
    required: ['name', 'args'],
    properties: { name: text, args: texts },
  },
} as const;

interface Shape {
  readonly required: Readonly<Record<string, object>>;
  readonly optional?: Readonly<Record<string, object>>;
}

const shapes: Readonly<Record<OperationKind, Shape>> = {
  backend_add: {
    required: { ...backend, profile: text, mode },
    optional: { guid: text },
  },
  backend_publish: { required: backend },
  backend_unpublish: { required: backend },
  backend_del: { required: backend, optional: { profile: text, mode, guid: text } },
  wait_be_removable: { required: backend },
  server_add: { required: { ...endpoint, keywords } },
  server_enable: { required: server, optional: { health: { type: 'boolean' } } },
  server_disable: { required: server },
  server_del: { required: server, optional: { keywords } },
  server_set_addr: { required: endpoint },
  server_set_weight: { required: { ...server, weight: integer } },
  server_set_state: {
    required: { ...server, state: { type: 'string', enum: ['ready', 'maint', 'drain'] } },
  },
  wait_srv_removable: { required: server },
  map_add: { required: { ...entry, value: text } },
  map_set: { required: { ...entry, value: text } },
  map_del: { required: entry },
  map_replace: { required: file },
  cert_set: { required: file },
  cert_new: { required: file },
  ca_set: { required: file },
  ca_new: { required: file },
  crl_set: { required: file },
  crl_new: { required: file },
  crtlist_add: { required: { ...file, cert: text, options: texts, sni_filters: texts } },
  crtlist_del: { required: { ...file, cert: text }, optional: { line: integer } },
};

const schemaOf = ({ required, optional }: Shape) => ({
  type: 'object',
  required: Object.keys(required),
  properties: { ...required, ...optional },
});

/** Of the fields of each kind of operation. Compiled ahead in the bundle. */
export const operationValidators = compileSchemas(
  Object.fromEntries(Object.entries(shapes).map(([kind, shape]) => [kind, schemaOf(shape)])),
);
