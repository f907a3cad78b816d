import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyParts } from '../../../src/agent/apply/apply-parts.ts';
import { encodeApply } from '../../../src/fleet/encode-apply.ts';
import type { ApplyRequest, FilePart } from '../../../src/protocol/apply-request.ts';
import type { ApplyManifest } from '../../../src/protocol/wire.ts';

const manifestOf = (extra: Partial<ApplyManifest> = {}): ApplyManifest => ({
  identity_version: 1,
  plan_id: 'p',
  plan_schema_version: 2,
  token: { leader_epoch: 1, render_seq: 2 },
  expected_prev_plan_id: '',
  expected_prev_plan_proof: '',
  expected_worker_ops_plan_id: '',
  expected_worker_ops_plan_proof: '',
  files: [{ path: 'haproxy.cfg', digest: '0'.repeat(16), size: 3, kind: 'config', reload_on_change: true }],
  ops: [{ kind: 'map_del', path: 'maps/ü.map', key: 'a"b' }],
  mode: 'auto',
  ...extra,
});

/** What an agent reads of it. */
async function read(request: ApplyRequest) {
  const { body, headers } = encodeApply(request);
  const seen: { kind: string; path?: string; text: string }[] = [];
  // In small pieces, as a network would bring them.
  const pieces = Array.from({ length: Math.ceil(body.byteLength / 100) }, (_, i) =>
    body.subarray(i * 100, (i + 1) * 100),
  );
  for await (const part of applyParts(Readable.from(pieces), headers)) {
    if (part.kind === 'manifest') seen.push({ kind: part.kind, text: part.text });
    else {
      const chunks: Buffer[] = [];
      for await (const chunk of part.content) chunks.push(Buffer.from(chunk as Uint8Array));
      seen.push({
        kind: part.kind,
        ...('path' in part ? { path: part.path } : {}),
        text: Buffer.concat(chunks).toString('latin1'),
      });
    }
  }
  return seen;
}

describe('encodeApply', () => {
  it('is read by an agent as what it was made of', async () => {
    const parts = [
      { path: 'haproxy.cfg', bytes: [Buffer.from('a'), Buffer.from('bc')] },
      { path: 'maps/deep/é.map', bytes: [Buffer.from('')] },
    ];
    const manifest = manifestOf();
    const [first, ...rest] = await read({ manifest, parts, plan: Buffer.from('blob') });
    expect(JSON.parse(first?.text ?? '')).toEqual(manifest);
    expect(rest).toEqual([
      { kind: 'file', path: 'haproxy.cfg', text: 'abc' },
      { kind: 'file', path: 'maps/deep/é.map', text: '' },
      { kind: 'plan', text: 'blob' },
    ]);
  });

  it('sends a view of a larger buffer as the view only', async () => {
    const whole = Buffer.from('abcdef');
    const [, file] = await read({
      manifest: manifestOf(),
      parts: [{ path: 'x', bytes: [whole.subarray(2, 4)] }],
    });
    expect(file).toEqual({ kind: 'file', path: 'x', text: 'cd' });
  });

  it('may have no part but the manifest', async () => {
    const [first, ...rest] = await read({ manifest: manifestOf({ files: [], ops: [] }), parts: [] });
    expect(JSON.parse(first?.text ?? '')).toEqual(manifestOf({ files: [], ops: [] }));
    expect(rest).toEqual([]);
  });

  it('gives every pod its own fence around what they share', async () => {
    const shared = { parts: [{ path: 'a', bytes: [Buffer.from('content')] }] satisfies FilePart[] };
    const manifest = manifestOf();
    for (const proof of ['a:1', 'a:2', 'a:3']) {
      const own = { ...manifest, expected_prev_plan_proof: proof };
      const [first, file] = await read({ manifest: own, ...shared });
      expect(JSON.parse(first?.text ?? '')).toEqual(own);
      expect(file?.text).toBe('content');
    }
  });

  it('carries any bytes, those that look like a boundary too', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.uint8Array({ maxLength: 300 }),
            fc.constantFrom('\r\n--', '----', '\r\n\r\n').map((text) => Buffer.from(text)),
          ),
          { maxLength: 5 },
        ),
        async (bytes) => {
          const [, file] = await read({ manifest: manifestOf(), parts: [{ path: 'x', bytes }] });
          expect(Buffer.from(file?.text ?? '', 'latin1')).toEqual(Buffer.concat(bytes));
        },
      ),
      { numRuns: 100 },
    );
  });
});
