import { limits } from '../../protocol/limits.ts';
import { identityVersion } from '../../protocol/wire.ts';

const word = { type: 'string', maxLength: 256 } as const;
const count = { type: 'integer', minimum: 0 } as const;
const digest = { type: 'string', pattern: '^[0-9a-f]{16}$' } as const;

const token = {
  type: 'object',
  required: ['leader_epoch', 'render_seq'],
  properties: { leader_epoch: count, render_seq: count },
} as const;

const operations = {
  type: 'array',
  maxItems: limits.operationsPerBatch,
  items: { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } },
} as const;

/**
 * JSON Schema of an apply manifest. Unknown fields are ignored (the protocol grows by addition) and operations are looked at
 * only as far as their kind: one that the agent cannot run is a reload, not an error.
 */
export const manifestSchema = {
  type: 'object',
  required: [
    'identity_version',
    'plan_id',
    'plan_schema_version',
    'token',
    'expected_prev_plan_id',
    'expected_prev_plan_proof',
    'expected_worker_ops_plan_id',
    'expected_worker_ops_plan_proof',
    'files',
    'ops',
    'mode',
  ],
  properties: {
    identity_version: { type: 'integer', enum: [identityVersion] },
    plan_id: { type: 'string', minLength: 1, maxLength: 256 },
    plan_proof: word,
    plan_schema_version: count,
    token,
    expected_prev_plan_id: word,
    expected_prev_plan_proof: word,
    expected_prev_token: token,
    expected_worker_ops_plan_id: word,
    expected_worker_ops_plan_proof: word,
    worker_ops_plan_id: word,
    worker_ops_plan_proof: word,
    validated_plan_id: word,
    validated_plan_proof: word,
    files: {
      type: 'array',
      maxItems: limits.files,
      items: {
        type: 'object',
        required: ['path', 'digest', 'size', 'kind', 'reload_on_change'],
        properties: {
          path: { type: 'string' },
          digest,
          proof: word,
          size: { type: 'integer', minimum: 0, maximum: limits.applyBodyBytes },
          kind: { type: 'string', enum: ['config', 'map', 'cert', 'ca', 'crl', 'crtlist', 'general'] },
          reload_on_change: { type: 'boolean' },
          patch: {
            type: 'object',
            required: ['base_digest', 'base_size', 'offset', 'length'],
            properties: { base_digest: digest, base_size: count, offset: count, length: count },
          },
        },
      },
    },
    removed_files: { type: 'array', maxItems: limits.files, items: { type: 'string' } },
    ops: operations,
    op_batches: { type: 'array', maxItems: limits.operationBatches - 1, items: operations },
    in_place_ops: operations,
    mode: { type: 'string', enum: ['auto', 'reload', 'revert_lkg'] },
  },
} as const;
