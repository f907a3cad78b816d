import { describe, expect, it } from 'vitest';
import { entriesOf, getEntry, valuesOf } from '../../../src/lib/ordered-map.ts';
import { encodePlan } from '../../../src/plan/encode-plan.ts';
import { tapShape } from '../../../src/sinks/tap-shape.ts';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { briefly, createWorld, filesOf, type World, type WorldOptions } from './renderer-world.ts';

const pem = (label: string, base64: string) =>
  `-----BEGIN ${label}-----\n${base64}\n-----END ${label}-----\n`;
const chain = pem('CERTIFICATE', 'Y2hhaW4=');
const secret = 'VE9QU0VDUkVU';

const options: WorldOptions = {
  root: `frontend https
  bind :443 ssl crt-list {{certificatePath "list.txt"}}
{{certificate "default.pem" extraContext.chain extraContext.key}}
{{crtListEntry "list.txt" "default.pem"}}
{{#forEach hosts as |h|}}
{{certificate (concat h.secret ".pem") extraContext.chain h.key}}
{{crtListEntry "list.txt" (concat h.secret ".pem") h.names alpn=h.alpn}}
{{/forEach}}
`,
  collections: ['hosts'],
  extraContext: { chain, key: pem('PRIVATE KEY', 'ZGVmYXVsdA==') },
};
const host = (owner: string, secretName: string, names: readonly string[], more: object = {}) => ({
  owner: { kind: 'Ingress', namespace: 'ns', name: owner },
  secret: secretName,
  names,
  key: pem('EC PRIVATE KEY', secret),
  ...more,
});

function listOf(world: World): string {
  return world.text('ssl/list.txt');
}

