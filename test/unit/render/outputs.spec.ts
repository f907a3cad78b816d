import { describe, expect, it } from 'vitest';
import type { TemplateConfig } from '../../../src/api/template-config.ts';
import { valuesOf } from '../../../src/lib/ordered-map.ts';
import { renderFaultOf } from '../../../src/templates/render-fault.ts';
import { templateErrorsOf } from '../../../src/templates/template-error.ts';
import { briefly, createWorld, filesOf, widget, type World } from './renderer-world.ts';

const pem = (label: string, body = 'QUJD') => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;

function over(config: Partial<TemplateConfig>, root = 'global\n'): World {
  return createWorld({
    root,
    resources: { widgets: undefined },
    extraContext: {
      chain: pem('CERTIFICATE'),
      key: pem('PRIVATE KEY', 'REVG'),
      hostile: 'a: b\n---\nkind: Evil',
    },
    config,
  });
}

function put(world: World, name: string, spec: Readonly<Record<string, unknown>>): void {
  world.resources['widgets']?.set(`ns/${name}`, widget(name, spec));
}

describe('sslCertificates', () => {
  const certificates = (template: string) => ({ sslCertificates: { 'site.pem': { template } } });

  it('are files for certificates, in one piece whatever is between the blocks', () => {
    const world = over(certificates('# mine\n{{{extraContext.chain}}}\n\n{{{extraContext.key}}}\n'));
    const { plan } = world.render();
    const file = [...valuesOf(plan.files)].find(({ path }) => path === 'ssl/site.pem');
    expect(file).toMatchObject({ kind: 'cert', reloadOnChange: false });
    expect(filesOf(world.render())['ssl/site.pem']).toBe(pem('CERTIFICATE') + pem('PRIVATE KEY', 'REVG'));
  });

  it('follow the objects that they are made of, and are no file while there is nothing in them', () => {
    const world = over(
      certificates(
        '{{#forEach resources.widgets as |w|}}{{#if (eq w.metadata.name "main")}}{{{w.spec.pem}}}{{/if}}{{/forEach}}',
      ),
    );
    expect(Object.keys(filesOf(world.render()))).not.toContain('ssl/site.pem');
    put(world, 'main', { pem: pem('CERTIFICATE') });
    put(world, 'other', { pem: 'x' });
    expect(filesOf(world.render())['ssl/site.pem']).toBe(pem('CERTIFICATE'));
    put(world, 'main', { pem: pem('CERTIFICATE', 'not base64') });
    const bundle = world.render();
    expect(filesOf(bundle)['ssl/site.pem']).toBe(pem('CERTIFICATE'));
    expect(briefly(bundle.problems)).toStrictEqual([
      'TemplateFailed main : line 2 of the PEM text is neither base64 nor the end of its block (sslCertificates/site.pem:1:1)',
    ]);
  });

  it('cannot be written by effects, too', () => {
    const world = over(
      certificates('{{{extraContext.chain}}}'),
      '{{#forEach resources.widgets as |w|}}{{certificate "site.pem" extraContext.chain extraContext.key}}{{/forEach}}',
    );
    put(world, 'a', {});
    expect(briefly(world.render().problems)).toStrictEqual([
      expect.stringContaining('sslCertificates/site.pem makes the file ssl/site.pem'),
    ]);
  });
});

