import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { linearRegex } from '../../../src/lib/linear-regex.ts';
import type { HelperScope } from '../../../src/templates/helper-spec.ts';
import { allHelpers } from '../../../src/templates/helpers/all-helpers.ts';
import { nested, nestedJson } from '../../fixtures/nested.ts';

/** Value helpers look at their arguments and at compiled expressions only. */
function call(name: string, args: readonly unknown[], hash: Readonly<Record<string, unknown>> = {}): unknown {
  const spec = allHelpers[name];
  if (spec === undefined) throw new Error(`there is no ${name}`);
  expect(args.length).toBeGreaterThanOrEqual(spec.args[0]);
  expect(args.length).toBeLessThanOrEqual(spec.args[1]);
  return spec.call(args, { options: { hash }, run: { regexOf: linearRegex } } as unknown as HelperScope);
}

const routes = [
  { path: '/b', weight: 10, tags: ['x'], meta: { a: 'n' } },
  { path: '/a', weight: 10, tags: [] },
  { path: '/long', weight: 5, meta: { a: 'm' } },
  { path: '/c' },
];
const paths = (list: unknown) => (list as readonly { path: string }[]).map(({ path }) => path);

describe('lists', () => {
  it.each([
    ['sortBy', [routes, 'path'], ['/a', '/b', '/c', '/long']],
    ['sortBy', [routes, 'weight', 'path'], ['/long', '/a', '/b', '/c']],
    ['sortBy', [routes, 'weight:desc'], ['/b', '/a', '/long', '/c']],
    ['sortBy', [routes, '$.path | length:desc', '$.path:desc'], ['/long', '/c', '/b', '/a']],
    ['sortBy', [routes, 'meta.a:exists', 'path'], ['/b', '/long', '/a', '/c']],
    ['sortBy', [routes, 'meta.a:exists:desc', 'path'], ['/a', '/c', '/b', '/long']],
    ['sortBy', [routes, 'meta.a ~ path'], ['/a', '/c', '/long', '/b']],
    ['where', [routes, 'weight', 'eq', 10], ['/b', '/a']],
    ['where', [routes, 'weight', 'ne', 10], ['/long', '/c']],
    ['where', [routes, 'weight', 'lt', 10], ['/long']],
    ['where', [routes, 'weight', 'le', 10], ['/b', '/a', '/long']],
    ['where', [routes, 'weight', 'gt', 5], ['/b', '/a']],
    ['where', [routes, 'weight', 'ge', 5], ['/b', '/a', '/long']],
    ['where', [routes, 'path', 'in', ['/a', '/c']], ['/a', '/c']],
    ['where', [routes, 'path', 'contains', 'o'], ['/long']],
    ['where', [routes, 'tags', 'contains', 'x'], ['/b']],
    ['where', [routes, 'path', 'startsWith', '/l'], ['/long']],
    ['where', [routes, 'path', 'endsWith', 'g'], ['/long']],
    ['where', [routes, 'path', 'matches', '/?'], ['/b', '/a', '/c']],
    ['where', [routes, 'tags'], ['/b']],
    ['reject', [routes, 'weight'], ['/c']],
    ['reject', [routes, 'weight', 'eq', 10], ['/long', '/c']],
    ['uniqueBy', [routes, 'weight'], ['/b', '/long']],
    ['slice', [routes, 1, 3], ['/a', '/long']],
    ['slice', [routes, -1], ['/c']],
  ])('%s %j', (name, args, expected) => {
    expect(paths(call(name, args))).toStrictEqual(expected);
  });

  it.each([
    [
      'groupBy',
      [[{ a: 'y' }, { a: 'x' }, {}, { a: 'y', b: 1 }], 'a'],
      { x: [{ a: 'x' }], y: [{ a: 'y' }, { a: 'y', b: 1 }] },
    ],
    ['countBy', [[{ a: 1 }, { a: 2 }, { a: 1 }], 'a'], { 1: 2, 2: 1 }],
    [
      'indexBy',
      [
        [
          { a: 'x', n: 1 },
          { a: 'x', n: 2 },
        ],
        'a',
      ],
      { x: { a: 'x', n: 2 } },
    ],
    ['unique', [['a', 'b', 'a', { x: 1 }, { x: 1 }]], ['a', 'b', { x: 1 }]],
    ['compact', [['a', '', null, 0, false, undefined]], ['a', 0, false]],
    ['flatten', [[['a'], 'b', [['c']]]], ['a', 'b', ['c']]],
    ['append', [['a'], 'b', 'c'], ['a', 'b', 'c']],
    ['append', [undefined, 'b'], ['b']],
    ['concatLists', [['a'], undefined, ['b']], ['a', 'b']],
    ['reverse', [[1, 2, 3]], [3, 2, 1]],
    ['sort', [['b', 10, 'a', 9]], [9, 10, 'a', 'b']],
    ['globMatch', [['a-1', 'b-1', 'a-2'], 'a-*'], ['a-1', 'a-2']],
    ['range', [0], []],
    ['range', [5, 2], []],
    ['sum', [[1, '2', 3]], 6],
    ['sum', [undefined], 0],
    ['toList', ['a'], ['a']],
    ['toList', [['a']], ['a']],
    ['toList', [null], []],
    ['indexOf', [['a', 'b'], 'b'], 1],
    ['lastIndexOf', [['a', 'b', 'a'], 'a'], 2],
  ])('%s %j', (name, args, expected) => {
    expect(call(name, args)).toStrictEqual(expected);
  });

  it.each([
    ['where', [routes, 'weight', 'like', 1], /the test is one of true, eq, ne/],
    ['sortBy', [routes, ':desc'], /has no path to sort by/],
    ['sortBy', [{}, 'a'], /a list is needed here/],
    ['range', [10_001], /10001 is not a whole number from 0 to 10000/],
    ['range', [0, 100_000], /is not a whole number from 0 to 10000/],
    ['shard', [[1], 3, 3], /3 is not a whole number from 0 to 2/],
  ])('%s %j is refused', (name, args, message) => {
    expect(() => call(name, args)).toThrow(message);
  });

  it('never change what they are given', () => {
    const frozen = routes.map((route) => Object.freeze({ ...route }));
    const given = Object.freeze(frozen);
    for (const [name, args] of [
      ['sortBy', [given, 'path']],
      ['sort', [Object.freeze(['b', 'a'])]],
      ['reverse', [given]],
      ['append', [given, 1]],
      ['merge', [Object.freeze({ a: 1 }), Object.freeze({ a: 2 })]],
    ] as const)
      expect(() => call(name, args)).not.toThrow();
  });

  it('sortBy is stable, and gives what a sort by the same key gives', () => {
    const item = fc.record({ k: fc.constantFrom('a', 'b', 'c'), n: fc.nat() });
    fc.assert(
      fc.property(fc.array(item), (items) => {
        const expected = items
          .map((value, index) => ({ value, index }))
          .sort((a, b) => (a.value.k < b.value.k ? -1 : a.value.k > b.value.k ? 1 : a.index - b.index))
          .map(({ value }) => value);
        expect(call('sortBy', [items, 'k'])).toStrictEqual(expected);
      }),
    );
  });

  it('shards are a partition in order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), fc.integer({ min: 1, max: 9 }), (items, total) => {
        const parts = Array.from({ length: total }, (_, index) => call('shard', [items, index, total]));
        expect(parts.flat()).toStrictEqual(items);
      }),
    );
  });
});

