import { describe, expect, it } from 'vitest';
import { inventoryOf } from '../../../src/plan/inventory-of.ts';
import { diff } from '../../../src/plan/diff.ts';
import { limits } from '../../../src/protocol/limits.ts';
import type { RuntimeInventory } from '../../../src/protocol/wire.ts';
import { baselineOf } from '../../fixtures/baseline.ts';
import { makePlan, type FileSketch, type ServerSketch, type Sketch } from '../../fixtures/make-plan.ts';

const list = 'ssl/list.txt';
const pem = (text: string): FileSketch => ({ kind: 'cert', text });
const entry = (name: string, ...sniFilters: string[]) => ({ certificate: `ssl/${name}.pem`, sniFilters });

const base: Sketch = {
  core: { global: 'global\n', web: `frontend web from std\n  bind :443 ssl crt-list ${list}\n` },
  profiles: { std: [] },
  backends: { shop: { servers: [{ name: 'pod-1', address: '10.0.0.1', port: 443 }] } },
  crtLists: { [list]: [entry('a'), entry('b', 'b.example')] },
  files: { 'ssl/a.pem': pem('A'), 'ssl/b.pem': pem('B') },
};
const withFiles = (files: Readonly<Record<string, FileSketch>>, from = base): Sketch => ({
  ...from,
  files: { ...from.files, ...files },
});
const withList = (...entries: NonNullable<Sketch['crtLists']>[string]): Sketch => ({
  ...base,
  crtLists: { [list]: entries },
});
const withServer = (server: Partial<ServerSketch>, from = base): Sketch => ({
  ...from,
  backends: {
    shop: {
      servers: [
        ...(from.backends?.['shop']?.servers ?? []),
        { name: 'pod-2', address: '10.0.0.2', port: 443, ...server },
      ],
    },
  },
});
const keyword = (name: string, ...args: string[]) => ({ name, args });

function decide(before: Sketch, after: Sketch, loaded: Partial<RuntimeInventory> = {}, version = '3.4') {
  const inventory = { ...inventoryOf(makePlan(before)), ...loaded };
  return diff(makePlan(after), baselineOf(makePlan(before), version, { inventory }));
}
const operations = (...args: Parameters<typeof decide>) => {
  const decision = decide(...args);
  expect(decision.reasons).toEqual([]);
  return decision.batches.flat();
};

