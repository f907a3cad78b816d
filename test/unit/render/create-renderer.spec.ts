import { describe, expect, it } from 'vitest';
import { diffOrderedMaps, entriesOf, getEntry, valuesOf } from '../../../src/lib/ordered-map.ts';
import { ropePatch } from '../../../src/lib/rope.ts';
import { createGraph } from '../../../src/collections/create-graph.ts';
import { templateErrorsOf } from '../../../src/templates/template-error.ts';
import { briefly, createWorld, filesOf, widget, type World } from './renderer-world.ts';

const owner = (name: string, namespace = 'ns') => ({ kind: 'Ingress', namespace, name });
const oneMap =
  '{{#forEach hosts as |h|}}\n{{mapEntry "maps/host.map" (mapKey h.host) (mapValue h.to)}}\n{{/forEach}}\n';

function hostWorld(): World {
  const world = createWorld({ root: `global\n${oneMap}`, collections: ['hosts'] });
  world.collections['hosts']?.set('1', { host: 'a.example', to: 'x', owner: owner('first') });
  return world;
}

describe('the bundle of a configuration', () => {
  it('has the text of the root template, fragments in order of key, and maps that exist without entries', () => {
    const world = createWorld({
      root: `global\n  maxconn 1\nfrontend f\n{{#forEach hosts as |h key|}}\n  # {{key}}\n  use_backend {{h}}\n{{/forEach}}\n  default_backend d\n${oneMap}`,
      collections: ['hosts'],
    });
    const hosts = world.collections['hosts'];
    hosts?.set('b', 'B');
    hosts?.set('a/x', 'A');
    hosts?.set('a', 'a');
    const files = filesOf(world.render());
    expect(files['haproxy.cfg']).toBe(
      'global\n  maxconn 1\nfrontend f\n  # a\n  use_backend a\n  # a/x\n  use_backend A\n  # b\n  use_backend B\n  default_backend d\n',
    );
    expect(Object.keys(files)).toStrictEqual(['haproxy.cfg', 'maps/host.map']);
    expect(files['maps/host.map']).toBe('');
  });

  it('knows whom each section and entry came from', () => {
    const world = createWorld({
      root: `global\n  daemon\nfrontend  f\n  bind :80\n{{#forEach items as |i|}}\n{{#backend i.name profile="p"}}{{/backend}}\n{{mapEntry "maps/m.map" i.name "v"}}\n{{/forEach}}\n`,
      collections: ['items'],
    });
    world.collections['items']?.set('k', { name: 'b', owner: owner('o') });
    const { plan } = world.render();
    expect(
      [...valuesOf(plan.sections)].map(({ kind, name, owner: o, template }) => [
        kind,
        name,
        o?.name,
        template,
      ]),
    ).toStrictEqual([
      ['core', 'global', undefined, 'haproxyConfig:1:1'],
      ['core', 'frontend f', undefined, 'haproxyConfig:1:1'],
      ['backend', 'b', 'o', 'haproxyConfig:6:1'],
    ]);
    expect(getEntry(plan.backends, 'b')?.owner).toStrictEqual(owner('o'));
    expect([...entriesOf(getEntry(plan.maps, 'maps/m.map')!.entries)]).toStrictEqual([
      ['b', { key: 'b', value: 'v', text: 'b v\n', owner: owner('o') }],
    ]);
  });

  it('is the same object until something changes, and shares all that did not', () => {
    const world = hostWorld();
    for (let i = 0; i < 500; i++)
      world.collections['hosts']?.set(`k${i}`, { host: `h${i}`, to: 'x', owner: owner('o') });
    const first = world.render();
    expect(world.render()).toBe(first);
    world.collections['hosts']?.set('k7', { host: 'h7', to: 'y', owner: owner('o') });
    const second = world.render();
    expect(second).not.toBe(first);
    expect(second.plan.sections).toBe(first.plan.sections);
    const [before, after] = [first, second].map(
      (bundle) => getEntry(bundle.plan.maps, 'maps/host.map')!.entries,
    );
    expect([...diffOrderedMaps(before!, after!)].map((change) => change.key)).toStrictEqual(['h7']);
    expect(Buffer.concat(ropePatch(before!, after!).bytes).toString()).toBe('h7 y\n');
    expect(second.revision).toBeGreaterThan(first.revision);
    world.collections['hosts']?.set('k7', { host: 'h7', to: 'x', owner: owner('o') });
    expect(world.render().plan.id).toBe(first.plan.id);
  });

  it('does not change for a change that its templates do not print', () => {
    const world = hostWorld();
    const first = world.render();
    world.collections['hosts']?.set('1', { host: 'a.example', to: 'x', owner: owner('first'), other: 1 });
    expect(world.render()).toBe(first);
  });

  it('has the maps and files of the configuration, where HAProxy looks for them', () => {
    const world = createWorld({
      root: 'global\n',
      collections: ['hosts'],
      maps: {
        'regex.map': {
          template: '# first match\n{{#forEach hosts as |h|}}\n^{{h}}  to {{h}}\n{{/forEach}}\n.* rest\n',
        },
        'set.map': { template: '{{#forEach hosts as |h|}}\n{{h}} 1\n{{/forEach}}', ordered: false },
      },
      files: {
        'a.txt': { template: 'x\n\n  {{#forEach hosts as |h|}}{{h}};{{/forEach}}y' },
        'b.txt': { template: '', reloadOnPush: false },
      },
    });
    for (const name of ['b', 'a']) world.collections['hosts']?.set(name, name);
    const { plan } = world.render();
    expect(filesOf(world.render())).toStrictEqual({
      'general/a.txt': 'x\n\n  a;b;y\n',
      'general/b.txt': '',
      'haproxy.cfg': 'global\n',
      'maps/regex.map': '^a to a\n^b to b\n.* rest\n',
      'maps/set.map': 'a 1\nb 1\n',
    });
    expect([...valuesOf(plan.maps)].map(({ path, ordered }) => [path, ordered])).toStrictEqual([
      ['maps/regex.map', true],
      ['maps/set.map', false],
    ]);
    expect(
      [...valuesOf(plan.files)].map(({ path, kind, reloadOnChange }) => [path, kind, reloadOnChange]),
    ).toStrictEqual([
      ['general/a.txt', 'general', true],
      ['general/b.txt', 'general', false],
      ['haproxy.cfg', 'config', true],
      ['maps/regex.map', 'map', false],
      ['maps/set.map', 'map', false],
    ]);
  });
});

