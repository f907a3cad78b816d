import { describe, expect, it } from 'vitest';
import { createKnownBad } from '../../../src/agent/apply/known-bad.ts';
import type { HeldFile } from '../../../src/agent/files/held-files.ts';
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
  files: [],
  ops: [{ kind: 'map_replace', path: 'a.map' }],
  mode: 'auto',
  ...more,
});
const held: HeldFile = { digest: '0123456789abcdef', proof: '0123456789abcdef', size: 3, kind: 'config' };
const map: HeldFile = { ...held, kind: 'map' };
const files = new Map([
  ['haproxy.cfg', held],
  ['a.map', map],
]);
const reversed = new Map([...files].reverse());

describe('work that HAProxy refused', () => {
  it('is known for a minute, whoever asks, whatever he thinks is applied, and however much of the files the manifest says', () => {
    let now = 0;
    const known = createKnownBad(() => now);
    expect(known.find(manifest(), files)).toBeUndefined();
    known.remember(manifest(), files, 'line 7');
    const again = manifest({
      token: { leader_epoch: 2, render_seq: 9 },
      expected_prev_plan_id: 'other',
      expected_prev_plan_proof: '',
      validated_plan_id: 'v',
      validated_plan_proof: 'a:1',
      removed_files: ['b.map'],
    });
    expect(known.find(again, reversed)).toBe('line 7');
    now = 59_999;
    expect(known.find(again, reversed)).toBe('line 7');
    now = 60_000;
    expect(known.find(again, reversed)).toBeUndefined();
  });

  it.each<[string, Partial<ApplyManifest>]>([
    ['plan', { plan_id: 'q' }],
    ['mode', { mode: 'reload' }],
    ['operations', { ops: [] }],
    ['more operations', { op_batches: [[{ kind: 'map_replace', path: 'b.map' }]] }],
    ['in-place operations', { in_place_ops: [{ kind: 'map_replace', path: 'b.map' }] }],
    ['worker state', { expected_worker_ops_plan_id: 'other' }],
    ['occurrence of it', { expected_worker_ops_plan_proof: 'a:2' }],
  ])('is another one with another %s', (_what, change) => {
    const known = createKnownBad(() => 0);
    known.remember(manifest(), files, 'no');
    expect(known.find(manifest(change), files)).toBeUndefined();
  });

  it.each<[string, ReadonlyMap<string, HeldFile>]>([
    ['content', new Map([...files, ['a.map', { ...map, digest: 'f'.repeat(16) }]])],
    ['proof', new Map([...files, ['a.map', { ...map, proof: '' }]])],
    ['size', new Map([...files, ['a.map', { ...map, size: 4 }]])],
    ['kind of file', new Map([...files, ['a.map', held]])],
    ['file more', new Map([...files, ['b.map', map]])],
    ['file less', new Map([['haproxy.cfg', held]])],
  ])('is another one with another %s', (_what, others) => {
    const known = createKnownBad(() => 0);
    known.remember(manifest(), files, 'no');
    expect(known.find(manifest(), others)).toBeUndefined();
  });

  it('is kept in its newest cases only', () => {
    const known = createKnownBad(() => 0);
    for (let n = 0; n < 20; n++) known.remember(manifest({ plan_id: `p${String(n)}` }), files, String(n));
    expect(known.find(manifest({ plan_id: 'p3' }), files)).toBeUndefined();
    expect(known.find(manifest({ plan_id: 'p4' }), files)).toBe('4');
    known.remember(manifest({ plan_id: 'p4' }), files, 'newer words');
    expect(known.find(manifest({ plan_id: 'p4' }), files)).toBe('newer words');
  });
});