describe('crtLists', () => {
  const lists = (template: string) => ({ crtLists: { 'list.txt': { template } } });

  it('are lists whose lines are entries, in print order, and take those of effects, too', () => {
    const world = over(
      lists(
        '# the default first\nssl/default.pem\n{{#forEach resources.widgets as |w|}}\n  ssl/{{w.metadata.name}}.pem  [alpn  h2]   {{w.spec.host}}\n{{/forEach}}',
      ),
      '{{crtListEntry "list.txt" "extra.pem" "extra.example"}}',
    );
    put(world, 'b', { host: 'B.example' });
    put(world, 'a', { host: '*.a.example' });
    const bundle = world.render();
    expect(filesOf(bundle)['ssl/list.txt']?.trim().split('\n').sort()).toStrictEqual([
      'ssl/a.pem [alpn h2] *.a.example',
      'ssl/b.pem [alpn h2] b.example',
      'ssl/default.pem',
      'ssl/extra.pem extra.example',
    ]);
    expect([...valuesOf(bundle.plan.crtLists)][0]?.entries.size).toBe(4);
    expect(bundle.problems).toStrictEqual([]);
  });

  it('are there without entries', () => {
    expect(filesOf(over(lists('')).render())['ssl/list.txt']).toBe('');
  });

  it.each([
    ['no path', '../x.pem', /is not a relative path/],
    ['no host name', 'ssl/a.pem a_b.*', /is not a host name/],
    ['no options', 'ssl/a.pem [alpn h2', /is not a host name/],
    ['odd options', 'ssl/a.pem [a"b] x.example', /cannot stand among the options/],
  ])('refuse an item that gives %s', (_what, line, message) => {
    const world = over(lists('{{#forEach resources.widgets as |w|}}{{{w.spec.line}}}\n{{/forEach}}'));
    put(world, 'a', { line });
    put(world, 'b', { line: 'ssl/b.pem' });
    const bundle = world.render();
    expect(briefly(bundle.problems)).toStrictEqual([expect.stringMatching(message)]);
    expect(filesOf(bundle)['ssl/list.txt']).toBe('ssl/b.pem\n');
  });
});

describe('k8sResources', () => {
  const resources = (template: string, more: object = {}) => ({
    k8sResources: { own: { template, ...more } },
  });
  const declaredBy = (world: World) => [...valuesOf(world.render().resources ?? { size: 0, chunks: [] })];

  it('are objects of the bundle, with whom they come from', () => {
    const world = over(
      resources(
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: fixed\n---\n{{#forEach resources.widgets as |w|}}\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  namespace: {{w.metadata.namespace}}\n  name: {{w.metadata.name}}\ndata:\n  text: {{json w.spec.text}}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: {{w.metadata.name}} }\n{{/forEach}}',
        { createOnlyFields: ['data.token'] },
      ),
    );
    put(world, 'a', { text: 'x: "y"\n---\nkind: Evil' });
    expect(declaredBy(world)).toStrictEqual([
      {
        reference: { apiVersion: 'v1', kind: 'ConfigMap', namespace: '', name: 'fixed' },
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'fixed' } },
        createOnlyFields: ['data.token'],
        owner: { kind: 'Template', namespace: '', name: 'k8sResources/own' },
        place: 'k8sResources/own:1:1',
      },
      {
        reference: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ns', name: 'a' },
        object: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { namespace: 'ns', name: 'a' },
          data: { text: 'x: "y"\n---\nkind: Evil' },
        },
        createOnlyFields: ['data.token'],
        owner: { kind: 'Widget', namespace: 'ns', name: 'a' },
        place: 'k8sResources/own:6:1',
      },
      expect.objectContaining({ reference: { apiVersion: 'v1', kind: 'Service', namespace: '', name: 'a' } }),
    ]);
    expect(Object.keys(filesOf(world.render()))).toStrictEqual(['haproxy.cfg']);
    world.resources['widgets']?.delete('ns/a');
    expect(declaredBy(world).map(({ reference }) => reference.name)).toStrictEqual(['fixed']);
  });

  it('go to the first of two that declare one object; the other is told', () => {
    const world = over(
      resources(
        '{{#forEach resources.widgets as |w|}}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {by: {{w.metadata.name}} }\n{{/forEach}}',
      ),
    );
    put(world, 'b', {});
    put(world, 'a', {});
    expect(declaredBy(world)).toMatchObject([{ owner: { name: 'a' } }]);
    expect(briefly(world.render().problems)).toStrictEqual([
      'ResourceConflict b : object v1 ConfigMap one is left out here (k8sResources/own:1:1): Widget ns/a has it already',
    ]);
    world.resources['widgets']?.delete('ns/a');
    expect(declaredBy(world)).toMatchObject([{ owner: { name: 'b' } }]);
    expect(world.render().problems).toStrictEqual([]);
  });

  it.each([
    ['no YAML', 'a: [', /this is not YAML/],
    ['two values under one key', 'kind: A\nkind: B', /this is not YAML: Map keys must be unique/],
    ['a list', '- 1', /no Kubernetes object/],
    ['no kind', 'apiVersion: v1\nmetadata: {name: x}', /has no apiVersion or no kind/],
    ['no name', 'apiVersion: v1\nkind: ConfigMap', /a ConfigMap has no metadata.name/],
    ['a number as name', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 1}', /has no metadata.name/],
    ['a status', 'apiVersion: v1\nkind: X\nmetadata: {name: x}\nstatus: {}', /use statusPatch/],
    [
      'aliases that multiply',
      'apiVersion: v1\nkind: X\nmetadata: {name: x}\na: &a [1]\nb: [*a, *a]',
      /this YAML cannot be taken: Alias resolution is disabled/,
    ],
  ])('refuse an item that gives %s', (_what, text, message) => {
    const world = over(resources('{{#forEach resources.widgets as |w|}}{{{w.spec.text}}}{{/forEach}}'));
    put(world, 'a', { text });
    expect(briefly(world.render().problems)).toStrictEqual([expect.stringMatching(message)]);
    expect(declaredBy(world)).toStrictEqual([]);
  });

  it.each([
    ['before it', 'data:\n {{#forEach resources.widgets as |w|}}a{{/forEach}}', 2, 2],
    ['after it', '{{#forEach resources.widgets as |w|}}a{{/forEach}}\nb: c', 1, 1],
  ])('refuse a forEach with a part of a document %s', (_where, template, line, column) => {
    try {
      over(resources(template));
      expect.unreachable();
    } catch (error) {
      expect(templateErrorsOf(error)).toStrictEqual([
        expect.objectContaining({
          template: 'k8sResources/own',
          line,
          column,
          message: expect.stringMatching(/^a forEach stands between YAML documents, not in one/) as string,
        }),
      ]);
    }
  });

  it('can be one object made of many others, by way of a collection', () => {
    const world = over(
      resources(
        '{{#forEach collected.all as |c|}}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: all}\ndata:\n  names: |\n{{yaml c.values 4}}{{/forEach}}',
      ),
      '{{#forEach resources.widgets as |w|}}{{collect "all" "names" w.metadata.name}}{{/forEach}}',
    );
    put(world, 'b', {});
    put(world, 'a', {});
    expect(declaredBy(world)).toMatchObject([{ object: { data: { names: '- a\n- b\n' } } }]);
  });

  it('refuse the configuration when the text around fragments is wrong', () => {
    try {
      over(resources('a\n  b: ['));
      expect.unreachable();
    } catch (error) {
      expect(renderFaultOf(error)?.place).toBe('k8sResources/own:1:1');
    }
  });
});