describe('an item that cannot be printed', () => {
  it('keeps its last accepted output and is reported; all others go on', () => {
    const world = hostWorld();
    world.collections['hosts']?.set('2', { host: 'b.example', to: 'y', owner: owner('second') });
    expect(world.text('maps/host.map')).toBe('a.example x\nb.example y\n');
    world.collections['hosts']?.set('1', { host: 'a b', to: 'x', owner: owner('first') });
    world.collections['hosts']?.set('2', { host: 'b.example', to: 'z', owner: owner('second') });
    const bundle = world.render();
    expect(filesOf(bundle)['maps/host.map']).toBe('a.example x\nb.example z\n');
    expect(bundle.problems).toStrictEqual([
      {
        severity: 'error',
        reason: 'TemplateFailed',
        field: 'host',
        message: '(mapKey h.host): the map key "a b" has a space in it (haproxyConfig:3:28)',
        owner: owner('first'),
      },
    ]);
    world.collections['hosts']?.set('1', { host: 'c', to: 'x', owner: owner('first') });
    expect(world.render().problems).toStrictEqual([]);
    expect(world.text('maps/host.map')).toBe('b.example z\nc x\n');
  });

  it('is not there at all when it never was accepted, and leaves nothing when it is deleted', () => {
    const world = hostWorld();
    world.collections['hosts']?.set('1', { host: '', to: 'x', owner: owner('first') });
    expect(world.text('maps/host.map')).toBe('');
    world.collections['hosts']?.delete('1');
    expect(world.render().problems).toStrictEqual([]);
  });

  it('is blamed on itself when it is a Kubernetes object, on its entry otherwise', () => {
    const world = createWorld({
      root: '{{#forEach resources.widgets as |w|}}{{fail "no" field="spec.x" reason="NoGood"}}{{/forEach}}{{#forEach items as |i|}}{{i.x}}{{/forEach}}',
      collections: ['items'],
      resources: { widgets: undefined },
    });
    world.resources['widgets']?.set('ns/w', widget('w'));
    world.collections['items']?.set('key', {});
    const { problems } = world.render();
    expect(problems.map(({ reason, field, owner: o }) => [reason, field, o])).toStrictEqual(
      expect.arrayContaining([
        ['NoGood', 'spec.x', { kind: 'Widget', namespace: 'ns', name: 'w' }],
        ['TemplateFailed', 'x', { kind: 'items', namespace: '', name: 'key' }],
      ]) as unknown,
    );
  });

  it('may warn and stay in effect', () => {
    const world = createWorld({
      root: '{{#forEach items as |i|}}{{warn "odd" field="f"}}x {{i.v}}\n{{/forEach}}',
      collections: ['items'],
    });
    world.collections['items']?.set('k', { v: 1, owner: owner('o') });
    const bundle = world.render();
    expect(bundle.problems).toStrictEqual([
      { severity: 'warning', reason: 'TemplateWarning', field: 'f', message: 'odd', owner: owner('o') },
    ]);
    expect(filesOf(bundle)['haproxy.cfg']).toBe('x 1\n');
  });

  it('cannot write over what the configuration makes', () => {
    const world = createWorld({
      root: '{{#forEach items as |i|}}{{mapEntry i.path "a" "b"}}{{/forEach}}{{#forEach items as |i|}}{{#file i.path}}x{{/file}}{{/forEach}}',
      maps: { 'o.map': { template: 'a 1' } },
      files: { f: { template: 'x' } },
      collections: ['items'],
    });
    for (const path of ['maps/o.map', 'general/f'])
      world.collections['items']?.set(path, { path, owner: owner(path) });
    expect(world.text('maps/o.map')).toBe('a 1\n');
    expect(briefly(world.render().problems).map((text) => text.replace(/ \(.*/, ''))).toStrictEqual([
      'TemplateFailed general/f : files/f makes the file general/f',
      'TemplateFailed general/f : files/f makes the file general/f',
      'TemplateFailed maps/o.map : maps/o.map makes the file maps/o.map',
      'TemplateFailed maps/o.map : maps/o.map makes the map maps/o.map, whose order counts: set ordered to false to add entries from elsewhere',
    ]);
  });
});

describe('what two fragments claim', () => {
  it('a map key goes to the smaller fragment key, and to the other one when that goes', () => {
    const world = hostWorld();
    world.collections['hosts']?.set('0', { host: 'a.example', to: 'late', owner: owner('second') });
    const bundle = world.render();
    expect(filesOf(bundle)['maps/host.map']).toBe('a.example late\n');
    expect(briefly(bundle.problems)).toStrictEqual([
      'MapKeyConflict first : key of maps/host.map a.example is left out here (haproxyConfig:3:1): Ingress ns/second has it already',
    ]);
    world.collections['hosts']?.delete('0');
    expect(world.text('maps/host.map')).toBe('a.example x\n');
    expect(world.render().problems).toStrictEqual([]);
    expect(world.renderer.problems).toStrictEqual([]);
  });

  it('a backend, a profile, a section and a file are printed once', () => {
    const world = createWorld({
      root: `{{#forEach items as |i|}}
{{#profile "p"}}timeout server {{i.t}}{{/profile}}
{{#section "peers x"}}
peers x
  peer {{i.t}} 10.0.0.1:1
{{/section}}
{{#backend "b" profile="p"}}{{server i.t "::1" 1}}{{/backend}}
{{#file "general/f"}}{{i.t}}{{/file}}
{{/forEach}}`,
      collections: ['items'],
    });
    for (const t of ['2s', '1s']) world.collections['items']?.set(t, { t, owner: owner(t) });
    const bundle = world.render();
    expect(filesOf(bundle)).toStrictEqual({
      'haproxy.cfg':
        '\ndefaults p\n    timeout server 1s\n\npeers x\n  peer 1s 10.0.0.1:1\n\nbackend b from p\n    mode http\n    server 1s ::1:1\n',
      'general/f': '1s',
    });
    expect(bundle.problems.map(({ reason, owner: o }) => `${reason} ${o.name}`).sort()).toStrictEqual([
      'BackendNameConflict 2s',
      'FileConflict 2s',
      'ProfileNameConflict 2s',
      'SectionNameConflict 2s',
    ]);
  });

  it('with the same content is no conflict', () => {
    const world = createWorld({
      root: '{{#forEach items as |i|}}{{#profile "p"}}mode http{{/profile}}{{mapEntry "maps/m.map" "k" "v"}}{{#file "general/f"}}x{{/file}}{{/forEach}}',
      collections: ['items'],
    });
    for (const key of ['a', 'b']) world.collections['items']?.set(key, { owner: owner(key) });
    expect(world.render().problems).toStrictEqual([]);
    expect(world.text()).toBe('\ndefaults p\n    mode http\n');
    world.collections['items']?.delete('a');
    expect(world.text('maps/m.map')).toBe('k v\n');
    expect(world.text('general/f')).toBe('x');
    expect([...valuesOf(world.render().plan.sections)].map((s) => s.owner?.name)).toStrictEqual(['b']);
  });
});

describe('tracked lookups', () => {
  it('print again what looked, when what was found changes', () => {
    const world = createWorld({
      root: `{{#forEach resources.widgets as |w|}}
w {{w.metadata.name}}{{#with (single "services" w.metadata.namespace w.spec.service) as |s|}} s={{s.spec.v}}{{/with}}{{#each (list "slices" w.metadata.namespace w.spec.service) as |e|}} e={{e.metadata.name}}{{/each}}{{#with (fetch "nodes" w.spec.node) as |n|}} n={{n.spec.v}}{{/with}} all={{length (list "nodes")}} ns={{length (list "slices" w.metadata.namespace)}}
{{/forEach}}`,
      resources: {
        widgets: undefined,
        services: ['metadata.namespace', 'metadata.name'],
        slices: ['metadata.namespace', "metadata.labels['kubernetes.io/service-name']"],
        nodes: ['metadata.name'],
      },
    });
    const { widgets, services, slices, nodes } = world.resources;
    widgets?.set('ns/w', widget('w', { service: 's', node: 'n1' }));
    expect(world.text()).toBe('w w all=0 ns=0\n');
    services?.set('ns/s', widget('s', { v: 1 }));
    expect(world.text()).toBe('w w s=1 all=0 ns=0\n');
    const labels = { 'kubernetes.io/service-name': 's' };
    for (const name of ['e2', 'e1'])
      slices?.set(`ns/${name}`, { metadata: { name, namespace: 'ns', labels } });
    slices?.set('other/e', { metadata: { name: 'e', namespace: 'other', labels } });
    slices?.set('ns/unlabelled', { metadata: { name: 'unlabelled', namespace: 'ns' } });
    nodes?.set('n1', { metadata: { name: 'n1' }, spec: { v: 9 } });
    expect(world.text()).toBe('w w s=1 e=e1 e=e2 n=9 all=1 ns=3\n');
    services?.delete('ns/s');
    slices?.delete('ns/e1');
    expect(world.text()).toBe('w w e=e2 n=9 all=1 ns=2\n');
  });

  it('single refuses to choose between several', () => {
    const world = createWorld({
      root: '{{#forEach resources.widgets as |w|}}{{#with (single "slices" "s") as |s|}}{{/with}}x\n{{/forEach}}',
      resources: { widgets: undefined, slices: ["metadata.labels['a.b/c']", 'metadata.name'] },
    });
    world.resources['widgets']?.set('ns/w', widget('w'));
    for (const name of ['a', 'b'])
      world.resources['slices']?.set(`ns/${name}`, {
        metadata: { name, namespace: 'ns', labels: { 'a.b/c': 's' } },
      });
    expect(briefly(world.render().problems)[0]).toMatch(/2 slices match s, one is expected/);
  });
});

describe('a configuration that cannot be rendered', () => {
  it('is refused with its templates’ errors before anything is made in the graph', () => {
    const graph = createGraph();
    const before = graph.mark();
    try {
      createWorld({ root: '{{nope}}', maps: { m: { template: '{{#backend "b"}}{{/backend}}' } } });
      expect.unreachable();
    } catch (error) {
      expect(templateErrorsOf(error).map((e) => `${e.template} ${e.message}`)).toStrictEqual([
        expect.stringMatching(/^haproxyConfig unknown name "nope"/) as string,
        'maps/m backend can stand in the haproxyConfig template only',
      ]);
    }
    expect(graph.mark()).toBe(before);
  });

  it('names the mapEntry that writes into a map whose order counts', () => {
    const maps = { 'o.map': { template: 'a 1' } };
    const root = 'global\n  {{mapEntry "maps/o.map" "a" "b"}}';
    expect(() => createWorld({ root, maps })).toThrow(
      'haproxyConfig:2:3: maps/o.map makes the map maps/o.map, whose order counts: set ordered to false',
    );
  });

  it.each([
    ['text around the fragments that fails', '{{quoted extraContext.nope}}', /haproxyConfig:1:1: .*no value/],
    ['a map line without value', 'global\n', /maps\/m:1:1: "alone" is no map entry/],
  ])('%s is an error of the configuration', (_what, root, message) => {
    const maps = root === 'global\n' ? { m: { template: 'alone\n' } } : {};
    expect(() => createWorld({ root, maps })).toThrow(message);
  });
});

describe('a renderer that is disposed of', () => {
  it('leaves the graph as it was', () => {
    const world = createWorld({
      root: '{{#forEach items as |i|}}{{i}}{{/forEach}}',
      collections: ['items'],
    });
    world.collections['items']?.set('k', 1);
    world.render();
    const withFragments = world.graph.mark();
    world.renderer.dispose();
    expect(world.graph.mark()).toBeLessThan(withFragments);
    world.collections['items']?.set('k', 2);
    expect(world.graph.advance()).toBe('finished');
  });
});
