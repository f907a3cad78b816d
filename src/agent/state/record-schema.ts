import { applyResultModes } from '../../protocol/apply-result-modes.ts';

const planRef = {
  type: 'object',
  required: ['id', 'proof'],
  additionalProperties: false,
  properties: { id: { type: 'string' }, proof: { type: 'string' } },
} as const;

const count = { type: 'integer', minimum: 0 } as const;
/** A proxy's or server's name, as it goes into a command. */
const name = { type: 'string', pattern: '^[A-Za-z0-9_.:-]+$' } as const;
const digest = { type: 'string', pattern: '^[0-9a-f]{16}$' } as const;

const token = {
  type: 'object',
  required: ['leader_epoch', 'render_seq'],
  additionalProperties: false,
  properties: { leader_epoch: count, render_seq: count },
} as const;

const heldFile = {
  type: 'object',
  required: ['digest', 'proof', 'size', 'kind'],
  additionalProperties: false,
  properties: {
    digest,
    proof: { type: 'string' },
    size: count,
    kind: { type: 'string', enum: ['config', 'map', 'cert', 'ca', 'crl', 'crtlist', 'general'] },
  },
} as const;

const filePatch = {
  type: 'object',
  required: ['base_digest', 'base_size', 'offset', 'length', 'bytes'],
  additionalProperties: false,
  properties: {
    base_digest: digest,
    base_size: count,
    offset: count,
    length: count,
    /** Base64. */
    bytes: { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' },
  },
} as const;

const keyword = {
  type: 'object',
  required: ['name', 'args'],
  additionalProperties: false,
  properties: {
    name: { type: 'string' },
    args: { type: 'array', items: { type: 'string' } },
  },
} as const;

/** Only links that the agent makes: `.haptic-lkg/<name>`, in the base dir or in a mount below it. */
const journalEntry = {
  oneOf: [
    {
      type: 'object',
      required: ['kind', 'link'],
      additionalProperties: false,
      properties: {
        kind: { type: 'string', enum: ['modified', 'deleted'] },
        link: { type: 'string', pattern: '^(?:[^./][^/]*/)*\\.haptic-lkg/[a-z0-9-]+$' },
        held: heldFile,
      },
    },
    {
      type: 'object',
      required: ['kind'],
      additionalProperties: false,
      properties: { kind: { type: 'string', enum: ['created'] } },
    },
  ],
} as const;

const pendingDelete = {
  type: 'object',
  required: ['target', 'cut_off_at_unix_ms'],
  additionalProperties: false,
  properties: {
    target: {
      oneOf: [
        {
          type: 'object',
          required: ['kind', 'backend', 'server'],
          additionalProperties: false,
          properties: {
            kind: { type: 'string', enum: ['server'] },
            backend: name,
            server: name,
            keywords: { type: 'array', items: keyword },
          },
        },
        {
          type: 'object',
          required: ['kind', 'backend'],
          additionalProperties: false,
          properties: {
            kind: { type: 'string', enum: ['backend'] },
            backend: name,
            profile: { type: 'string' },
            mode: { type: 'string', enum: ['http', 'tcp'] },
            guid: { type: 'string' },
          },
        },
      ],
    },
    cut_off_at_unix_ms: count,
  },
} as const;

/** Name and version of the state file's format; a file of another is foreign. */
export const recordFormat = 'haptic-agent-record';
export const recordVersion = 2;

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
    'lkg',
    'wanted',
    'reload_pending',
    'last_reload_at_unix_ms',
    'worker',
    'files_committed_at_unix_micros',
    'blob',
    'pending_deletes',
    'last_apply',
    'journal',
    'files',
  ],
  additionalProperties: false,
  properties: {
    format: { type: 'string', enum: [recordFormat] },
    version: { type: 'integer', enum: [recordVersion] },
    phase: { type: 'string', enum: ['committed', 'scheduled', 'applying', 'placing', 'aborting'] },
    generation: count,
    proof_counter: count,
    applied_token: token,
    applied: planRef,
    running: planRef,
    worker_ops: planRef,
    lkg: planRef,
    wanted: {
      type: 'object',
      nullable: true,
      required: ['plan', 'token', 'changes', 'worker'],
      additionalProperties: false,
      properties: {
        plan: planRef,
        token,
        changes: { type: 'object', additionalProperties: { ...heldFile, nullable: true } },
        /** Absent: none. */
        patches: { type: 'object', additionalProperties: filePatch },
        worker: { type: 'boolean' },
      },
    },
    reload_pending: {
      type: 'object',
      nullable: true,
      required: ['at'],
      additionalProperties: false,
      properties: { at: count, reason: { type: 'string' } },
    },
    last_reload_at_unix_ms: count,
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
    pending_deletes: { type: 'array', items: pendingDelete },
    /** An answer of this agent, in the form of the wire; handed out again and never acted upon. */
    last_apply: {
      type: 'object',
      nullable: true,
      required: ['plan_id', 'ok', 'mode'],
      properties: {
        plan_id: { type: 'string' },
        ok: { type: 'boolean' },
        mode: { type: 'string', enum: applyResultModes },
      },
    },
    journal: { type: 'object', additionalProperties: journalEntry },
    files: { type: 'object', additionalProperties: heldFile },
    /** There, also if it is empty: `files` is what differs from the set of the file's first line, of which these went. */
    removed_files: { type: 'array', items: { type: 'string' } },
  },
} as const;
