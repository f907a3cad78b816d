import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { getEntry } from '../../../src/lib/ordered-map.ts';
import { allHelpers } from '../../../src/templates/helpers/all-helpers.ts';
import { createWorld, filesOf, widget, type WorldOptions } from '../render/renderer-world.ts';

/** Texts as somebody might write them who wants more than a word. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom(
    'a\nuse_backend evil',
    '"\\"; option evil',
    '${HOME}',
    '%[src]',
    '# comment',
    '../../etc/passwd',
    '\u2028next',
    '{{x}}',
    '\u00010\u0002',
    '-----BEGIN PRIVATE KEY-----',
    ' ',
    '',
  ),
);

/** What one widget with this text prints by a fragment, if it is not refused. */
function printed(body: string, text: string, more: Partial<WorldOptions> = {}) {
  const world = createWorld({
    root: `{{#forEach resources.widgets as |w|}}${body}{{/forEach}}`,
    resources: { widgets: undefined },
    ...more,
  });
  world.resources['widgets']?.set(
    'ns/x',
    widget('x', { text, list: [text, text], object: { [text]: text } }),
  );
  const bundle = world.render();
  return { files: filesOf(bundle), problems: bundle.problems, bundle };
}

const bare = /^[A-Za-z0-9_.:/@+,=~*-]*$/;

/** Arguments that every value helper takes something of. */
const given: Readonly<Record<string, string>> = {
  one: 'w.spec.text',
  two: 'w.spec.text w.spec.text',
  list: 'w.spec.list "[0]"',
  object: 'w.spec.object w.spec.text',
};

const needsMore = new Set([
  'single',
  'list',
  'fetch',
  'http',
  'renderMode',
  'admissionSubject',
  'baseDir',
  'registerFile',
]);
const values = Object.entries(allHelpers).filter(
  ([name, { output }]) => output === 'value' && !needsMore.has(name),
);

describe('whatever a helper makes of a text of users, what is printed is a bare word or nothing', () => {
  it('of every value helper, however it is called', () => {
    expect(values.length).toBeGreaterThan(100);
    const calls = values.flatMap(([name, { args }]) =>
      Object.values(given)
        .map((argument) => argument.split(' '))
        .filter((list) => list.length >= args[0] && list.length <= args[1])
        .map((list) => `${name} ${list.join(' ')}`),
    );
    expect(calls.length).toBeGreaterThan(120);
    fc.assert(
      fc.property(fc.constantFrom(...calls), hostile, (call, text) => {
        const { files, problems } = printed(`{{${call}}}`, text);
        const output = files['haproxy.cfg'] ?? '';
        if (problems.length === 0) expect(output.replace(/\n$/, '')).toMatch(bare);
        else expect(output.trim()).toBe('');
      }),
      { numRuns: 800 },
    );
  }, 120_000);

  it('as the value of a snippet, too', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { files, problems } = printed('{{render "s" x=w.spec.text}}', text, {
          snippets: { s: '{{x}}' },
        });
        if (problems.length === 0) expect((files['haproxy.cfg'] ?? '').replace(/\n$/, '')).toMatch(bare);
        const raw = printed('{{render "s" x=w.spec.text}}', text, { snippets: { s: '{{{x}}}' } });
        expect((raw.files['haproxy.cfg'] ?? '').replace(/\n$/, '')).toMatch(bare);
      }),
    );
  });

  it('as a path', () => {
    fc.assert(
      fc.property(
        hostile,
        fc.constantFrom('map', 'file', 'cert', 'ca-file', 'crl', 'crt-list'),
        (text, kind) => {
          const { files } = printed(`{{path "${kind}" w.spec.text}}`, text);
          const path = (files['haproxy.cfg'] ?? '').trim();
          expect(path).toMatch(/^([A-Za-z0-9_-][A-Za-z0-9_./-]*)?$/);
          expect(path.split('/')).not.toContain('..');
        },
      ),
    );
  });
});

