import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { applyParts, type ApplyPart } from '../../../src/agent/apply/apply-parts.ts';
import { readBytes } from '../../../src/agent/apply/read-bytes.ts';
import { eventually } from '../../fixtures/haproxy-process.ts';

/** A body as a browser or undici would send it, cut into chunks of `chunk` bytes. */
async function bodyOf(form: FormData, chunk = 7) {
  const request = new Request('http://x', { method: 'POST', body: form });
  const bytes = Buffer.from(await request.arrayBuffer());
  const pieces = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, index) =>
    bytes.subarray(index * chunk, (index + 1) * chunk),
  );
  return {
    body: Readable.from(pieces),
    headers: { 'content-type': request.headers.get('content-type') ?? '' },
  };
}
const read = async (body: Readable, headers: Record<string, string>) => {
  const seen: string[] = [];
  for await (const part of applyParts(body, headers)) {
    if (part.kind === 'manifest') seen.push(`manifest ${part.text}`);
    else {
      const bytes = await readBytes(part.content, 1 << 20, 'it');
      seen.push(`${part.kind === 'file' ? part.path : 'plan'} ${bytes.toString()}`);
    }
  }
  return seen;
};

describe('the body of an apply', () => {
  const form = () => {
    const data = new FormData();
    data.append('manifest', '{"a":1}');
    data.append('file', new File(['one\n'], 'maps/host.map'));
    data.append('file', new File([''], 'deep/er/empty'));
    data.append('plan', new File(['blob'], 'plan'));
    return data;
  };

  it.each([1, 7, 1000])(
    'is read in order, with folders in filenames, in chunks of %i bytes',
    async (chunk) => {
      const { body, headers } = await bodyOf(form(), chunk);
      expect(await read(body, headers)).toEqual([
        'manifest {"a":1}',
        'maps/host.map one\n',
        'deep/er/empty ',
        'plan blob',
      ]);
    },
  );

  it('may not stall: whoever waits for it in the middle of a file learns that', async () => {
    const { body: whole, headers } = await bodyOf(form(), 1000);
    const [first] = (await whole.toArray()) as Buffer[];
    const body = new Readable({ read: () => undefined });
    body.push(first?.subarray(0, -120));
    const parts = applyParts(body, headers, 30);
    await expect(
      (async () => {
        for await (const part of parts)
          if (part.kind !== 'manifest') await readBytes(part.content, 1 << 20, 'it');
      })(),
    ).rejects.toThrow('stalls: not a byte came for 30 ms');
  });

  it('may not stall before its first part', async () => {
    const { headers } = await bodyOf(form());
    const body = new Readable({ read: () => undefined });
    await expect(applyParts(body, headers, 30).next()).rejects.toThrow('stalls');
  });

  it('does not stall as long as its reader holds it back', async () => {
    const large = new FormData();
    large.append('manifest', '{}');
    large.append('file', new File(['x'.repeat(500_000)], 'a'));
    const { body, headers } = await bodyOf(large, 10_000);
    const parts = applyParts(body, headers, 20);
    await parts.next();
    const held = (await parts.next()) as IteratorResult<ApplyPart, undefined>;
    await eventually('it is held back', () => (body.isPaused() ? true : undefined));
    await sleep(100);
    if (held.value?.kind !== 'file') throw new Error('a file is expected');
    expect(await readBytes(held.value.content, 1 << 20, 'it')).toHaveLength(500_000);
    expect((await parts.next()).done).toBe(true);
  });

  it('waits for its reader: a part that is not read holds the next one back', async () => {
    const large = new FormData();
    large.append('manifest', '{}');
    large.append('file', new File(['x'.repeat(500_000)], 'a'));
    const { body, headers } = await bodyOf(large, 10_000);
    const parts = applyParts(body, headers);
    await parts.next();
    const second = await parts.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(body.readableEnded).toBe(false);
    if (second.done === true || second.value.kind !== 'file') throw new Error('no file');
    expect((await readBytes(second.value.content, 1 << 20, 'it')).length).toBe(500_000);
    expect((await parts.next()).done).toBe(true);
  });

  it('is let through to its end when the reader stops early', async () => {
    const { body, headers } = await bodyOf(form());
    const parts = applyParts(body, headers);
    await parts.next();
    await parts.return(undefined);
    await expect.poll(() => body.readableEnded).toBe(true);
  });

  it('ends the reading of a file when the connection is lost in its middle', async () => {
    const { body: whole, headers } = await bodyOf(form());
    const bytes = Buffer.concat((await whole.toArray()) as Buffer[]);
    const body = new Readable({ read: () => undefined });
    body.push(bytes.subarray(0, bytes.indexOf('one\n') + 2));
    const reading = read(body, headers);
    setImmediate(() => body.destroy());
    await expect(reading).rejects.toThrow('ended early');
  });

  it('must be multipart, end where it says, and contain known parts', async () => {
    const unknown = new FormData();
    unknown.append('surprise', 'x');
    const strange = await bodyOf(unknown);
    await expect(read(strange.body, strange.headers)).rejects.toThrow('unknown part "surprise"');
    await expect(read(Readable.from(['x']), { 'content-type': 'text/plain' })).rejects.toThrow('multipart');
    const cut = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc';
    await expect(
      read(Readable.from([cut]), { 'content-type': 'multipart/form-data; boundary=b' }),
    ).rejects.toThrow();
    const broken = new Readable({ read: () => undefined });
    const failing = read(broken, { 'content-type': 'multipart/form-data; boundary=b' });
    broken.destroy(new Error('connection lost'));
    await expect(failing).rejects.toThrow('ended early');
  });
});
