import { describe, expect, it } from 'vitest';
import {
  createTemplateEnvironment,
  type TemplateEnvironment,
} from '../../../src/templates/create-template-environment.ts';
import type { Fragment, Piece } from '../../../src/templates/fragment.ts';
import { renderFaultOf, type RenderFault } from '../../../src/templates/render-fault.ts';
import type { TrackedReads } from '../../../src/templates/run.ts';

const constants = { extraContext: { name: 'world', n: 3, list: ['a', 'b'], none: null }, capabilities: {} };

function environment(
  source: string,
  snippets: Readonly<Record<string, string>> = {},
  capabilities: Readonly<Record<string, boolean>> = {},
): TemplateEnvironment {
  return createTemplateEnvironment({
    templates: [{ name: 't', document: 'config', source }],
    snippets,
    vocabulary: { collections: ['items'], resources: { services: { indexKeys: 2 } } },
    constants: { ...constants, capabilities },
  });
}

const textOf = (pieces: readonly Piece[]): string =>
  pieces
    .map((piece) => (piece.kind === 'text' || piece.kind === 'section' ? piece.text : `<${piece.kind}>`))
    .join('');

/** A template without fragments, as text. */
function print(source: string, snippets: Readonly<Record<string, string>> = {}): string {
  return textOf(environment(source, snippets).renderWhole('t').pieces);
}

const noReads: TrackedReads = {
  single: () => undefined,
  list: () => [],
  fetch: () => undefined,
  context: () => undefined,
  warn: () => undefined,
};

/** The body of a forEach over items, for one item called `x`. */
function item(
  body: string,
  value: unknown,
  options: { snippets?: Record<string, string>; reads?: Partial<TrackedReads>; guid?: boolean } = {},
): Fragment {
  const { snippets = {}, reads = {}, guid = false } = options;
  const env = environment(`{{#forEach items as |x key|}}${body}{{/forEach}}`, snippets, { guid });
  const [slot] = env.renderWhole('t').slots;
  if (slot === undefined) throw new Error('a slot is expected');
  return env.renderItem(slot, value, 'the-key', { ...noReads, ...reads });
}

function faultOf(run: () => unknown): RenderFault | undefined {
  try {
    run();
  } catch (error) {
    return renderFaultOf(error);
  }
  return undefined;
}

describe('what {{x}} prints', () => {
  it.each([
    ['hello {{extraContext.name}}', 'hello world'],
    ['{{extraContext.n}}{{extraContext.n}}', '33'],
    ['{{concat "a" extraContext.n}}', 'a3'],
    ['{{quoted "a b"}} {{logformat "%[src]"}}', '"a b" "%%[src]"'],
    ['{{{extraContext.name}}}', 'world'],
    ['\\{{not.an.expression}}', '{{not.an.expression}}'],
    ['{{#if (gt extraContext.n 2)}}yes{{else}}no{{/if}}', 'yes'],
    ['a\r\n{{extraContext.n}}\r\n', 'a\n3\n'],
  ])('%s → %j', (source, expected) => {
    expect(print(source)).toBe(expected);
  });

  it.each([
    ['{{#if true}}{{extraContext.missing}}{{/if}}', 't:1:13', /there is no value here/],
    ['{{#if true}}\n  {{extraContext.missing.deeper}}{{/if}}', 't:2:3', /there is no value here/],
    ['{{extraContext.none}}', 't:1:1', /there is no value here/],
    ['{{extraContext}}', 't:1:1', /an object cannot be printed/],
    ['{{extraContext.list}}', 't:1:1', /a list cannot be printed/],
    ['{{#if true}}{{{extraContext.missing}}}{{/if}}', 't:1:13', /there is no value here/],
    ['{{{extraContext}}}', 't:1:1', /an object cannot be printed/],
    ['{{concat "a" " b"}}', 't:1:1', /"a b" is not a bare word/],
    [
      '{{quoted extraContext.missing}}',
      't:1:1',
      /^\{\{quoted extraContext.missing\}\}: there is no value here/,
    ],
    ['{{divide 1 0}}', 't:1:1', /a division by zero/],
    ['{{quoted (divide 1 0)}}', 't:1:10', /a division by zero/],
    ['{{#each extraContext.name as |c|}}{{/each}}', 't:1:1', /each takes a list or an object/],
  ])('%j is an error with its place', (source, place, message) => {
    const fault = faultOf(() => print(source));
    expect(fault?.place).toBe(place);
    expect(fault?.message).toMatch(message);
  });

  it('an error in a snippet names the snippet', () => {
    expect(faultOf(() => print('\n\n{{> s v="a b"}}', { s: 'x\n {{v}}' }))?.place).toBe('s:2:2');
  });

  it('an error of an item names expression and field', () => {
    const fault = faultOf(() => item('use_backend {{x.spec.backend}}', { spec: { backend: 'a b' } }));
    expect(fault).toStrictEqual({
      place: 't:1:42',
      field: 'spec.backend',
      reason: 'TemplateFailed',
      message: expect.stringMatching(/^\{\{x.spec.backend\}\}: "a b" is not a bare word/) as string,
    });
  });

  it('never reaches a prototype or calls a function of the data', () => {
    expect(faultOf(() => item('{{x.constructor.name}}', {}))?.message).toMatch(/no value/);
    expect(faultOf(() => item('{{lookup x "__proto__"}}', {}))?.message).toMatch(/no value/);
  });
});