describe('what prints text by itself keeps to its place', () => {
  it('debug is comment lines and nothing else', () => {
    fc.assert(
      fc.property(hostile, hostile, (text, label) => {
        const { files } = printed('{{debug w.spec.object w.spec.text}}bind :80\n', text + label);
        const lines = (files['haproxy.cfg'] ?? '').split('\n').filter((line) => line.trim() !== '');
        for (const line of lines) expect(line).toMatch(/^(# DEBUG .*|bind :80)$/);
      }),
    );
  });

  it('a once block is one piece of text, whatever its key', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { files, problems } = printed('{{#once w.spec.text "x"}}\nuserlist a\n{{/once}}', text);
        expect(problems).toStrictEqual([]);
        expect((files['haproxy.cfg'] ?? '').trim()).toBe('userlist a');
      }),
    );
  });

  it('a registered file has the text, and nothing else has it', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { files, problems } = printed(
          'errorfile 503 {{registerFile "file" "e.http" w.spec.text}}',
          text,
        );
        if (problems.length > 0) return;
        expect(files['haproxy.cfg']).toBe('errorfile 503 general/e.http');
        expect(files['general/e.http']).toBe(Buffer.from(text).toString());
        expect(Object.keys(files).sort()).toStrictEqual(['general/e.http', 'haproxy.cfg']);
      }),
    );
  });

  it('a registered certificate is PEM blocks or an error that does not quote it', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const secret = `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----\n`;
        const { problems, bundle } = printed('{{registerFile "cert" "c.pem" w.spec.text}}', secret);
        expect(problems.length).toBe(1);
        if (text.trim().length > 8)
          expect(JSON.stringify(problems)).not.toContain(JSON.stringify(text).slice(1, -1));
        expect(bundle.plan.files.size).toBe(1);
      }),
    );
  });

  it.each(['map', 'crt-list'])('a registered %s is refused: its entries are declared one by one', (kind) => {
    const { problems } = printed(`{{registerFile "${kind}" "x" w.spec.text}}`, 'a b');
    expect(problems[0]?.message).toMatch(/are declared by (mapEntry|crtListEntry)/);
  });

  it('JSON and YAML in objects of Kubernetes are the value', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const template =
          '{{#forEach resources.widgets as |w|}}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  json: {{json w.spec.text}}\n  yaml:\n{{yaml w.spec.object 4}}{{/forEach}}';
        const { bundle, problems } = printed('', text, { config: { k8sResources: { x: { template } } } });
        if (problems.length > 0) return;
        const [object] = [...(bundle.resources?.chunks ?? [])].flatMap(({ values: found }) => found);
        const whole = JSON.parse(JSON.stringify({ [text]: text })) as unknown;
        const json = JSON.parse(JSON.stringify(text)) as unknown;
        expect(object?.object['data']).toStrictEqual({ json, yaml: whole });
      }),
    );
  });

  it('JSON in a file is one line', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { files } = printed('{{#file "general/a.json"}}{{json w.spec.text}}{{/file}}', text);
        expect(parse(files['general/a.json'] ?? '')).toStrictEqual(
          JSON.parse(JSON.stringify(text)) as unknown,
        );
        expect(files['general/a.json']).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }),
    );
  });

  it('collected values are printed by the same rules', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const root =
          '{{#forEach resources.widgets as |w|}}{{collect "c" "k" w.spec.text}}{{/forEach}}{{#forEach collected.c as |c|}}{{c.value}}{{/forEach}}';
        const { files } = printed('', text, { root });
        expect((files['haproxy.cfg'] ?? '').replace(/\n$/, '')).toMatch(bare);
      }),
    );
  });

  it('status patches and events print nothing', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { files } = printed(
          '{{statusPatch w deployed=(object text=w.spec.text)}}{{recordEvent w "Seen" (concat "text " (json w.spec.text))}}',
          text,
        );
        expect((files['haproxy.cfg'] ?? '').trim()).toBe('');
      }),
    );
  });
});

/** A line as HAProxy cuts it: into words, with quotes and backslashes taken off and comments left out. */
function wordsOf(line: string): number {
  let words = 0;
  let isInWord = false;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    if (quote === '' && char === '#') break;
    if (quote === '' && (char === ' ' || char === '\t')) {
      isInWord = false;
      continue;
    }
    if (!isInWord) words++;
    isInWord = true;
    if (char === '\\' && quote !== "'") at++;
    else if (char === quote) quote = '';
    else if (quote === '' && (char === '"' || char === "'")) quote = char;
  }
  return quote === '' ? words : Number.NaN;
}

/** How many words are on each line. */
const shapeOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(wordsOf);

