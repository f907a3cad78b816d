import { describe, expect, it } from 'vitest';
import { parseManifest } from '../../../src/agent/apply/parse-manifest.ts';
import type { ApplyManifest, ManifestFile } from '../../../src/protocol/wire.ts';

const rules = { configFile: 'haproxy.cfg', reserved: new Set(['haproxy-master.sock']) };
const file = (path: string, more: Partial<ManifestFile> = {}): ManifestFile => ({
  path,
  digest: '0123456789abcdef',
  proof: '0123456789abcdef',
  size: 10,
  kind: 'general',
  reload_on_change: false,
  ...more,
});
const manifest = (more: Partial<ApplyManifest> = {}): ApplyManifest => ({
  identity_version: 1,
  plan_id: 'p1',
  plan_schema_version: 1,
  token: { leader_epoch: 1, render_seq: 1 },
  expected_prev_plan_id: '',
  expected_prev_plan_proof: '',
  expected_worker_ops_plan_id: '',
  expected_worker_ops_plan_proof: '',
  files: [file('haproxy.cfg', { kind: 'config' })],
  ops: [],
  mode: 'auto',
  ...more,
});
const workerKnown = { expected_worker_ops_plan_id: 'p0', expected_worker_ops_plan_proof: 'a:1' };
const parse = (value: unknown) => parseManifest(JSON.stringify(value), rules);
const withFiles = (...files: ManifestFile[]) => manifest({ files: [file('haproxy.cfg'), ...files] });

describe('a manifest', () => {
  it('is taken as it is', () => {
    for (const known of [manifest(workerKnown), manifest({ mode: 'reload' })])
      expect(parse(known)).toEqual({ ok: true, manifest: known });
  });

  it('becomes a reload when its author does not say what the worker is on', () => {
    const blind = manifest({ ops: [{ kind: 'map_replace', path: 'a.map' }], op_batches: [[]] });
    expect(parse(blind)).toEqual({ ok: true, manifest: manifest({ mode: 'reload' }) });
  });

  it('of a revert names the plan to leave, and no files', () => {
    const revert = manifest({ mode: 'revert_lkg', plan_proof: 'a:1', files: [] });
    expect(parse(revert)).toEqual({ ok: true, manifest: revert });
    expect(parse({ ...revert, files: [file('haproxy.cfg')] })).toMatchObject({
      ok: false,
      message: 'files: mode revert_lkg takes none',
    });
  });

  it.each(['worker_ops_plan_id', 'expected_worker_ops_plan_id', 'expected_worker_ops_plan_proof'] as const)(
    'with in-place operations needs %s',
    (field) => {
      const whole = manifest({
        ...workerKnown,
        worker_ops_plan_id: 'p2',
        in_place_ops: [{ kind: 'server_disable', backend: 'b', server: 's' }],
        mode: 'reload',
      });
      expect(parse(whole)).toEqual({ ok: true, manifest: whole });
      expect(parse({ ...whole, [field]: '' })).toEqual({
        ok: false,
        message: `in_place_ops need ${field}`,
      });
    },
  );

  it('of changes needs no configuration, and says what goes', () => {
    const changes = manifest({ ...workerKnown, files: [file('a')], removed_files: ['b', 'c/d'] });
    expect(parse(changes)).toEqual({ ok: true, manifest: changes });
    expect(parse({ ...changes, files: [] })).toMatchObject({ ok: true });
  });

  it('may have fields of a later version and operations of unknown kinds', () => {
    const later = { ...manifest(), novelty: 1, ops: [{ kind: 'teleport', to: 'mars' }] };
    expect(parse(later)).toMatchObject({ ok: true });
  });

  it.each<[string, unknown, string]>([
    ['nothing', {}, 'identity_version'],
    ['another identity version', { ...manifest(), identity_version: 2 }, '/identity_version'],
    ['an empty plan id', manifest({ plan_id: '' }), '/plan_id'],
    ['a negative epoch', manifest({ token: { leader_epoch: -1, render_seq: 0 } }), '/token/leader_epoch'],
    ['a digest that is none', withFiles(file('a', { digest: 'XYZ' })), '/files/1/digest'],
    [
      'an unknown kind of file',
      { ...manifest(), files: [{ ...file('haproxy.cfg'), kind: 'x' }] },
      '/files/0/kind',
    ],
    ['an unknown mode', { ...manifest(), mode: 'try' }, '/mode'],
    ['more operations than a batch holds', { ...manifest(), ops: Array(1001).fill({ kind: 'x' }) }, '/ops'],
    ['more batches than fit', { ...manifest(), op_batches: Array(8).fill([]) }, '/op_batches'],
    ['no configuration', manifest({ files: [file('maps/a.map')] }), 'haproxy.cfg is missing'],
    ['a path outside', withFiles(file('../x')), '"../x"'],
    ['a path twice', withFiles(file('a'), file('a')), 'there twice'],
    ['a path below a file', withFiles(file('a'), file('a/b')), '"a/b" lies below another file'],
    ['a socket', withFiles(file('haproxy-master.sock')), 'not the controller'],
    [
      'a patch beyond its base',
      withFiles(
        file('a', { patch: { base_digest: '0123456789abcdef', base_size: 4, offset: 3, length: 2 } }),
      ),
      'beyond the end',
    ],
    [
      'a patch whose sizes do not add up',
      withFiles(
        file('a', {
          size: 1,
          patch: { base_digest: '0123456789abcdef', base_size: 9, offset: 0, length: 2 },
        }),
      ),
      'removes more',
    ],
    [
      'a removed configuration',
      manifest({ files: [], removed_files: ['haproxy.cfg'] }),
      'haproxy.cfg is missing then',
    ],
    [
      'a removed file that stays',
      manifest({ removed_files: ['haproxy.cfg2', 'a'], files: [file('a')] }),
      '"a" is among files',
    ],
    ['removed files that are none', { ...manifest(), removed_files: [1] }, '/removed_files/0'],
    [
      'changes in a revert',
      manifest({ mode: 'revert_lkg', plan_proof: 'a:1', files: [], removed_files: [] }),
      'takes none',
    ],
    ['half a validated plan', manifest({ validated_plan_id: 'p' }), 'go together'],
    ['a revert of no one occurrence', manifest({ mode: 'revert_lkg', files: [] }), 'needs plan_proof'],
  ])('with %s is refused by field', (_what, value, expected) => {
    const parsed = parse(value);
    expect(parsed).toMatchObject({ ok: false });
    if (!parsed.ok) expect(parsed.message).toContain(expected);
  });

  it('that is not JSON is refused', () => {
    expect(parseManifest('{', rules)).toEqual({ ok: false, message: 'the manifest is not JSON' });
  });
});