describe('loops and conditions', () => {
  it.each([
    [
      '{{#each extraContext.list as |v i|}}{{i}}{{v}}{{@index}}{{@first}}{{@last}} {{/each}}',
      '0a0truefalse 1b1falsetrue ',
    ],
    ['{{#each extraContext.list}}{{this}}{{/each}}', 'ab'],
    ['{{#each extraContext.none as |v|}}{{v}}{{else}}none{{/each}}', 'none'],
    ['{{#each extraContext as |v k|}}{{k}} {{/each}}', 'list n name none '],
    ['{{#with extraContext.name as |w|}}{{w}}{{extraContext.n}}{{else}}none{{/with}}', 'world3'],
    ['{{#with extraContext}}{{name}}{{../extraContext.n}}{{/with}}', 'world3'],
    ['{{#with extraContext.none as |w|}}{{w}}{{else}}none{{/with}}', 'none'],
    ['{{#unless extraContext.none}}a{{else}}b{{/unless}}', 'a'],
    ['{{#if extraContext.none}}a{{else if extraContext.n}}b{{else}}c{{/if}}', 'b'],
    [
      '{{#each (range 3) as |i|}}{{#each (range 2) as |j|}}{{i}}{{j}} {{/each}}{{/each}}',
      '00 01 10 11 20 21 ',
    ],
  ])('%s → %j', (source, expected) => {
    expect(print(source)).toBe(expected);
  });

  it('a snippet sees its arguments and the constants, nothing else', () => {
    expect(print('{{> s a="1"}}', { s: '{{a}}{{extraContext.n}}' })).toBe('13');
    expect(
      item('{{#each x.l as |y|}}{{> s a=y}}{{/each}}', { l: ['p', 'q'] }, { snippets: { s: '{{a}}' } })
        .pieces,
    ).toStrictEqual([{ kind: 'text', text: 'pq', place: 't:1:1' }]);
  });

  it('snippets of an extension point come in order of name, with the arguments of the call', () => {
    const snippets = {
      'filters-200-b': '2{{v}}',
      'filters-050-z': '0{{v}}',
      'filters-1000-a': 'k{{v}}',
      'filters-exact-100-x': 'never',
    };
    expect(print('{{snippets "filters-*" v="x"}}', snippets)).toBe('0x\nkx\n2x\n');
    expect(print('{{snippets "nothing-*"}}|')).toBe('|');
  });

  it('each of them ends its line, so that none goes on in the line of the one before; who prints nothing leaves no line', () => {
    const snippets = {
      'f-100-a': '    acl a always_true',
      'f-200-nothing': '{{#if false}}never{{/if}}',
      'f-300-c': '    acl c always_true\n',
      'g-100-d': '    acl d always_true',
    };
    expect(print('{{snippets "f-*"}}{{snippets "g-*"}}end', snippets)).toBe(
      '    acl a always_true\n    acl c always_true\n    acl d always_true\nend',
    );
    const inFragment = item('{{snippets "f-*"}}{{snippets "g-*"}}end', {}, { snippets });
    expect(textOf(inFragment.pieces)).toBe(
      '    acl a always_true\n    acl c always_true\n    acl d always_true\nend',
    );
  });

  it('and so does one that ends in a section, but fragments, backends and profiles end their lines themselves', () => {
    expect(
      print('{{snippets "f-*"}}', {
        'f-100-a': '{{#section "a"}}frontend a{{/section}}',
        'f-200-b': '{{#section "b"}}frontend b\n{{/section}}',
        'f-300-c': '{{#forEach items as |x|}}c{{/forEach}}',
        'f-400-d': '{{#backend "d"}}{{/backend}}',
        'f-500-e': 'e',
      }),
    ).toBe('frontend a\nfrontend b\n<slot><backend>e\n');
  });

  it('a value and a file have the bytes that the snippets print', () => {
    const snippets = { 'n-100-a': 'a', 'n-200-b': 'b', name: '{{snippets "n-*"}}' };
    expect(print('backend {{render "name"}}\n{{snippets "n-*"}}', snippets)).toBe('backend ab\na\nb\n');
    const [file] = environment('{{#file "x"}}{{snippets "n-*"}}{{/file}}', snippets).renderWhole('t').files;
    expect(file?.text).toBe('ab');
    const env = createTemplateEnvironment({
      templates: [
        {
          name: 'page',
          document: 'file',
          source: '<p>{{snippets "n-*"}}</p>{{#forEach items as |x|}}{{snippets "n-*"}}{{/forEach}}',
        },
      ],
      snippets,
      vocabulary: { collections: ['items'], resources: {} },
      constants,
    });
    const whole = env.renderWhole('page');
    expect(textOf(whole.pieces)).toBe('<p>ab</p><slot>');
    const [slot] = whole.slots;
    expect(slot && textOf(env.renderItem(slot, {}, 'k', noReads).pieces)).toBe('ab');
  });
});