describe('whatever stands where in a helper that prints, lines and words are as the template has them', () => {
  it.each([
    '    http-request set-header x {{quoted w.spec.text}} if TRUE',
    '    http-request set-header x {{logformat w.spec.text}} if TRUE',
    '    acl a path_reg {{regex w.spec.text}}',
    '    acl a path_reg {{regex (regexEscape w.spec.text)}} b',
    'backend {{sectionName w.spec.text}}\n    mode http',
    '    mode http {{comment w.spec.text}}\n    balance random',
    '    a {{w.spec.text}} b{{w.spec.text}}c',
    '    a {{quoted (json w.spec.object)}} b {{quoted (trim (yaml w.spec.object))}}',
    '    a {{quoted (format "%s %q %v" w.spec.text w.spec.text w.spec.object)}} b',
    '    a {{default w.spec.text "x"}} {{choose true w.spec.text "x"}} {{fallback w.spec.text "x"}}',
    '{{#backend w.spec.text}}{{server "s" "10.0.0.1" 80}}{{/backend}}',
    '{{#backend "b" profile=w.spec.text guid=w.spec.text}}{{server "s" "10.0.0.1" 80}}{{/backend}}',
    '{{#backend "b"}}{{server w.spec.text "10.0.0.1" 80}}{{/backend}}',
    '{{#backend "b"}}{{server "s" w.spec.text 80}}{{/backend}}',
    '{{#backend "b"}}{{server "s" "10.0.0.1" 80 sni=w.spec.text guid=w.spec.text cookie=w.spec.text}}{{/backend}}',
    '{{#backend "b"}}{{defaultServer sni=w.spec.text}}option httpchk GET {{quoted w.spec.text}}\n{{/backend}}',
    '{{#section w.spec.text}}\nfrontend x\n    bind {{w.spec.text}}:80\n{{/section}}',
    '    errorfile 503 {{path "file" w.spec.text}} crt-list {{certificatePath w.spec.text}}',
    '    a {{#each w.spec.list as |x i|}}{{i}}={{x}},{{/each}} {{#with w.spec.text as |x|}}{{quoted x}}{{/with}}',
    '    a {{#let w.spec.text (concat w.spec.text "x") as |x y|}}{{quoted x}} {{quoted y}}{{/let}}',
    '    a {{join w.spec.list ","}} {{quoted (join w.spec.list w.spec.text)}}',
    '    a {{quoted (replace "axa" "x" w.spec.text)}} {{quoted (regexReplace "axa" "x" w.spec.text)}}',
  ])('%s', (body) => {
    const benign = shapeOf(printed(`${body}\n`, 'x1').files['haproxy.cfg'] ?? '');
    expect(benign.length).toBeGreaterThan(0);
    fc.assert(
      fc.property(hostile, (text) => {
        const { files, problems } = printed(`${body}\n`, text);
        const output = files['haproxy.cfg'] ?? '';
        if (problems.length > 0) expect(output.trim()).toBe('');
        // Optional arguments that are empty are left out.
        else if (text !== '') expect(shapeOf(output)).toStrictEqual(benign);
      }),
      { numRuns: 60 },
    );
  });

  it('entries of maps are one line each, with the key and the value that they were given', () => {
    fc.assert(
      fc.property(
        fc.oneof(hostile, fc.constantFrom('a\u00a0b', '\u00a0', 'a\ufeff', '\u3000b')),
        fc.boolean(),
        (text, isTemplate) => {
          const { files, problems, bundle } = isTemplate
            ? printed('', text, {
                root: '# nothing',
                maps: {
                  'm.map': {
                    template:
                      '{{#forEach resources.widgets as |w|}}\n{{mapKey w.spec.text}} {{mapValue w.spec.text}}\n{{/forEach}}',
                  },
                },
              })
            : printed('{{mapEntry "maps/m.map" (mapKey w.spec.text) (mapValue w.spec.text)}}', text);
          if (problems.length > 0) return;
          expect(files['maps/m.map']).toBe(`${text} ${text}\n`);
          expect(
            [...(getEntry(bundle.plan.maps, 'maps/m.map')?.entries.chunks ?? [])].flatMap(
              ({ values: found }) => found,
            ),
          ).toEqual([expect.objectContaining({ key: text, value: text })]);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('a bare word in an object of Kubernetes adds nothing to it', () => {
    const template =
      '{{#forEach resources.widgets as |w|}}\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: x, labels: { a: {{w.spec.text}}, b: [{{w.spec.text}}] } }\ndata:\n  c: {{w.spec.text}}\n{{/forEach}}';
    const word = fc.stringMatching(/^[A-Za-z0-9_.:/@+,=~*-]{1,8}$/);
    const some = fc.constantFrom(
      'a,b',
      '*a',
      'a:',
      ':',
      '-',
      '~',
      '=',
      '@a',
      ',',
      'a:b,c:d',
      '--',
      '...',
      '---',
      'x:y',
    );
    fc.assert(
      fc.property(fc.oneof(word, some), (text) => {
        const { bundle, problems } = printed('', text, { config: { k8sResources: { x: { template } } } });
        if (problems.length > 0) return;
        const [object] = [...(bundle.resources?.chunks ?? [])].flatMap(({ values: found }) => found);
        const { a, b, ...labels } = (object?.object['metadata'] as { labels: Record<string, unknown> })
          .labels;
        expect(labels).toStrictEqual({});
        // Its type is as YAML has it: a text that looks like a number is one.
        expect([a, b, object?.object['data']].map((value) => JSON.stringify(value)).join()).toMatch(
          /^("[^"]*"|-?[\d.e+-]+|true|false|null),\[("[^"]*"|-?[\d.e+-]+|true|false|null)\],\{"c":("[^"]*"|-?[\d.e+-]+|true|false|null)\}$/,
        );
      }),
      { numRuns: 250, examples: [['-1'], ['1e9'], ['0x1f'], ['~'], ['.inf'], ['true']] },
    );
  });
});
