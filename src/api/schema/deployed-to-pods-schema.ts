import type { StructuralSchema } from '../structural-schema.ts';

const id = { type: 'string', maxLength: 256 } as const;
const time = { type: 'string', format: 'date-time' } as const;

/** `status.deployedToPods` of what is published: what each HAProxy pod holds and runs. */
export const deployedToPodsSchema = {
  type: 'array',
  description: 'What each HAProxy pod holds and runs.',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['podName'],
  items: {
    type: 'object',
    required: ['podName'],
    properties: {
      podName: { ...id, description: 'Name of the pod.' },
      podUID: { ...id, description: 'Its UID.' },
      podRuntimeID: { ...id, description: 'Which start of its agent; a restart of the pod gives another.' },
      checksum: {
        ...id,
        description:
          'Checksum of the haproxy.cfg that it holds: sha256:<hex>. Not there if that was not published.',
      },
      deployedAt: { ...time, description: 'When it was brought there.' },
      appliedPlanID: { ...id, description: 'The render whose files it holds.' },
      runningPlanID: { ...id, description: 'The render that HAProxy runs.' },
      mode: {
        type: 'string',
        enum: ['runtime', 'file_only', 'reload', 'scheduled', 'noop', 'rejected'],
        description:
          'How it got there. runtime: by commands, no reload. file_only: files that HAProxy does not read now. reload: by a reload. scheduled: the reload is due. noop: it was there. rejected: it refused.',
      },
      reasons: {
        type: 'array',
        description: 'Why it took a reload; the last may say how many were left out.',
        maxItems: 8,
        items: { type: 'string', maxLength: 1024 },
      },
      lastReloadAt: { ...time, description: 'When HAProxy last reloaded.' },
      syncDuration: { ...id, description: 'How long the last delivery took: 12ms.' },
      lastError: { type: 'string', maxLength: 4096, description: 'Why the last delivery failed.' },
      lastErrorAt: { ...time, description: 'When it failed.' },
      consecutiveErrors: {
        type: 'integer',
        format: 'int32',
        minimum: 0,
        description: 'Deliveries that failed since the last that did not; written at 1, 2, 4, 8 …',
      },
    },
  },
} as const satisfies StructuralSchema;