describe('fail in the text around fragments', () => {
  it('refuses the whole, with its place, field and reason', () => {
    const fault = faultOf(() =>
      print(
        '\n{{#unless extraContext.none}}{{fail "no name is given" field="extraContext.none" reason="NameMissing"}}{{/unless}}',
      ),
    );
    expect(fault).toStrictEqual({
      place: 't:2:30',
      message: 'no name is given',
      field: 'extraContext.none',
      reason: 'NameMissing',
    });
  });
});

describe('a value of a snippet', () => {
  it('is its text without white space at its ends, and can be given to helpers', () => {
    const snippets = { name: '  {{a}}_{{b}}\n' };
    expect(
      print('{{render "name" a="x" b=1}}|{{quoted (concat (render "name" a="x" b=1) " y")}}', snippets),
    ).toBe('x_1|"x_1 y"');
  });

  it('is an error when the snippet declares more than text', () => {
    const snippets = { name: '{{#section "frontend x"}}frontend x{{/section}}' };
    expect(faultOf(() => print('{{render "name"}}', snippets))?.message).toMatch(
      /a snippet with sections, backends or fragments has no value/,
    );
  });
});

describe('let', () => {
  it('names values whatever they are, and leaves the context alone', () => {
    expect(
      print(
        '{{#let 0 (concat "a" "b") extraContext.none as |n text none|}}{{n}}{{text}}{{defined none}}{{extraContext.n}}{{/let}}',
      ),
    ).toBe('0abfalse3');
  });
});

