const planRef = {
  type: 'object',
  required: ['id', 'proof'],
  additionalProperties: false,
  properties: { id: { type: 'string' }, proof: { type: 'string' } },
} as const;

const count = { type: 'integer', minimum: 0 } as const;
const names = { type: 'array', items: { type: 'string' } } as const;
const digest = { type: 'string', pattern: '^[0-9a-f]{16}$' } as const;

/** Name and version of the state file's format; a file of another is foreign. */
export const recordFormat = 'haptic-agent-record';
export const recordVersion = 1;

/** JSON Schema of the state file (docs/agent.md, "State file"). */
export const recordSchema = {
  type: 'object',
  required: [
    'format',
    'version',
    'phase',
    'generation',
    'proof_counter',
    'applied_token',
    'applied',
    'running',
    'worker_ops',
    'worker',
    'files_committed_at_unix_micros',
    'blob',
    'pending_deletes',
    'files',
  ],
  additionalProperties: false,
  properties: {
    format: { type: 'string', enum: [recordFormat] },
    version: { type: 'integer', enum: [recordVersion] },
    phase: { type: 'string', enum: ['committed', 'applying'] },
    generation: count,
    proof_counter: count,
    applied_token: {
      type: 'object',
      required: ['leader_epoch', 'render_seq'],
      additionalProperties: false,
      properties: { leader_epoch: count, render_seq: count },
    },
    applied: planRef,
    running: planRef,
    worker_ops: planRef,
    worker: {
      type: 'object',
      nullable: true,
      required: ['version', 'full_version', 'worker_pid', 'worker_start_time_unix_micros'],
      additionalProperties: false,
      properties: {
        version: { type: 'string' },
        full_version: { type: 'string' },
        worker_pid: count,
        worker_start_time_unix_micros: count,
      },
    },
    files_committed_at_unix_micros: count,
    blob: {
      type: 'object',
      nullable: true,
      required: ['id', 'proof', 'digest'],
      additionalProperties: false,
      properties: { ...planRef.properties, digest },
    },
    pending_deletes: {
      type: 'object',
      required: ['servers', 'backends'],
      additionalProperties: false,
      properties: { servers: names, backends: names },
    },
    files: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['digest', 'proof', 'size', 'kind'],
        additionalProperties: false,
        properties: {
          digest,
          proof: { type: 'string' },
          size: count,
          kind: { type: 'string', enum: ['config', 'map', 'cert', 'ca', 'crl', 'crtlist', 'general'] },
        },
      },
    },
  },
} as const;
