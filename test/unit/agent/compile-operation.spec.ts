import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileOperation } from '../../../src/agent/runtime/compile-operation.ts';
import { executableKinds } from '../../../src/agent/runtime/executable-kinds.ts';
import type { Operation } from '../../../src/protocol/operation.ts';

const texts = (operation: Operation, version = '3.4') => {
  const compilation = compileOperation(operation, version);
  if (!compilation.ok) return compilation.reason;
  return compilation.compiled.kind === 'commands'
    ? compilation.compiled.commands.flatMap(({ text, payload }) =>
        payload === undefined ? [text] : [text, payload],
      )
    : compilation.compiled.kind;
};
const server = { backend: 'be', server: 'srv' } as const;
const endpoint = { address: '10.0.0.1', port: 80 } as const;
const map = { path: 'maps/host.map', key: 'a.example' } as const;

describe('an operation as runtime commands', () => {
  it.each<[Operation, unknown]>([
    [{ kind: 'backend_add', backend: 'be', profile: 'p', mode: 'http' }, ['add backend be from p mode http']],
    [
      { kind: 'backend_add', backend: 'be', profile: 'p', mode: 'tcp', guid: 'be:x' },
      ['add backend be from p mode tcp guid be:x'],
    ],
    [{ kind: 'backend_publish', backend: 'be' }, ['publish backend be']],
    [{ kind: 'backend_unpublish', backend: 'be' }, ['unpublish backend be']],
    [{ kind: 'backend_del', backend: 'be' }, 'deferred'],
    [{ kind: 'wait_be_removable', backend: 'be', timeout_ms: 2000 }, 'none'],
    [{ kind: 'wait_srv_removable', ...server, timeout_ms: 2000 }, 'none'],
    [{ kind: 'server_del', ...server }, 'deferred'],
    [
      {
        kind: 'server_add',
        ...server,
        ...endpoint,
        keywords: [
          { name: 'check', args: [] },
          { name: 'inter', args: ['1s'] },
        ],
      },
      ['add server be/srv 10.0.0.1:80 check inter 1s'],
    ],
    [
      { kind: 'server_add', ...server, address: 'fd00::1', port: 80, keywords: [] },
      ['add server be/srv [fd00::1]:80'],
    ],
    [{ kind: 'server_enable', ...server }, ['enable server be/srv']],
    [{ kind: 'server_enable', ...server, health: true }, ['enable health be/srv', 'enable server be/srv']],
    [{ kind: 'server_disable', ...server }, ['disable server be/srv']],
    [{ kind: 'server_set_addr', ...server, ...endpoint }, ['set server be/srv addr 10.0.0.1 port 80']],
    [{ kind: 'server_set_weight', ...server, weight: 0 }, ['set server be/srv weight 0']],
    [{ kind: 'server_set_state', ...server, state: 'drain' }, ['set server be/srv state drain']],
    [{ kind: 'map_add', ...map, value: 'be' }, ['add map maps/host.map a.example be']],
    [{ kind: 'map_set', ...map, value: 'be' }, ['set map maps/host.map a.example be']],
    [{ kind: 'map_del', ...map }, ['del map maps/host.map a.example']],
    [{ kind: 'map_replace', path: 'maps/host.map' }, 'map_replace'],
    [{ kind: 'cert_set', path: 'certs/a.pem' }, 'tls_file'],
    [
      {
        kind: 'crtlist_add',
        path: 'l',
        cert: 'a.pem',
        options: ['alpn h2', 'verify'],
        sni_filters: ['*.a', '!b.a'],
      },
      ['add ssl crt-list l', ['a.pem [alpn h2 verify] *.a !b.a']],
    ],
    [
      { kind: 'crtlist_add', path: 'l', cert: 'a.pem', options: [], sni_filters: [] },
      ['add ssl crt-list l', ['a.pem']],
    ],
    [{ kind: 'crtlist_del', path: 'l', cert: 'a.pem' }, ['del ssl crt-list l a.pem']],
    [{ kind: 'crtlist_del', path: 'l', cert: 'a.pem', line: 3 }, ['del ssl crt-list l a.pem:3']],
  ])('%j', (operation, expected) => {
    expect(texts(operation)).toEqual(expected);
  });

  it('escapes what has a meaning on a command line, in keys and values of maps', () => {
    const entry = { path: 'm', key: '^/a\\.b;<c>$' };
    const key = '^/a\\\\.b\\;\\<c\\>$';
    expect(texts({ kind: 'map_add', ...entry, value: 'two words' })).toEqual([
      `add map m ${key} two\\ words`,
    ]);
    expect(texts({ kind: 'map_set', ...entry, value: 'a;b' })).toEqual([`set map m ${key} a\\;b`]);
    expect(texts({ kind: 'map_del', ...entry })).toEqual([`del map m ${key}`]);
  });

  it.each<[string, Operation, string]>([
    ['a key of two words', { kind: 'map_set', path: 'm', key: 'two words', value: 'x' }, '3.4'],
    ['a value of two lines', { kind: 'map_add', ...map, value: 'a\ndel map x' }, '3.4'],
    ['a value that ends in a blank', { kind: 'map_add', ...map, value: 'a b ' }, '3.4'],
    ['an entry reference as key', { kind: 'map_del', path: 'm', key: '#0x1234' }, '3.4'],
    ['a version as map path', { kind: 'map_del', path: '@1', key: 'k' }, '3.4'],
    ['an absolute path', { kind: 'map_replace', path: '/etc/passwd' }, '3.4'],
    ['a path that leaves the base dir', { kind: 'cert_set', path: 'certs/../../key.pem' }, '3.4'],
    ['a dot file', { kind: 'ca_set', path: '.haptic-agent.json' }, '3.4'],
    ['a path of more than 255 bytes', { kind: 'cert_set', path: 'c'.repeat(256) }, '3.4'],
    ['an open transaction as path', { kind: 'cert_set', path: '*a.pem' }, '3.4'],
    ['a certificate that reads as a line number', { kind: 'crtlist_del', path: 'l', cert: 'a.pem:3' }, '3.4'],
    ['line 0', { kind: 'crtlist_del', path: 'l', cert: 'a.pem', line: 0 }, '3.4'],
    [
      'an option that ends the brackets',
      { kind: 'crtlist_add', path: 'l', cert: 'a.pem', options: ['alpn h2] x ['], sni_filters: [] },
      '3.4',
    ],
    [
      'an SNI filter that is an entry of its own',
      { kind: 'crtlist_add', path: 'l', cert: 'a.pem', options: [], sni_filters: ['a\nb.pem'] },
      '3.4',
    ],
    [
      'an empty option',
      { kind: 'crtlist_add', path: 'l', cert: 'a.pem', options: [''], sni_filters: [] },
      '3.4',
    ],
    ['a CA file in use before 3.2', { kind: 'ca_set', path: 'ca.pem' }, '3.0'],
    ['a CRL file in use before 3.2', { kind: 'crl_set', path: 'crl.pem' }, '2.6'],
    ['a host name as address', { kind: 'server_set_addr', ...server, address: 'example', port: 80 }, '3.4'],
    [
      'an address with a zone',
      { kind: 'server_set_addr', ...server, address: 'fe80::1%;x', port: 80 },
      '3.4',
    ],
    ['port 0', { kind: 'server_set_addr', ...server, address: '10.0.0.1', port: 0 }, '3.4'],
    ['port 65536', { kind: 'server_set_addr', ...server, address: '10.0.0.1', port: 65536 }, '3.4'],
    ['a weight of 257', { kind: 'server_set_weight', ...server, weight: 257 }, '3.4'],
    ['a slash in a server name', { kind: 'server_disable', backend: 'be', server: 'a/b' }, '3.4'],
    ['a dynamic backend before 3.4', { kind: 'backend_publish', backend: 'be' }, '3.2'],
    [
      'guid on 2.6',
      { kind: 'server_add', ...server, ...endpoint, keywords: [{ name: 'guid', args: ['x'] }] },
      '2.6',
    ],
    [
      'more than 64 words',
      {
        kind: 'server_add',
        ...server,
        ...endpoint,
        keywords: Array.from({ length: 61 }, () => ({ name: 'check', args: [] })),
      },
      '3.4',
    ],
  ])('refuses %s', (_what, operation, version) => {
    const compilation = compileOperation(operation, version);
    expect(compilation.ok).toBe(false);
    if (!compilation.ok) expect(compilation.reason).toContain(operation.kind);
  });

  it.each([
    { kind: 'server_enable' },
    { kind: 'server_enable', backend: 'be', server: 7 },
    { kind: 'server_set_addr', backend: 'be', server: 's', address: '10.0.0.1', port: '80' },
    { kind: 'server_set_state', backend: 'be', server: 's', state: 'gone' },
    { kind: 'server_add', backend: 'be', server: 's', address: '10.0.0.1', port: 80, keywords: ['check'] },
    { kind: 'backend_add', backend: 'be', profile: 'p', mode: 'log' },
    { kind: 'map_add', path: 'm', key: 'k' },
    { kind: 'cert_set' },
    { kind: 'crl_new', path: 7 },
    { kind: 'crtlist_add', path: 'l', cert: 'c', options: 'alpn h2', sni_filters: [] },
    { kind: 'crtlist_add', path: 'l', cert: 'c', options: [] },
    { kind: 'crtlist_del', path: 'l', cert: 'c', line: '3' },
    { kind: 'server_del', backend: 'b', server: 's', keywords: ['check'] },
    { kind: 'backend_del', backend: 'b', mode: 'log' },
  ])('refuses fields that are missing or of another type: %j', (operation) => {
    expect(compileOperation(operation as unknown as Operation, '3.4')).toMatchObject({ ok: false });
  });

  it('refuses a kind it has never heard of', () => {
    const unknown = { kind: 'reboot', backend: 'be' } as unknown as Operation;
    expect(compileOperation(unknown, '3.4')).toMatchObject({ ok: false });
  });

  it('offers dynamic backends from 3.4 on', () => {
    expect(executableKinds('3.2')).not.toContain('backend_add');
    expect(executableKinds('3.4')).toContain('backend_add');
    expect(executableKinds('4.0')).toContain('backend_add');
    expect(executableKinds('2.6')).toContain('server_add');
    expect(executableKinds('')).toEqual([]);
  });

  it('offers new content of CA and CRL files in use from 3.2 on, and of certificates everywhere', () => {
    const files = ['cert_set', 'cert_new', 'ca_new', 'crl_new', 'crtlist_add', 'crtlist_del'];
    for (const version of ['2.6', '3.0', '3.2', '3.4'])
      expect(executableKinds(version)).toEqual(expect.arrayContaining(files));
    for (const kind of ['ca_set', 'crl_set']) {
      expect(executableKinds('2.6')).not.toContain(kind);
      expect(executableKinds('3.1')).not.toContain(kind);
      expect(executableKinds('3.2')).toContain(kind);
    }
  });

  it('never lets a field end a command, begin another, or begin a payload', () => {
    const hostile = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'a;del map x',
        'a <<',
        'a\nshutdown',
        'a\\',
        '<<',
        ' ',
        'a\tb',
        'a\u0000b',
        'a\u007fb',
        '',
      ),
    );
    const operation = fc.oneof(
      fc.record({
        kind: fc.constantFrom('server_enable', 'server_disable'),
        backend: hostile,
        server: hostile,
      }),
      fc.record({
        kind: fc.constant('server_add'),
        backend: hostile,
        server: hostile,
        address: fc.oneof(hostile, fc.constant('10.0.0.1')),
        port: fc.oneof(fc.integer(), fc.constant(80)),
        keywords: fc.array(fc.record({ name: hostile, args: fc.array(hostile) })),
      }),
      fc.record({
        kind: fc.constantFrom('map_add', 'map_set', 'map_del'),
        path: hostile,
        key: hostile,
        value: hostile,
      }),
      fc.record({
        kind: fc.constant('crtlist_add'),
        path: fc.oneof(hostile, fc.constant('l')),
        cert: fc.oneof(hostile, fc.constant('c')),
        options: fc.array(hostile),
        sni_filters: fc.array(hostile),
      }),
      fc.record({ kind: fc.constant('crtlist_del'), path: hostile, cert: hostile, line: fc.integer() }),
      fc.record({
        kind: fc.constant('backend_add'),
        backend: hostile,
        profile: hostile,
        mode: fc.constant('http'),
        guid: hostile,
      }),
    );
    fc.assert(
      fc.property(operation, (candidate) => {
        const compilation = compileOperation(candidate, '3.4');
        if (!compilation.ok || compilation.compiled.kind !== 'commands') return;
        for (const command of compilation.compiled.commands) {
          const bare = command.text.replace(/\\[\\;<> ]/g, '_');
          expect(bare).not.toMatch(/[;<>\\\n\r\t]|[^ -~\u0080-\uffff]/);
          expect(bare.split(' ').every((word) => word !== '')).toBe(true);
          for (const row of command.payload ?? []) {
            expect(row).not.toMatch(/[\n\r]/);
            expect(row.trim()).not.toBe('');
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
});