describe('objects', () => {
  it.each([
    ['merge', [{ a: 1, b: 1 }, { b: 2 }, undefined], { a: 1, b: 2 }],
    ['without', [{ a: 1, b: 2, c: 3 }, 'a', ['c']], { b: 2 }],
    [
      'entries',
      [{ b: 1, a: 2 }],
      [
        { key: 'a', value: 2 },
        { key: 'b', value: 1 },
      ],
    ],
    ['values', [{ b: 1, a: 2 }], [2, 1]],
    ['hasKey', [{ a: undefined }, 'a'], true],
    ['hasKey', [{}, 'constructor'], false],
    ['query', [{ a: [{ b: 1 }, { b: { c: 2 } }] }, 'a[*].b'], [1, { c: 2 }]],
    ['query', [undefined, 'a'], []],
    ['fallback', ['', 'x'], ''],
    ['fallback', [null, 'x'], 'x'],
  ])('%s %j', (name, args, expected) => {
    expect(call(name, args)).toStrictEqual(expected);
  });

  it('object keeps its named arguments in the order in which they are written', () => {
    // Handlebars hands them over in reverse.
    expect(Object.keys(call('object', [], { b: 2, a: 1 }) as object)).toStrictEqual(['a', 'b']);
  });
});

describe('text and numbers', () => {
  it.each([
    ['split', ['a,b,c', ',', 2], ['a', 'b,c']],
    ['split', ['a', ',', 5], ['a']],
    ['title', ['two words'], 'Two Words'],
    ['capitalize', ['éa'], 'Éa'],
    ['kebab', ['sessionCookie Name_x'], 'session-cookie-name-x'],
    ['trim', ['--a-b--', '-'], 'a-b'],
    ['trimStart', ['  a '], 'a '],
    ['trimEnd', ['a//', '/'], 'a'],
    ['trimPrefix', ['abc', 'x'], 'abc'],
    ['trimSuffix', ['abc', 'bc'], 'a'],
    ['abbreviate', ['abcdef', 6], 'abcdef'],
    ['abbreviate', ['abcdefg', 6], 'abc...'],
    ['padStart', [7, 3, '0'], '007'],
    ['padEnd', ['a', 3, '.'], 'a..'],
    ['lines', ['a\r\n\n b\n'], ['a', ' b']],
    ['basename', ['/a/b/'], 'b'],
    ['dirname', ['a'], '.'],
    ['dirname', ['/a'], '/'],
    ['isDigits', [''], false],
    [
      'format',
      ['%5s|%-5s|%05d|%x|%X|%o|%b|%.2f|%q|%v|%t|%%', 'a', 'b', -42, 255, 255, 8, 5, 1.005, 'x"', [1], true],
      '    a|b    |-0042|ff|FF|10|101|1.00|"x\\""|[1]|true|%',
    ],
    ['int', ['-2.9'], -2],
    ['int', ['x', 7], 7],
    ['toBase', [255, 2], '11111111'],
    ['fromBase', ['0FF', 16], 255],
    ['pow', [2, 8], 256],
    ['min', [[3, 1, 2]], 1],
    ['regexMatch', ['abc', '^a.c$'], true],
    ['regexFind', ['k=v', '(\\w)=(\\w)', 2], 'v'],
    ['regexFind', ['k', 'x'], ''],
    ['regexFindAll', ['a1b2', '\\d'], ['1', '2']],
    ['regexReplace', ['a.b', '[.]', '$$'], 'a$b'],
    ['milliseconds', ['250'], 250],
    ['seconds', ['1500ms'], 2],
    ['haproxyTime', ['90s'], '90s'],
    ['haproxyTime', ['120s'], '2m'],
    ['haproxyTime', ['24h'], '24h'],
    ['haproxyTime', ['0'], '0ms'],
    ['unixTime', ['1970-01-01T00:00:01+00:00'], 1],
    ['timestamp', [1], '1970-01-01T00:00:01Z'],
  ])('%s %j', (name, args, expected) => {
    expect(call(name, args)).toStrictEqual(expected);
  });

  it.each([
    ['format', ['%s'], /there is no argument for %s/],
    ['format', ['a', 1], /1 arguments too many/],
    ['format', ['%d', 1.5], /%d takes a whole number, not 1.5/],
    ['format', ['%y', 1], /%y is no verb of format/],
    ['repeat', ['ab', 10_000], /20000 is not a whole number/],
    ['fromBase', ['12', 2], /"12" is no number in base 2/],
    ['toBase', [1, 1], /a base is 2 to 36/],
    ['int', ['x'], /"x" is not a number/],
    ['pow', [10, 1000], /is not a number/],
    ['regexMatch', ['a', '('], /is not a regular expression/],
    ['seconds', ['5 apples'], /is not a duration/],
    ['unixTime', ['today'], /"today" is not a time such as/],
    ['unixTime', ['2026-99-01T00:00:00Z'], /is not a time/],
  ])('%s %j is refused', (name, args, message) => {
    expect(() => call(name, args)).toThrow(message);
  });

  it('joinKey gives different keys for different lists of parts', () => {
    const parts = fc.array(fc.string({ unit: fc.constantFrom('a', '.', '~', '0', '1') }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(call('joinKey', a) === call('joinKey', b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('encodings', () => {
  it('json and parseJson, yaml and parseYaml are inverse', () => {
    const data = fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('-0'));
    fc.assert(
      fc.property(data, (value) => {
        expect(call('parseJson', [call('json', [value])])).toStrictEqual(JSON.parse(JSON.stringify(value)));
        expect(call('parseYaml', [call('yaml', [value])])).toStrictEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('json of any text is one line, and one scalar of YAML', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const printed = String(call('json', [text]));
        expect(printed).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        expect(parse(`a: ${printed}\nb: 1`)).toStrictEqual({ a: JSON.parse(printed) as unknown, b: 1 });
      }),
    );
  });

  it.each([
    ['json', nested(20_000)],
    ['yaml', nested(20_000)],
    ['parseJson', nestedJson(20_000)],
    ['parseYaml', nestedJson(20_000)],
    ['parseYaml', nestedJson(300)],
  ])('%s refuses what is nested without end', (name, from) => {
    expect(() => call(name, [from])).toThrow(/^.*(nested (more than 200|too) deep|more than 50000 words)$/);
    expect(() => call(name, [typeof from === 'string' ? nestedJson(50) : nested(50)])).not.toThrow();
  });

  it('yaml of any text stays under its key', () => {
    const texts = fc.string({
      unit: fc.constantFrom('a', ' ', '\n', '\u2028', ':', '-', '"', '#', '\u0085'),
    });
    fc.assert(
      fc.property(fc.oneof(fc.string(), texts), (text) => {
        const printed = String(call('yaml', [{ key: text, list: [text] }, 4]));
        expect(parse(`outer:\n${printed}after: 1`)).toStrictEqual({
          outer: { key: text, list: [text] },
          after: 1,
        });
      }),
      { examples: [[' \n'], ['\n '], [' a\n  b\n'], ['\n\n']] },
    );
  });

  it.each([
    ['base64Encode', ['hi'], 'aGk='],
    ['hex', ['hi'], '6869'],
    ['urlEncode', ["a b'/é"], 'a%20b%27%2F%C3%A9'],
    ['urlDecode', ['a%20b'], 'a b'],
    ['htmlEscape', ['<a href="x">'], '&#60;a href=&#34;x&#34;&#62;'],
    ['md5', ['hello'], '5d41402abc4b2a76b9719d911017c592'],
    ['sha1', ['hello'], 'aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d'],
    ['sha256', ['hello'], '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'],
    ['hmacSha256', ['hello', 'key'], '9307b3b915efb5171ff14d8cb55fbcc798c6c0ef1456d66ded1a6aa723a58b7b'],
    ['json', [{ b: 1, a: [undefined, null] }], '{"a":[null,null],"b":1}'],
    ['json', [{ a: 1 }, 2], '{\n  "a": 1\n}'],
    ['yaml', [{ b: 1, a: [1] }, 2], '  a:\n    - 1\n  b: 1\n'],
  ])('%s %j', (name, args, expected) => {
    expect(call(name, args)).toStrictEqual(expected);
  });

  it.each([
    ['parseJson', ['{'], /the text is not JSON/],
    ['parseYaml', ['a: ['], /this is not YAML/],
    ['parseYaml', ['a: &x 1\nb: *x'], /this YAML cannot be taken/],
    ['json', [undefined], /there is no value here/],
    ['urlDecode', ['%zz'], /is not encoded by percent signs/],
    ['untarGz', ['bm8='], /the archive cannot be unpacked/],
    ['untarGz', [gzipSync(Buffer.alloc(1024, 1)).toString('base64')], /the archive is not a tar file/],
    [
      'untarGz',
      [gzipSync(Buffer.alloc(17 * 1024 * 1024)).toString('base64')],
      /the archive cannot be unpacked/,
    ],
  ])('%s %j is refused', (name, args, message) => {
    expect(() => call(name, args)).toThrow(message);
  });

  it('untarGz gives files by path, long names too, and leaves out all else', () => {
    const long = `${'d'.repeat(120)}/file.txt`;
    const archive = gzipSync(
      Buffer.concat([
        tarEntry('folder/', '5', ''),
        tarEntry('a.txt', '0', 'A'),
        tarEntry('././@LongLink', 'L', `${long}\0`),
        tarEntry('cut', '0', 'B'),
        tarEntry('pax', 'x', '19 path=from-pax.md\n'),
        tarEntry('cut', '0', 'C'.repeat(600)),
        tarEntry('link', '2', ''),
        Buffer.alloc(1024),
      ]),
    ).toString('base64');
    expect(call('untarGz', [archive])).toStrictEqual({
      'a.txt': 'A',
      [long]: 'B',
      'from-pax.md': 'C'.repeat(600),
    });
  });
});

describe('addresses, versions and certificates', () => {
  it.each([
    ['isIp', ['::1'], true],
    ['isIp', ['fe80::1%eth0'], false],
    ['isCidr', ['fd00::/129'], false],
    ['isCidr', ['10.0.0.0/8/8'], false],
    ['isIpv6', ['10.0.0.1'], false],
    ['cidrContains', ['10.0.0.0/8', '10.255.0.0/16'], true],
    ['cidrContains', ['10.0.0.0/8', '11.0.0.1'], false],
    ['cidrContains', ['10.0.0.0/16', '10.0.0.0/8'], false],
    ['cidrContains', ['0.0.0.0/0', '::1'], false],
    ['cidrContains', ['fd00::/8', 'fd12:3456::7'], true],
    ['cidrContains', ['::ffff:0:0/96', '::ffff:10.0.0.1'], true],
    [
      'cidrPartition',
      [['10.0.0.2', 'fd00::1', ' 10.0.0.1 ', 'x', '10.0.0.2', '10.0.0.0/8']],
      { ipv4: ['10.0.0.0/8', '10.0.0.1', '10.0.0.2'], ipv6: ['fd00::1'], invalid: ['x'] },
    ],
    ['versionAtLeast', ['v3.10.1', '3.4'], true],
    ['versionAtLeast', ['3.2', '3.4'], false],
    ['certificateInfo', ['nothing'], undefined],
  ])('%s %j', (name, args, expected) => {
    expect(call(name, args)).toStrictEqual(expected);
  });

  it('cidrContains refuses what is no network', () => {
    expect(() => call('cidrContains', ['x', '10.0.0.1'])).toThrow(
      /networks and addresses are written such as/,
    );
  });

  it('makeGuid gives what HAProxy takes, different for different arguments', () => {
    const part = fc.string({ minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 3 }),
        fc.array(part, { minLength: 1, maxLength: 3 }),
        (a, b) => {
          const guid = call('makeGuid', a);
          expect(guid).toMatch(/^[A-Za-z0-9_.:-]{1,127}$/);
          expect(guid === call('makeGuid', b)).toBe(JSON.stringify(a) === JSON.stringify(b));
        },
      ),
    );
  });

  it('certificateInfo never quotes what it cannot read', () => {
    const pem = '-----BEGIN CERTIFICATE-----\nc2VjcmV0\n-----END CERTIFICATE-----\n';
    expect(() => call('certificateInfo', [pem])).toThrow(
      'the PEM text has a certificate that cannot be read',
    );
  });
});

/** A header of ustar with a body, padded to blocks. */
function tarEntry(name: string, type: string, body: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write(`${Buffer.byteLength(body).toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const content = Buffer.alloc(Math.ceil(Buffer.byteLength(body) / 512) * 512);
  content.write(body);
  return Buffer.concat([header, content]);
}
