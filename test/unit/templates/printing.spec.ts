import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
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
