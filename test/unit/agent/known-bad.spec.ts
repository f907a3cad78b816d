import { describe, expect, it } from 'vitest';
import { createKnownBad } from '../../../src/agent/apply/known-bad.ts';
import type { ApplyManifest } from '../../../src/protocol/wire.ts';

const manifest = (more: Partial<ApplyManifest> = {}): ApplyManifest => ({
  identity_version: 1,
  plan_id: 'p',
  plan_schema_version: 1,
  token: { leader_epoch: 1, render_seq: 1 },
  expected_prev_plan_id: 'before',
  expected_prev_plan_proof: 'a:1',
  expected_worker_ops_plan_id: 'worker',
  expected_worker_ops_plan_proof: 'a:1',
  files: [
    {
      path: 'haproxy.cfg',
      digest: '0123456789abcdef',
      proof: '0123456789abcdef',
      size: 3,
      kind: 'config',
      reload_on_change: false,
      patch: { base_digest: '0123456789abcdef', base_size: 3, offset: 0, length: 1 },
    },
  ],
  ops: [{ kind: 'map_replace', path: 'a.map' }],
  mode: 'auto',
  ...more,
});
const files = manifest().files;

describe('work that HAProxy refused', () => {
  it('is known for a minute, whoever asks, whatever he thinks is applied, and however the bytes travel', () => {
    let now = 0;
    const known = createKnownBad(() => now);
    expect(known.find(manifest())).toBeUndefined();
    known.remember(manifest(), 'line 7');
    const again = manifest({
      token: { leader_epoch: 2, render_seq: 9 },
      expected_prev_plan_id: 'other',
      expected_prev_plan_proof: '',
      validated_plan_id: 'v',
      validated_plan_proof: 'a:1',
      files: files.map(({ patch: _patch, ...file }) => file),
    });
    expect(known.find(again)).toBe('line 7');
    now = 59_999;
    expect(known.find(again)).toBe('line 7');
    now = 60_000;
    expect(known.find(again)).toBeUndefined();
  });

  it.each<[string, Partial<ApplyManifest>]>([
    ['plan', { plan_id: 'q' }],
    ['mode', { mode: 'reload' }],
    ['content', { files: files.map((file) => ({ ...file, digest: 'f'.repeat(16) })) }],
    ['size', { files: files.map((file) => ({ ...file, size: 4 })) }],
    ['path', { files: files.map((file) => ({ ...file, path: 'b.cfg' })) }],
    ['operations', { ops: [] }],
    ['more operations', { op_batches: [[{ kind: 'map_replace', path: 'b.map' }]] }],
    ['in-place operations', { in_place_ops: [{ kind: 'map_replace', path: 'b.map' }] }],
    ['worker state', { expected_worker_ops_plan_id: 'other' }],
    ['occurrence of it', { expected_worker_ops_plan_proof: 'a:2' }],
  ])('is another one with another %s', (_what, change) => {
    const known = createKnownBad(() => 0);
    known.remember(manifest(), 'no');
    expect(known.find(manifest(change))).toBeUndefined();
  });

  it('is kept in its newest cases only', () => {
    const known = createKnownBad(() => 0);
    for (let n = 0; n < 20; n++) known.remember(manifest({ plan_id: `p${String(n)}` }), String(n));
    expect(known.find(manifest({ plan_id: 'p3' }))).toBeUndefined();
    expect(known.find(manifest({ plan_id: 'p4' }))).toBe('4');
    known.remember(manifest({ plan_id: 'p4' }), 'newer words');
    expect(known.find(manifest({ plan_id: 'p4' }))).toBe('newer words');
  });
});
