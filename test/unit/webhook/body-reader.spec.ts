import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createBodyReader } from '../../../src/webhook/body-reader.ts';
import { countValues } from '../../../src/webhook/count-values.ts';

const limits = { bodyBytes: 1_000, bodyValues: 10, heldBytes: 1_500 };

function* pieces(size: number): Iterable<Buffer> {
  for (let at = 0; at < size; at += 65_536) yield Buffer.alloc(65_536, 'x');
}

function sent(...parts: readonly string[]): PassThrough {
  const body = new PassThrough();
  for (const part of parts) body.write(part);
  return body;
}
const complete = (...parts: readonly string[]) => sent(...parts).end();

describe('values of a JSON text', () => {
  it.each([
    ['1', 0],
    ['[]', 1],
    ['[1,2,3]', 3],
    ['{"a":{"b":[]},"c":1}', 4],
    ['"a,b,[{\\",\\\\"', 0],
    ['["\\"",","]', 2],
    ['["\\\\",1,"\\\\\\",",2]', 4],
  ])('are counted outside of strings: %s', (text, values) => {
    const whole = countValues();
    expect(whole(Buffer.from(text))).toBe(values);
    const byByte = countValues();
    for (const byte of Buffer.from(text)) byByte(Buffer.from([byte]));
    expect(byByte(Buffer.of())).toBe(values);
  });
});

describe('a body', () => {
  it('is read, whatever pieces it comes in', async () => {
    const read = createBodyReader(limits);
    const letters = Buffer.from('"é"');
    const body = new PassThrough();
    for (const byte of letters) body.write(Buffer.from([byte]));
    body.end();
    expect(await read(body).text).toBe('"é"');
    expect(await read(complete()).text).toBe('');
  });

  it.each([
    ['bytes', ' '.repeat(1_001), 'the body is larger than 1000 bytes'],
    ['values', '['.repeat(11), 'the body is of more than 10 values'],
  ])('ends where there are too many %s, without a look at the rest', async (_what, text, message) => {
    const read = createBodyReader(limits);
    const body = sent(text);
    await expect(read(body).text).rejects.toMatchObject({ code: 'HAPTIC_ERR_WEBHOOK_SIZE', message });
    expect(body.listenerCount('data')).toBe(0);
  });

  it('that comes slowly makes room for others', async () => {
    const read = createBodyReader(limits);
    const slow = [1, 2].map(() => read(sent('x'.repeat(700))));
    const gaveUp = expect(slow[0]?.text).rejects.toMatchObject({ code: 'HAPTIC_ERR_WEBHOOK_BUSY' });
    expect(await read(complete('y'.repeat(600))).text).toHaveLength(600);
    await gaveUp;
    const last = read(complete('z'.repeat(100)));
    expect(await last.text).toHaveLength(100);
  });

  it('is no burden for others, however much there is of it: the event loop has its turns', async () => {
    const size = 8 * 1024 * 1024;
    const read = createBodyReader({ ...limits, bodyBytes: size, heldBytes: 10 * size });
    let turns = 0;
    const turn = (): void => {
      turns++;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    // All of it is there already.
    const bodies = Array.from({ length: 4 }, () => Readable.from(pieces(size), { objectMode: true }));
    const texts = await Promise.all(bodies.map((body) => read(body).text));
    clearImmediate(next);
    expect(texts.map(({ length }) => length)).toEqual([size, size, size, size]);
    expect(turns).toBeGreaterThanOrEqual(16);
  });

  it('counts until it was answered', async () => {
    const read = createBodyReader(limits);
    const first = read(complete('x'.repeat(900)));
    await first.text;
    await expect(read(complete('y'.repeat(900))).text).rejects.toMatchObject({
      code: 'HAPTIC_ERR_WEBHOOK_BUSY',
    });
    first.release();
    first.release();
    expect(await read(complete('y'.repeat(900))).text).toHaveLength(900);
  });

  it('counts by its values, too: they take more memory than they are long', async () => {
    const read = createBodyReader({ ...limits, heldBytes: 400 });
    await expect(read(complete('[[[[[[[[[[')).text).rejects.toMatchObject({
      code: 'HAPTIC_ERR_WEBHOOK_BUSY',
    });
  });

  it('is none when its sender gives up', async () => {
    const read = createBodyReader(limits);
    const body = sent('x'.repeat(900));
    const { text } = read(body);
    body.destroy();
    await expect(text).rejects.toMatchObject({ code: 'HAPTIC_ERR_WEBHOOK_REVIEW' });
    expect(await read(complete('y'.repeat(900))).text).toHaveLength(900);
  });
});
