import type { StructuralSchema } from '../structural-schema.ts';

const id = { type: 'string', maxLength: 256 } as const;
const checksum = { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' } as const;

/** A render that is kept with everything that it takes to deliver it again. */
export const retainedSchemas = {
  spec: {
    type: 'object',
    description: 'Of a render that is kept to be delivered again when no render can be made.',
    required: ['planID', 'parts', 'deliveredTo'],
    properties: {
      planID: { ...id, description: 'The render.' },
      parts: {
        type: 'array',
        'x-kubernetes-list-type': 'atomic',
        maxItems: 64,
        description: 'The Secrets that hold all of its files, in their order.',
        items: {
          type: 'object',
          required: ['name', 'checksum'],
          properties: {
            name: { ...id, description: 'Name of the Secret.' },
            checksum: { ...checksum, description: 'sha256:<hex> of its content.' },
          },
        },
      },
      matchLabels: {
        type: 'object',
        description: 'Labels of the HAProxy pods that it was delivered to.',
        additionalProperties: id,
      },
      port: { type: 'integer', minimum: 1, maximum: 65_535, description: 'Port of their agents.' },
      deliveredTo: {
        type: 'array',
        'x-kubernetes-list-type': 'atomic',
        maxItems: 64,
        description: 'Pods that ran it when it was written down, the first 64 of them.',
        items: {
          type: 'object',
          required: ['podName'],
          properties: {
            podName: { ...id, description: 'Name of the pod.' },
            podUID: { ...id, description: 'Its UID.' },
            podRuntimeID: { ...id, description: 'Which start of its agent.' },
            mode: { ...id, description: 'How it got there.' },
          },
        },
      },
    },
  },
  list: {
    type: 'array',
    'x-kubernetes-list-type': 'atomic',
    maxItems: 16,
    description: 'HAProxyCfgs of renders that are kept to be delivered again, the newest first.',
    items: {
      type: 'object',
      required: ['name', 'uid', 'planID', 'checksum'],
      properties: {
        name: { ...id, description: 'Name of the HAProxyCfg.' },
        uid: { ...id, description: 'Its UID.' },
        planID: { ...id, description: 'The render.' },
        checksum: { ...checksum, description: 'sha256:<hex> of its haproxy.cfg.' },
      },
    },
  },
} as const satisfies Readonly<Record<string, StructuralSchema>>;