describe('a run is bounded', () => {
  it('in the depth of snippets', () => {
    expect(
      faultOf(() => print('{{snippets "s"}}', { s: '{{#if true}}{{snippets "s"}}{{/if}}' }))?.message,
    ).toMatch(/more than 32 deep/);
  });

  it('also by way of partials', () => {
    expect(() => print('{{> s}}', { s: '{{#if true}}{{> s}}{{/if}}' })).toThrow(/more than 32 deep/);
  });

  it('in the number of calls, so that branching recursion cannot hang', () => {
    const branching = '{{#if true}}{{> s}}{{> s}}{{/if}}';
    expect(() => print('{{> s}}', { s: branching })).toThrow(/more than/);
  });

  it('in the turns of loops', () => {
    const loop = '{{#each (range 10000) as |i|}}{{#each (range 11) as |j|}}{{/each}}{{/each}}';
    expect(() => print(loop)).toThrow(/loops of more than 100000 turns/);
  });

  it('for each item anew', () => {
    const env = environment('{{#forEach items as |x|}}{{#each (range 9000) as |i|}}{{/each}}{{/forEach}}');
    const [slot] = env.renderWhole('t').slots;
    for (let i = 0; i < 20; i++) expect(() => env.renderItem(slot!, {}, 'k', noReads)).not.toThrow();
  });
});

describe('a forEach', () => {
  it('is a slot where it stands, also in a snippet and in a section', () => {
    const whole = environment('a\n{{#section "frontend f"}}\nb\n{{> s}}\nc\n{{/section}}\nd\n', {
      s: '{{#forEach items as |i|}}{{i}}{{/forEach}}\n',
    }).renderWhole('t');
    expect(
      whole.pieces.map((p) =>
        p.kind === 'text' || p.kind === 'section' ? `${p.kind} ${p.text.trim()}` : p.kind,
      ),
    ).toStrictEqual(['text a', 'section b', 'slot', 'section c', 'text d']);
    expect(whole.slots.map(({ collection, place, itemName }) => [collection, place, itemName])).toStrictEqual(
      [['items', 's:1:1', 'i']],
    );
  });

  it('gives its body the item, the key and the constants', () => {
    expect(
      textOf(item('{{x.a}} {{key}} {{extraContext.n}} {{@root.extraContext.n}}', { a: 'A' }).pieces),
    ).toBe('A the-key 3 3');
  });

  it('knows the lookups that its body can make, by way of snippets too', () => {
    const env = environment(
      '{{#forEach items as |x|}}{{length (list "services" x.a)}}{{> s y=x}}{{/forEach}}{{#forEach items as |x|}}{{/forEach}}',
      {
        s: '{{#with (single "services" y.a y.b) as |z|}}{{#if (fetch "services" "a" z)}}{{> s y=y}}{{/if}}{{/with}}',
      },
    );
    const [first, second] = env.renderWhole('t').slots;
    expect(env.lookupsOf(first!)).toStrictEqual([
      { helper: 'list', resource: 'services', keys: 1 },
      { helper: 'single', resource: 'services', keys: 2 },
      { helper: 'fetch', resource: 'services', keys: 2 },
    ]);
    expect(env.lookupsOf(second!)).toStrictEqual([]);
  });

  it('looks things up with its keys as text', () => {
    const asked: unknown[] = [];
    const body = '{{#with (single "services" x.ns x.n) as |s|}}{{s.v}}{{/with}}{{length (list "services")}}';
    const fragment = item(
      body,
      { ns: 'a', n: 1 },
      {
        reads: {
          single: (...args) => {
            asked.push(args);
            return { v: 'V' };
          },
          list: (...args) => {
            asked.push(args);
            return [1, 2];
          },
        },
      },
    );
    expect(textOf(fragment.pieces)).toBe('V2');
    expect(asked).toStrictEqual([
      ['services', ['a', '1']],
      ['services', []],
    ]);
  });
});