describe('postProcessing', () => {
  const replace = (pattern: string, by: string) => [
    { type: 'regex_replace' as const, params: { pattern, replace: by } },
  ];

  it('works on each line of the text that templates print, fragments included', () => {
    const world = over({
      haproxyConfig: {
        template:
          'frontend x\n        bind :80\n{{#forEach resources.widgets as |w|}}\n            # {{w.metadata.name}}\n{{/forEach}}\n    # end  \n',
        postProcessing: replace('^[ ]+', '  '),
      },
      maps: {
        'a.map': {
          template: '{{#forEach resources.widgets as |w|}}\n{{w.metadata.name}} old\n{{/forEach}}',
          postProcessing: replace('(\\w+) old', '$1 new-$1'),
        },
      },
      files: {
        'f.txt': {
          template: 'one two\ntwo',
          postProcessing: [...replace('^two', '2'), ...replace('2', 'II')],
        },
      },
    });
    put(world, 'a', {});
    const files = filesOf(world.render());
    expect(files['haproxy.cfg']).toBe('frontend x\n  bind :80\n  # a\n  # end\n');
    expect(files['maps/a.map']).toBe('a new-a\n');
    expect(files['general/f.txt']).toBe('one two\nII\n');
  });

  it('leaves alone what templates declare', () => {
    const world = over({
      haproxyConfig: {
        template:
          '{{#backend "b"}}{{server "s" "10.0.0.1" 80}}{{/backend}}{{mapEntry "maps/m.map" "10" "10"}}',
        postProcessing: replace('10', '99'),
      },
    });
    const files = filesOf(world.render());
    expect(files['haproxy.cfg']).toContain('server s 10.0.0.1:80');
    expect(files['maps/m.map']).toBe('10 10\n');
  });

  it('refuses an expression when it is loaded, and names step and template', () => {
    try {
      over({
        files: { 'f.txt': { template: 'x', postProcessing: [...replace('a', 'b'), ...replace('(', '')] } },
      });
      expect.unreachable();
    } catch (error) {
      expect(templateErrorsOf(error)).toStrictEqual([
        {
          template: 'files/f.txt',
          line: 1,
          column: 1,
          message:
            'postProcessing[1].params.pattern: "(" is not a regular expression: missing closing ): `(`',
        },
      ]);
    }
  });
});