describe('diff of certificates, CA and CRL files (R6)', () => {
  it.each(['2.6', '3.0', '3.2', '3.4'])('sets a changed certificate on %s, without a reload', (version) => {
    expect(operations(base, withFiles({ 'ssl/b.pem': pem('B2') }), {}, version)).toEqual([
      { kind: 'cert_set', path: 'ssl/b.pem' },
    ]);
  });

  it.each(['ca', 'crl'] as const)('sets a changed %s', (kind) => {
    const file = (text: string) => withFiles({ 'ssl/x.pem': { kind, text } });
    expect(operations(file('1'), file('2'))).toEqual([{ kind: `${kind}_set`, path: 'ssl/x.pem' }]);
  });

  it.each(['2.6', '3.0'])(
    'reloads for a changed CA file on %s, where replacing it would freeze certificates',
    (version) => {
      const file = (text: string) => withFiles({ 'ssl/x.pem': { kind: 'ca', text } });
      expect(decide(file('1'), file('2'), {}, version).reasons).toEqual([
        `CA file ssl/x.pem: changed, and ca_set is not for HAProxy ${version}`,
      ]);
    },
  );

  it('sets a file in every store that has it', () => {
    const after = withFiles({ 'ssl/b.pem': pem('B2') });
    expect(operations(base, after, { ca_files: ['ssl/b.pem'] })).toEqual([
      { kind: 'cert_set', path: 'ssl/b.pem' },
      { kind: 'ca_set', path: 'ssl/b.pem' },
    ]);
  });

  it('leaves a changed file that is not loaded to the disk, and says so', () => {
    expect(decide(base, withFiles({ 'ssl/b.pem': pem('B2') }), { certs: ['ssl/a.pem'] })).toMatchObject({
      verdict: 'file_only',
      notes: ['certificate ssl/b.pem: changed, but not loaded by the worker'],
    });
  });

  it('loads a new certificate only when something names it', () => {
    const stray = withFiles({ 'ssl/c.pem': pem('C') });
    expect(decide(base, stray)).toMatchObject({ verdict: 'file_only', changedFiles: ['ssl/c.pem'] });
    const named = { ...stray, ...withList(entry('a'), entry('b', 'b.example'), entry('c', 'c.example')) };
    expect(operations(base, { ...named, files: stray.files! })).toEqual([
      { kind: 'cert_new', path: 'ssl/c.pem' },
      { kind: 'crtlist_add', path: list, cert: 'ssl/c.pem', options: [], sni_filters: ['c.example'] },
    ]);
  });

  it('loads a certificate that was on the disk already when something comes to name it', () => {
    const stray = withFiles({ 'ssl/c.pem': pem('C') });
    const after = {
      ...withList(entry('a'), entry('b', 'b.example'), entry('c', 'c.example')),
      files: stray.files!,
    };
    const loaded = { certs: ['ssl/a.pem', 'ssl/b.pem'] };
    expect(operations(stray, after, loaded).map(({ kind }) => kind)).toEqual(['cert_new', 'crtlist_add']);
  });

  it('sets what the worker still has of a file that comes back', () => {
    const certs = ['ssl/a.pem', 'ssl/b.pem', 'ssl/c.pem'];
    const after = withFiles({ 'ssl/c.pem': pem('C') });
    expect(operations(base, after, { certs })).toEqual([{ kind: 'cert_set', path: 'ssl/c.pem' }]);
  });

  it('takes a removed certificate out of its list first, and notes that the worker keeps it', () => {
    const after = { ...withList(entry('a')), files: { 'ssl/a.pem': pem('A') } };
    const decision = decide(base, after);
    expect(decision).toMatchObject({
      batches: [[{ kind: 'crtlist_del', path: list, cert: 'ssl/b.pem' }]],
      removedFiles: ['ssl/b.pem'],
      notes: ['certificate ssl/b.pem: removed, and kept by the worker until its next start'],
    });
  });

  it('reloads for what one command cannot hold', () => {
    const size = limits.payloadContentBytes + 1;
    const after = withFiles({ 'ssl/b.pem': pem('x'.repeat(size)) });
    expect(decide(base, after).reasons).toEqual([
      `certificate ssl/b.pem: changed, and ssl/b.pem has ${size} bytes, more than the ${limits.payloadContentBytes} that a runtime command holds`,
    ]);
    const fits = withFiles({ 'ssl/b.pem': pem('x'.repeat(size - 1)) });
    expect(decide(base, fits).verdict).toBe('runtime');
  });

  it('reloads for a file that the worker knows under another name', () => {
    const after = withFiles({ 'ssl/b.pem': pem('B2') });
    const certs = ['/etc/haproxy/ssl/a.pem', '/etc/haproxy/ssl/b.pem'];
    expect(decide(base, after, { certs }).reasons).toEqual([
      'certificate ssl/b.pem: changed, and the worker knows it as /etc/haproxy/ssl/b.pem',
    ]);
  });

  it.each(['key', 'ocsp', 'ecdsa'])('reloads for a .%s that HAProxy reads with its certificate', (suffix) => {
    const path = `ssl/b.pem.${suffix}`;
    const inventory = { certs: ['ssl/a.pem', 'ssl/b.pem'] };
    const reason = (how: string) =>
      `certificate ${path}: ${how}, and HAProxy reads it with ssl/b.pem, only at start`;
    const one = withFiles({ [path]: pem('1') });
    expect(decide(base, one, inventory).reasons).toEqual([reason('new')]);
    expect(decide(one, withFiles({ [path]: pem('2') }), inventory).reasons).toEqual([reason('changed')]);
    expect(decide(one, base, inventory).reasons).toEqual([reason('removed')]);
  });

  it('sets one certificate of a bundle by itself', () => {
    const bundle = (text: string) => withFiles({ 'ssl/c.pem.rsa': pem(text) });
    expect(operations(bundle('1'), bundle('2'))).toEqual([{ kind: 'cert_set', path: 'ssl/c.pem.rsa' }]);
  });

  it.each(['ssl', 'ssl/', '/etc/haproxy/ssl'])(
    'reloads for a new file of a folder that is bound whole (%s)',
    (folder) => {
      const bound = { ...base, core: { ...base.core, web: `frontend web\n  bind :443 ssl crt ${folder}\n` } };
      expect(decide(bound, withFiles({ 'ssl/c.pem': pem('C') }, bound)).reasons).toEqual([
        'certificate ssl/c.pem: new, and HAProxy reads its folder only at start',
      ]);
    },
  );

  it('has the certificate, CA and CRL of a new server loaded before the server', () => {
    const extra = [
      keyword('crt', 'ssl/c.pem'),
      keyword('ca-file', 'ssl/ca.pem'),
      keyword('crl-file', 'ssl/crl.pem'),
    ];
    const files: Record<string, FileSketch> = {
      'ssl/c.pem': pem('C'),
      'ssl/ca.pem': { kind: 'ca', text: 'CA' },
      'ssl/crl.pem': { kind: 'crl', text: 'CRL' },
    };
    expect(operations(base, withServer({ extra }, withFiles(files))).map(({ kind }) => kind)).toEqual([
      'cert_new',
      'ca_new',
      'crl_new',
      'server_add',
      'server_enable',
    ]);
    expect(decide(base, withServer({ extra })).reasons).toEqual([
      'backend shop: server pod-2: new, and its keyword "crt": ssl/c.pem is a file that the worker has not loaded',
    ]);
  });

  it('names the CA file of a new server that a HAProxy line before 3.0 does not take in pieces', () => {
    const size = limits.payloadContentBytes + 1;
    const ca: FileSketch = { kind: 'ca', text: 'C'.repeat(size) };
    const after = withServer({ extra: [keyword('ca-file', 'ssl/ca.pem')] }, withFiles({ 'ssl/ca.pem': ca }));
    expect(decide(base, after, {}, '2.6').reasons).toEqual([
      `backend shop: server pod-2: new, and its keyword "ca-file": ssl/ca.pem has ${size} bytes, more than the ${limits.payloadContentBytes} that a runtime command holds`,
    ]);
    expect(operations(base, after, {}, '3.0').map(({ kind }) => kind)).toContain('ca_new');
  });

  it('does not take a file of one kind for one of another', () => {
    const after = withServer({ extra: [keyword('ca-file', 'ssl/b.pem')] });
    expect(decide(base, after).reasons).toEqual([
      'backend shop: server pod-2: new, and its keyword "ca-file": ssl/b.pem is a file that the worker has not loaded',
    ]);
  });

  it('has certificates ready before routes, and takes them away after', () => {
    const before: Sketch = { ...base, maps: { 'maps/host.map': { entries: [['b.example', 'shop']] } } };
    const after: Sketch = {
      ...withList(entry('a'), entry('c', 'c.example')),
      files: { 'ssl/a.pem': pem('A'), 'ssl/c.pem': pem('C') },
      maps: { 'maps/host.map': { entries: [['c.example', 'shop']] } },
    };
    expect(operations(before, after).map(({ kind }) => kind)).toEqual([
      'cert_new',
      'crtlist_add',
      'map_add',
      'map_del',
      'crtlist_del',
    ]);
  });
});
