import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesOf, getEntry, valuesOf } from '../../../src/lib/ordered-map.ts';
import { decodePlan } from '../../../src/plan/decode-plan.ts';
import { diff } from '../../../src/plan/diff.ts';
import { encodePlan } from '../../../src/plan/encode-plan.ts';
import { planBlobLines } from '../../../src/plan/plan-blob-lines.ts';
import { planOfLines } from '../../../src/plan/plan-of-lines.ts';
import { limits } from '../../../src/protocol/limits.ts';
import { baselineOf } from '../../fixtures/baseline.ts';
import { makePlan, type Sketch } from '../../fixtures/make-plan.ts';

const sketch: Sketch = {
  core: { global: 'global\n  # ä€🚦\n', same: 'defaults\n' },
  profiles: { std: ['timeout server 5s'] },
  backends: {
    api: {
      balance: 'leastconn',
      hashType: 'consistent',
      guid: 'g',
      servers: [
        { name: 'a', address: '10.0.0.1', port: 80, weight: 0, disabled: true, guid: 'h' },
        { name: 'b', address: '::1', port: 81, extra: [{ name: 'inter', args: ['2s'] }] },
      ],
      defaultServer: [{ name: 'check', args: [] }],
    },
    shop: { mode: 'tcp', body: ['stick on src'] },
  },
  maps: {
    'maps/host.map': { entries: [['a.example', 'api'], ['b.example', 'two words']] }, // prettier-ignore
    'maps/re.map': { ordered: true, entries: [['^/b', 'api'], ['^/a', 'api'], ['^/b', 'shop']] }, // prettier-ignore
  },
  crtLists: {
    'ssl/list.txt': [
      'certs/site.pem',
      { certificate: 'certs/site.pem', options: ['alpn', 'h2'], sniFilters: ['a.example', '!b.example'] },
    ],
    'ssl/empty.txt': [],
  },
  files: { 'certs/site.pem': { text: 'PRIVATE', kind: 'cert' } },
};
const plan = makePlan(sketch);

const unpack = async (blob: Uint8Array) => (await promisify(zstdDecompress)(blob)).toString();
const pack = (text: string) => promisify(zstdCompress)(Buffer.from(text));
const encode = async (one = plan) => (await encodePlan(one))!;
/** The reason why a blob with this change of its text is unusable. */
async function reasonFor(change: (text: string) => string): Promise<string> {
  const text = await unpack(await encode());
  const changed = change(text);
  expect(changed).not.toBe(text);
  const decoded = await decodePlan(await pack(changed));
  return decoded.kind === 'unusable' ? decoded.reason : decoded.kind;
}

