import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type ApplyPart, applyParts } from '../../../src/agent/apply/apply-parts.ts';
import { encodeApply } from '../../../src/fleet/encode-apply.ts';
import type { ApplyRequest } from '../../../src/protocol/apply-request.ts';

const manifest = { plan_id: 'p' } as unknown as ApplyRequest['manifest'];
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The agent's own reading of a body. */
async function read(request: ApplyRequest): Promise<string[]> {
  const { body, headers } = encodeApply(request);
  const seen: string[] = [];
  for await (const part of applyParts(new PassThrough().end(body), headers)) seen.push(await shown(part));
  return seen;
}

async function shown(part: ApplyPart): Promise<string> {
  if (part.kind === 'manifest') return `manifest ${part.text}`;
  let content = '';
  for await (const chunk of part.content) content += String(chunk);
  return part.kind === 'plan' ? `plan ${content}` : `${part.path} ${content}`;
}

describe('encodeApply', () => {
  it('puts the manifest first, then the files with their folders, then the plan', async () => {
    const parts = [
      { path: 'haproxy.cfg', bytes: [bytes('global\n'), bytes('defaults\n')] },
      { path: 'maps/host.map', bytes: [bytes('ä b\n')] },
    ];
    expect(await read({ manifest, parts, plan: bytes('blob') })).toEqual([
      'manifest {"plan_id":"p"}',
      'haproxy.cfg global\ndefaults\n',
      'maps/host.map ä b\n',
      'plan blob',
    ]);
  });

  it('carries parts without bytes, and bytes that look like a boundary', async () => {
    const parts = [
      { path: 'maps/empty.map', bytes: [] },
      { path: 'general/odd', bytes: [bytes('--\r\n----------------------------0123\r\n')] },
    ];
    expect(await read({ manifest, parts })).toEqual([
      'manifest {"plan_id":"p"}',
      'maps/empty.map ',
      'general/odd --\r\n----------------------------0123\r\n',
    ]);
  });

  it('sends a view of a larger buffer as the view only', async () => {
    const whole = bytes('abcdef');
    expect(await read({ manifest, parts: [{ path: 'x', bytes: [whole.subarray(2, 4)] }] })).toContain('x cd');
  });
});