describe('crt-lists of a render', () => {
  it('have the lines in the order in which templates print them, the default certificate first', () => {
    const world = createWorld(options);
    world.collections['hosts']?.set('b', host('b', 'b', ['b.example', '*.B.example'], { alpn: 'h2' }));
    world.collections['hosts']?.set('a', host('a', 'a', ['a.example']));
    expect(listOf(world)).toBe(
      'ssl/default.pem\nssl/a.pem a.example\nssl/b.pem [alpn h2] b.example *.b.example\n',
    );
    expect(world.text()).toContain('bind :443 ssl crt-list ssl/list.txt\n');
  });

  it('are typed in the plan, with owners, and files of their own kind', () => {
    const world = createWorld(options);
    world.collections['hosts']?.set('a', host('one', 'a', ['a.example'], { alpn: 'h2' }));
    const { plan } = world.render();
    const entries = [...valuesOf(getEntry(plan.crtLists, 'ssl/list.txt')!.entries)];
    expect(entries[1]).toEqual({
      certificate: 'ssl/a.pem',
      options: ['alpn', 'h2'],
      sniFilters: ['a.example'],
      text: 'ssl/a.pem [alpn h2] a.example\n',
      owner: { kind: 'Ingress', namespace: 'ns', name: 'one' },
    });
    expect(
      [...valuesOf(plan.files)].map(({ path, kind, reloadOnChange }) => [path, kind, reloadOnChange]),
    ).toEqual([
      ['haproxy.cfg', 'config', true],
      ['ssl/a.pem', 'cert', false],
      ['ssl/default.pem', 'cert', false],
      ['ssl/list.txt', 'crtlist', true],
    ]);
    expect(world.text('ssl/a.pem')).toBe(chain + pem('EC PRIVATE KEY', secret));
  });

  it('follow their items: what is gone leaves no line and no file', () => {
    const world = createWorld(options);
    world.collections['hosts']?.set('a', host('a', 'a', ['a.example']));
    const first = world.render();
    world.collections['hosts']?.set('a', host('a', 'a', ['a.example', 'aa.example']));
    world.collections['hosts']?.set('c', host('c', 'c', ['c.example']));
    expect(listOf(world)).toBe('ssl/default.pem\nssl/a.pem a.example aa.example\nssl/c.pem c.example\n');
    world.collections['hosts']?.set('a', host('a', 'a', ['a.example']));
    world.collections['hosts']?.delete('c');
    const last = world.render();
    expect(last.plan.id).toBe(first.plan.id);
    expect(filesOf(last)).toEqual(filesOf(first));
  });

  it('share with their former version what did not change', () => {
    const world = createWorld(options);
    for (let n = 100; n < 600; n++)
      world.collections['hosts']?.set(`h${n}`, host(`h${n}`, 's', [`h${n}.example`]));
    const before = getEntry(world.render().plan.crtLists, 'ssl/list.txt')!;
    world.collections['hosts']?.set('h300a', host('x', 's', ['x.example']));
    const after = getEntry(world.render().plan.crtLists, 'ssl/list.txt')!;
    const fresh = after.entries.chunks.filter((chunk) => !before.entries.chunks.includes(chunk));
    expect(fresh.length).toBeLessThanOrEqual(2);
    expect(before.entries.chunks.length).toBeGreaterThan(4);
  });

  it('print equal lines of two owners once, and the other’s when the first one goes', () => {
    const world = createWorld(options);
    world.collections['hosts']?.set('a', host('a', 'shared', ['a.example']));
    world.collections['hosts']?.set('b', host('b', 'shared', ['a.example']));
    expect(listOf(world)).toBe('ssl/default.pem\nssl/shared.pem a.example\n');
    world.collections['hosts']?.delete('a');
    const bundle = world.render();
    expect(listOf(world)).toBe('ssl/default.pem\nssl/shared.pem a.example\n');
    const [, entry] = valuesOf(getEntry(bundle.plan.crtLists, 'ssl/list.txt')!.entries);
    expect(entry?.owner?.name).toBe('b');
    expect(bundle.problems).toEqual([]);
  });

  it('let a line pass to another place within one turn', () => {
    const world = createWorld(options);
    world.collections['hosts']?.set('a', host('a', 'a', ['a.example']));
    world.collections['hosts']?.set('b', host('b', 'b', ['b.example']));
    world.render();
    world.collections['hosts']?.set('a', host('b', 'b', ['b.example']));
    world.collections['hosts']?.set('b', host('a', 'a', ['a.example']));
    expect(listOf(world)).toBe('ssl/default.pem\nssl/b.pem b.example\nssl/a.pem a.example\n');
  });

  it('exist without entries as soon as a template names them', () => {
    const world = createWorld({
      root: 'global\n{{#forEach hosts as |h|}}{{crtListEntry "list.txt" "a.pem"}}{{/forEach}}\n',
      collections: ['hosts'],
    });
    expect(listOf(world)).toBe('');
    expect([...entriesOf(world.render().plan.crtLists)].map(([path]) => path)).toEqual(['ssl/list.txt']);
  });

  it('tell two owners of one certificate file with another content', () => {
    const world = createWorld(options);
    world.collections['hosts']?.set('a', host('a', 'shared', ['a.example']));
    world.collections['hosts']?.set(
      'b',
      host('b', 'shared', ['b.example'], { key: pem('PRIVATE KEY', 'b3RoZXI=') }),
    );
    expect(briefly(world.render().problems)).toEqual([
      'FileConflict b : file ssl/shared.pem is left out here (haproxyConfig:6:1): Ingress ns/a has it already',
    ]);
    expect(world.text('ssl/shared.pem')).toContain(secret);
  });

  it.each([
    ['file', 'files', /files\/list\.txt makes the file general\/list\.txt/],
    ['map', 'maps', /maps\/list\.txt makes the file maps\/list\.txt/],
  ])('cannot be what a %s of the configuration is', (_what, kind, message) => {
    const folder = kind === 'files' ? 'general' : 'maps';
    const root = `global\n{{#file "${folder}/list.txt"}}x{{/file}}\n{{crtListEntry "../${folder}/list.txt" "a.pem"}}`;
    expect(() => createWorld({ root, [kind]: { 'list.txt': { template: 'a b\n' } } })).toThrow(message);
  });

  it('refuses a file effect over a crt-list', () => {
    const root = 'global\n{{crtListEntry "list.txt" "a.pem"}}{{#file "ssl/list.txt"}}x{{/file}}\n';
    expect(() => createWorld({ root })).toThrow('crtListEntry makes the crt-list ssl/list.txt');
  });

  it('keep private keys out of plan blobs, taps and problems', async () => {
    const world = createWorld(options);
    world.collections['hosts']?.set('a', host('a', 'a', ['a.example']));
    world.collections['hosts']?.set(
      'b',
      host('b', 'a', ['b.example'], { key: pem('PRIVATE KEY', secret + secret) }),
    );
    world.collections['hosts']?.set('c', host('c', 'c', ['not a name']));
    world.collections['hosts']?.set('d', host('d', 'd', ['d.example'], { key: `${secret} is no PEM` }));
    world.collections['hosts']?.set(
      'e',
      host('e', 'e', ['e.example'], { key: `-----BEGIN X-----\n${secret}!\n` }),
    );
    const bundle = world.render();
    expect(world.text('ssl/a.pem')).toContain(secret);
    expect(bundle.problems).toHaveLength(4);
    const blob = await promisify(zstdDecompress)((await encodePlan(bundle.plan))!);
    const shown = JSON.stringify([
      tapShape.bundle(bundle),
      tapShape.render({ kind: 'rendered', bundle, tookMs: 1 }),
      bundle.problems,
    ]);
    for (const text of [blob.toString(), shown]) {
      expect(text).not.toContain(secret);
      expect(text).toContain('ssl/a.pem');
    }
  });
});