describe('plan blob', () => {
  it('brings a plan back, whole', async () => {
    const decoded = await decodePlan(await encode());
    if (decoded.kind !== 'decoded') throw new Error(decoded.reason);
    for (const part of ['sections', 'backends', 'profiles'] as const)
      expect([...entriesOf<unknown>(decoded.plan[part])]).toEqual([...entriesOf<unknown>(plan[part])]);
    for (const map of valuesOf(plan.maps)) {
      const back = getEntry(decoded.plan.maps, map.path)!;
      expect(back.ordered).toBe(map.ordered);
      expect([...entriesOf(back.entries)]).toEqual([...entriesOf(map.entries)]);
    }
    for (const list of valuesOf(plan.crtLists))
      expect([...entriesOf(getEntry(decoded.plan.crtLists, list.path)!.entries)]).toEqual([
        ...entriesOf(list.entries),
      ]);
    expect(decoded.plan.id).toBe(plan.id);
    expect(diff(plan, baselineOf(decoded.plan)).verdict).toBe('noop');
  });

  it('has the bytes of the configuration and of maps, and no others', async () => {
    const decoded = await decodePlan(await encode());
    if (decoded.kind !== 'decoded') throw new Error(decoded.reason);
    const bytes = (path: string) => Buffer.concat(getEntry(decoded.plan.files, path)!.content());
    for (const path of ['haproxy.cfg', 'maps/host.map', 'maps/re.map', 'ssl/list.txt'])
      expect(bytes(path)).toEqual(Buffer.concat(getEntry(plan.files, path)!.content()));
    expect(() => bytes('certs/site.pem')).toThrow(
      expect.objectContaining({ code: 'HAPTIC_ERR_PLAN_CONTENT' }) as Error,
    );
    expect(await unpack(await encode())).not.toContain('PRIVATE');
  });

  it('does not repeat the text of sections in their records', async () => {
    const text = await unpack(await encode());
    expect(text.split('stick on src')).toHaveLength(3);
  });

  it('is refused when its schema is another', async () => {
    expect(await reasonFor((text) => text.replace('"schemaVersion":2', '"schemaVersion":1'))).toBe(
      'plan blob: it is of plan schema 1, not 2',
    );
  });

  const damages: Readonly<Record<string, [(text: string) => string, string | RegExp]>> = {
    'a changed address': [
      (text) => text.replace('"address":"10.0.0.1"', '"address":"10.0.0.9"'),
      /^plan blob: its content has id [0-9a-f]{16} instead of [0-9a-f]{16}$/,
    ],
    'a changed text': [
      (text) => text.replace('defaults\\n', 'defaultz\\n'),
      'plan blob: the texts of haproxy.cfg have another digest',
    ],
    'a changed map value': [
      (text) => text.replace('two words', 'two wordz'),
      'plan blob: the texts of maps/host.map have another digest',
    ],
    'a changed option of a certificate': [
      (text) => text.replace('["alpn","h2"]', '["alpn","h1"]'),
      'plan blob: the texts of ssl/list.txt have another digest',
    ],
    'an entry before its crt-list': [
      (text) => text.replace('\n', '\n["crtentry","0","a.pem",[],[],null]\n'),
      'plan blob: record 1: crt-list entry without a crt-list',
    ],
    'a missing line': [
      (text) => text.split('\n').slice(0, -2).join('\n'),
      /^plan blob: it has \d+ records instead of \d+$/,
    ],
    'a line that is no record': [(text) => `${text}["nothing"]\n`, /^plan blob: record \d+ is not one$/],
    'a line that is not JSON': [(text) => `${text}["file",`, /^plan blob: record \d+ is not one$/],
    'a field of the wrong type': [(text) => text.replace('"port":80', '"port":"80"'), /is not one$/],
    'an unknown field': [(text) => text.replace('"port":80', '"port":80,"x":1'), /is not one$/],
    'an entry before its map': [
      (text) => text.replace('\n', '\n["entry",null,"k","v",null,null]\n'),
      'plan blob: record 1: entry without a map',
    ],
    'a backend whose text is nowhere': [
      (text) => text.replace('["section","3 api","backend","api"', '["section","3 api","backend","apx"'),
      /backend api has no text$/,
    ],
    'no header': [() => 'x', 'plan blob: it has no header'],
  };
  it.each(Object.entries(damages))('is refused for %s', async (_name, [change, reason]) => {
    expect(await reasonFor(change)).toMatch(reason);
  });

  it('is refused when it is no zstd or was cut', async () => {
    const blob = await encode();
    for (const broken of [Buffer.from('junk'), blob.subarray(0, blob.byteLength - 5), new Uint8Array()])
      expect(await decodePlan(broken)).toMatchObject({ kind: 'unusable' });
  });

  it('never gives a plan of another id, however it is damaged', async () => {
    const blob = await encode();
    await fc.assert(
      fc.asyncProperty(fc.nat(blob.byteLength - 1), fc.integer({ min: 1, max: 255 }), async (at, bits) => {
        const damaged = Uint8Array.from(blob);
        damaged[at] = (damaged[at] ?? 0) ^ bits;
        const decoded = await decodePlan(damaged);
        if (decoded.kind === 'decoded') expect(decoded.plan.id).toBe(plan.id);
      }),
      { numRuns: 200 },
    );
  });

  it('is not made when a pod would not take it', async () => {
    const noise = Array.from(
      { length: 90_000 },
      (_, n) => Math.sin(n).toString(36) + Math.cos(n).toString(36),
    );
    const huge = Array.from({ length: 4 }, (_, part) => [
      `c${part}`,
      `# ${noise.map((one, n) => one + Math.tan(n + part).toString(36)).join('')}\n`,
    ]);
    const large = makePlan({ core: Object.fromEntries(huge) as Record<string, string> });
    expect(await encodePlan(large)).toBeUndefined();
    expect(await decodePlan(new Uint8Array(limits.planBlobBytes + 1))).toMatchObject({ kind: 'unusable' });
  });

  it('has the lines of its text, however long they are and wherever it is cut', async () => {
    const long = fc.integer({ min: 0, max: 90_000 }).map((length) => 'ä€🚦x'.repeat(length >> 3));
    const text = fc.array(fc.oneof(long, fc.string(), fc.constant('')), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(text, fc.boolean(), async (parts, isEnded) => {
        const lines = parts.map((part) => part.replaceAll('\n', ' '));
        const read = await planBlobLines(await pack(lines.join('\n') + (isEnded ? '\n' : '')));
        if ('reason' in read) throw new Error(read.reason);
        const expected = isEnded || lines.at(-1) !== '' ? lines : lines.slice(0, -1);
        expect([...read.lines]).toStrictEqual(expected.length === 0 && isEnded ? [''] : expected);
      }),
      { numRuns: 50 },
    );
  });

  it('gives the event loop its turns', async () => {
    const backends = Object.fromEntries(
      Array.from({ length: 3000 }, (_, n) => [
        `b${n}`,
        { servers: [{ name: 's', address: '10.0.0.1', port: 80 }] },
      ]),
    );
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const blob = await encode(makePlan({ backends }));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
    const read = await planBlobLines(blob);
    if ('reason' in read) throw new Error(read.reason);
    // Of the pauses, those while lines are read, and those for what is made of them.
    let lines = 0;
    const pauses = { reading: 0, making: 0 };
    let part: keyof typeof pauses = 'reading';
    const work = planOfLines({
      next: () => {
        const next = read.lines.next();
        if (next.done === true) part = 'making';
        else lines++;
        return next;
      },
    });
    for (let result = work.next(); result.done !== true; result = work.next()) pauses[part]++;
    expect(lines).toBeGreaterThan(6_000);
    expect(pauses.reading).toBeGreaterThan(lines / 40);
    expect(pauses.making).toBeGreaterThan(lines / 80);
  });

  it('stops when it is told to', async () => {
    const backends = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`b${n}`, {}]));
    const large = makePlan({ backends });
    await expect(encodePlan(large, AbortSignal.abort())).rejects.toThrow('aborted');
    await expect(decodePlan(await encode(large), AbortSignal.abort())).rejects.toThrow('aborted');
  });
});