describe('effects', () => {
  const backendOf = (body: string, value: unknown, guid = false) => {
    const [piece] = item(body, value, { guid }).pieces.filter((p) => p.kind === 'backend');
    if (piece === undefined) throw new Error('a backend is expected');
    return piece.backend;
  };

  it('a backend is text and record of the same', () => {
    const servers = [
      { name: 'p1', address: '10.0.0.1', port: 80, weight: 0, disabled: false },
      { name: 'p2', address: 'fd00::1', port: '8080', weight: 128, disabled: true },
    ];
    const body = `{{#backend x.name profile="pr" mode="tcp" balance="hdr(x-user)" hashType="consistent sdbm" guid="g:1"}}
{{defaultServer check=true inter="2s"}}
{{#each x.servers as |s|}}
{{server s.name s.address s.port weight=s.weight disabled=s.disabled maxconn=s.max cookie=s.name ssl=true verify="none"}}
{{/each}}
{{/backend}}`;
    const tls = [
      { name: 'ssl', args: [] },
      { name: 'verify', args: ['none'] },
    ];
    expect(backendOf(body, { name: 'b', servers }, true)).toStrictEqual({
      name: 'b',
      profile: 'pr',
      mode: 'tcp',
      balance: 'hdr(x-user)',
      hashType: 'consistent sdbm',
      guid: 'g:1',
      shape: 'dynamic',
      servers: [
        {
          name: 'p1',
          address: '10.0.0.1',
          port: 80,
          weight: 0,
          extra: [{ name: 'cookie', args: ['p1'] }, ...tls],
        },
        {
          name: 'p2',
          address: 'fd00::1',
          port: 8080,
          weight: 128,
          disabled: true,
          extra: [{ name: 'cookie', args: ['p2'] }, ...tls],
        },
      ],
      defaultServer: [
        { name: 'check', args: [] },
        { name: 'inter', args: ['2s'] },
      ],
      bodyDigest: 'ef46db3751d8e999',
      text: `
backend b from pr
    mode tcp
    balance hdr(x-user)
    hash-type consistent sdbm
    guid g:1
    default-server check inter 2s
    server p1 10.0.0.1:80 weight 0 cookie p1 ssl verify none
    server p2 fd00::1:8080 weight 128 disabled cookie p2 ssl verify none
`,
    });
  });

  it('a guid is left out where HAProxy does not know it', () => {
    const body = '{{#backend "b" profile="p" guid="g"}}{{server "s" "::1" 1 guid="h"}}{{/backend}}';
    expect(backendOf(body, {}).text).not.toContain('guid');
    expect(backendOf(body, {}).guid).toBeUndefined();
    expect(backendOf(body, {}, true).text).toContain('server s ::1:1 guid h');
  });

  it('a backend with directives of its own is structural, and its comments are not printed', () => {
    const backend = backendOf(
      '{{#backend "b" profile="p"}}\n   # {{x}}\n  stick-table type ip\n{{server "s" "h" 1}}{{/backend}}',
      'owner',
    );
    expect(backend.shape).toBe('structural');
    expect(backend.shapeReason).toBe('it has a directive of its own: stick-table');
    expect(backend.text).toBe(
      '\nbackend b from p\n    mode http\n    stick-table type ip\n    server s h:1\n',
    );
  });

  it('a backend without profile cannot be added at runtime', () => {
    expect(backendOf('{{#backend "b"}}{{/backend}}', {})).toMatchObject({
      shape: 'structural',
      shapeReason: 'it names no profile',
    });
  });

  it.each([
    ['a name with a space', '{{#backend "a b"}}{{/backend}}', /"a b" is not a name/],
    ['an unknown mode', '{{#backend "b" mode="udp"}}{{/backend}}', /http or tcp/],
    ['a balance with a line of its own', '{{#backend "b" balance="x; y"}}{{/backend}}', /is not a bare word/],
    [
      'an address that is none',
      '{{#backend "b"}}{{server "s" "a b" 1}}{{/backend}}',
      /neither an IP address nor a host name/,
    ],
    [
      'an address in brackets',
      '{{#backend "b"}}{{server "s" "[::1]" 1}}{{/backend}}',
      /neither an IP address nor a host name/,
    ],
    [
      'an address with a zone',
      '{{#backend "b"}}{{server "s" "fe80::1%eth0" 1}}{{/backend}}',
      /neither an IP address nor a host name/,
    ],
    [
      'an address out of range',
      '{{#backend "b"}}{{server "s" "10.0.0.256" 1}}{{/backend}}',
      /neither an IP address nor a host name/,
    ],
    [
      'port 0',
      '{{#backend "b"}}{{server "s" "::1" 0}}{{/backend}}',
      /the port 0 is not a whole number from 1 to 65535/,
    ],
    ['port 65536', '{{#backend "b"}}{{server "s" "::1" 65536}}{{/backend}}', /the port 65536/],
    [
      'a port that is no number',
      '{{#backend "b"}}{{server "s" "::1" "http"}}{{/backend}}',
      /"http" is not a number/,
    ],
    ['weight 257', '{{#backend "b"}}{{server "s" "::1" 1 weight=257}}{{/backend}}', /the weight 257/],
    [
      'the same server twice',
      '{{#backend "b"}}{{server "s" "::1" 1}}{{server "s" "::2" 1}}{{/backend}}',
      /backend b has a server s already/,
    ],
    [
      'a line break in a keyword',
      '{{#backend "b"}}{{server "s" "::1" 1 cookie=x}}{{/backend}}',
      /control character/,
    ],
    ['a server outside of backends', '{{server "s" "::1" 1}}', /belongs into a backend block/],
    ['a map path outside of the bundle', '{{mapEntry "/etc/passwd" "a" "b"}}', /is not a relative path/],
    ['a map key with a space', '{{mapEntry "maps/a.map" "a b" "b"}}', /has a space/],
    [
      'a file of an unknown kind',
      '{{#file "general/x" kind="exe"}}{{/file}}',
      /one of general, cert, ca, crl, crtlist/,
    ],
    ['a reason that is none', '{{warn "x" reason="no good"}}', /is not in CamelCase/],
  ])('%s is refused', (_what, body, message) => {
    expect(faultOf(() => item(body, 'a\nb'))?.message).toMatch(message);
  });

  it('a profile is a named defaults section, and knows whether it has rules', () => {
    const profileOf = (body: string) => item(body, {}).pieces[0];
    expect(profileOf('{{#profile "p" from="base"}}\n mode http\n{{/profile}}')).toMatchObject({
      kind: 'profile',
      profile: { name: 'p', text: '\ndefaults p from base\n    mode http\n', hasRules: false },
    });
    expect(profileOf('{{#profile "p"}}http-request deny{{/profile}}')).toMatchObject({
      profile: { hasRules: true },
    });
  });

  it('entries and files are kept with the fragment', () => {
    const fragment = item(
      '{{mapEntry "maps/h.map" (mapKey x.h) (mapValue "a b")}}{{#file "general/f" reloadOnChange=false}}t\n{{/file}}',
      { h: 'k' },
    );
    expect(fragment.entries).toStrictEqual([{ path: 'maps/h.map', key: 'k', value: 'a b', place: 't:1:30' }]);
    expect(fragment.files).toMatchObject([
      { path: 'general/f', kind: 'general', reloadOnChange: false, text: 't\n' },
    ]);
  });

  it('warnings are reported, a refusal is thrown with its field and reason', () => {
    const warnings: unknown[] = [];
    item(
      '{{warn "odd" field="spec.x" reason="OddThing"}}{{warn "plain"}}',
      {},
      { reads: { warn: (w) => warnings.push(w) } },
    );
    expect(warnings).toStrictEqual([
      { message: 'odd', field: 'spec.x', reason: 'OddThing' },
      { message: 'plain', field: '', reason: 'TemplateWarning' },
    ]);
    expect(
      faultOf(() => item('{{#if x.bad}}{{fail "no way" field="spec.y"}}{{/if}}', { bad: true })),
    ).toStrictEqual({
      place: 't:1:43',
      message: 'no way',
      field: 'spec.y',
      reason: 'TemplateFailed',
    });
  });
});