describe('what a render is for', () => {
  it('is seen by those who ask, and what-ifs run for them alone', () => {
    const world = over(
      {},
      '{{#forEach resources.widgets as |w|}}\n# {{w.metadata.name}}{{#if w.spec.asks}} {{renderMode}}{{#with (admissionSubject) as |o|}} {{o.name}}{{/with}}{{/if}}\n{{/forEach}}',
    );
    put(world, 'a', { asks: true });
    put(world, 'b', { asks: false });
    expect(world.text()).toContain('# a reconcile\n');
    const { context } = world.renderer;
    const fork = world.graph.fork([
      { collection: context, key: 'renderMode', value: 'admission' },
      { collection: context, key: 'admissionSubject', value: { kind: 'Widget', namespace: 'ns', name: 'a' } },
    ]);
    const preview = world.renderer.preview(fork, (held) => held);
    const text = [...valuesOf(preview!.plan.sections)].map((section) => section.text).join('');
    expect(text).toContain('# a admission a\n');
    expect(world.text()).toContain('# a reconcile\n');
  });
});

describe('controller.haproxyPods', () => {
  it('are a collection like others', () => {
    const world = over(
      {},
      'peers p\n{{#forEach controller.haproxyPods as |pod|}}\n  peer {{pod.name}} {{pod.address}}:10000\n{{/forEach}}\n{{#forEach resources.widgets as |w|}}\n# {{length (list "controller.haproxyPods")}}\n{{/forEach}}',
    );
    put(world, 'a', {});
    world.pods.set('x/h-1', { name: 'h-1', namespace: 'x', address: '10.0.0.1' });
    expect(world.text().match(/peer h.*|# .*/g)).toStrictEqual(['peer h-1 10.0.0.1:10000', '# 1']);
    world.pods.set('x/h-0', { name: 'h-0', namespace: 'x', address: '10.0.0.2' });
    expect(world.text().match(/peer h.*|# .*/g)).toStrictEqual([
      'peer h-0 10.0.0.2:10000',
      'peer h-1 10.0.0.1:10000',
      '# 2',
    ]);
  });
});

describe('the profile', () => {
  it('counts and times templates, fragments, snippets and helpers', () => {
    let now = 0;
    const world = createWorld({
      root: '{{> s}}{{#forEach resources.widgets as |w|}}{{> s}}{{quoted (concat w.metadata.name)}}{{/forEach}}',
      snippets: { s: '{{comment "x"}}\n' },
      resources: { widgets: undefined },
      profileClock: () => now++,
    });
    put(world, 'a', {});
    put(world, 'b', {});
    world.render();
    const profile = world.renderer.profile();
    const counts = Object.fromEntries(profile.map(({ kind, name, count }) => [`${kind} ${name}`, count]));
    expect(counts).toStrictEqual({
      'template haproxyConfig': 1,
      'fragment haproxyConfig:1:8': 2,
      'snippet s': 3,
      'helper comment': 3,
      'helper quoted': 2,
      'helper concat': 2,
      'helper forEach': 1,
    });
    for (const { selfMs, totalMs } of profile) expect(totalMs).toBeGreaterThanOrEqual(selfMs);
    const whole = profile.filter(({ kind }) => kind === 'template' || kind === 'fragment');
    const sum = (of: readonly { selfMs: number }[]) => of.reduce((total, { selfMs }) => total + selfMs, 0);
    // What each thing did itself adds up to all there was.
    expect(sum(profile)).toBe(whole.reduce((total, { totalMs }) => total + totalMs, 0));
    expect(profile.map(({ selfMs }) => selfMs)).toStrictEqual(
      profile.map(({ selfMs }) => selfMs).sort((a, b) => b - a),
    );
  });

  it('is empty when nobody asked for it', () => {
    const world = over({}, '{{comment "x"}}');
    world.render();
    expect(world.renderer.profile()).toStrictEqual([]);
  });
});
