import { describe, expect, it } from 'vitest';
import { prepareOperations } from '../../../src/agent/runtime/prepare-operations.ts';
import type { Operation } from '../../../src/protocol/operation.ts';

const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const server = { backend: 'b', server: 's' } as const;
const prepare = (
  operations: readonly Operation[],
  files: Readonly<Record<string, string>> = {},
  line = '3.4',
) =>
  prepareOperations(operations, line, (path) =>
    Promise.resolve(files[path] === undefined ? undefined : Buffer.from(files[path])),
  );
const reasonOf = async (operation: unknown, files: Readonly<Record<string, string>> = {}, line = '3.4') => {
  const preparation = await prepare(
    [{ kind: 'server_enable', ...server }, operation as Operation],
    files,
    line,
  );
  return preparation.ok ? undefined : preparation.reason;
};

describe('operations get ready', () => {
  it('without a stop for servers of a backend that goes, in which requests may wait', async () => {
    const preparation = await prepare([
      { kind: 'backend_unpublish', backend: 'b' },
      { kind: 'server_disable', ...server },
      { kind: 'server_del', ...server },
      { kind: 'server_disable', backend: 'c', server: 's' },
      { kind: 'backend_del', backend: 'b' },
    ]);
    expect(preparation).toMatchObject({
      deferred: [
        { kind: 'server', ...server },
        { kind: 'backend', backend: 'b' },
      ],
      ready: [
        { commands: [{ text: 'unpublish backend b' }] },
        { kind: 'server_disable', commands: [] },
        { kind: 'server_del', commands: [] },
        { commands: [{ text: 'disable server c/s' }] },
        { kind: 'backend_del', commands: [] },
      ],
    });
  });

  it('with the bytes of their files, what they create, load and leave for later', async () => {
    const keywords = [{ name: 'check', args: [] }];
    const preparation = await prepare(
      [
        { kind: 'backend_add', backend: 'b', profile: 'p', mode: 'http' },
        { kind: 'server_add', ...server, address: '10.0.0.1', port: 80, keywords },
        { kind: 'map_replace', path: 'm' },
        { kind: 'cert_new', path: 'c' },
        { kind: 'ca_set', path: 'c' },
        { kind: 'server_del', backend: 'b', server: 'old', keywords },
        { kind: 'wait_be_removable', backend: 'x', timeout_ms: 1 },
        { kind: 'backend_del', backend: 'x', profile: 'p', mode: 'tcp', guid: 'g' },
      ],
      { m: '# heading\nkey value\n', c: pem },
    );
    expect(preparation).toMatchObject({
      ok: true,
      created: [
        { kind: 'backend', backend: 'b', profile: 'p', mode: 'http' },
        { kind: 'server', ...server, keywords },
      ],
      deferred: [
        { kind: 'server', backend: 'b', server: 'old', keywords },
        { kind: 'backend', backend: 'x', profile: 'p', mode: 'tcp', guid: 'g' },
      ],
      ready: [
        { kind: 'backend_add' },
        { kind: 'server_add', revive: [{}, { text: 'set server b/s weight 1' }] },
        { kind: 'map_replace', commands: [], replace: { path: 'm', entries: ['key value'] } },
        { kind: 'cert_new', loads: { store: 'cert', path: 'c' } },
        { kind: 'ca_set' },
        { kind: 'server_del', commands: [] },
        { kind: 'wait_be_removable', commands: [] },
        { kind: 'backend_del', commands: [] },
      ],
    });
  });

  it.each<[string, unknown, string]>([
    ['a kind it does not know', { kind: 'fly' }, 'unknown_op: fly (file): the agent does not know it'],
    [
      'a map without a file',
      { kind: 'map_replace', path: 'none' },
      'unknown_op: map_replace (none): there is no such file',
    ],
    [
      'a certificate without a file',
      { kind: 'cert_set', path: 'none' },
      'unknown_op: cert_set (none): there is no such file',
    ],
    [
      'a map with a line that is none',
      { kind: 'map_replace', path: 'odd' },
      'unknown_op: map_replace (odd): a line of the file cannot be said at runtime',
    ],
    [
      'a map with a line that is too long',
      { kind: 'map_replace', path: 'long' },
      'unknown_op: map_replace (long): a line of the file is too long to be said at runtime',
    ],
    [
      'a file that is no PEM',
      { kind: 'ca_new', path: 'odd' },
      'unknown_op: ca_new (odd): there is no PEM block in the file',
    ],
    [
      'a value longer than a command',
      { kind: 'map_set', path: 'm', key: 'k', value: 'v'.repeat(13_000) },
      'payload_too_large: map_set: a command is too long',
    ],
  ])('not when one is %s; then none is', async (_what, operation, reason) => {
    expect(await reasonOf(operation, { odd: 'word\n', long: `k ${'v'.repeat(12_000)}\n`, m: '' })).toBe(
      reason,
    );
  });

  it('not when a certificate is larger than a payload, and says so', async () => {
    const large = pem.replace('AAAA', `${'A'.repeat(64)}\n`.repeat(180).trim());
    expect(await reasonOf({ kind: 'cert_set', path: 'c' }, { c: large })).toMatch(
      /^payload_too_large: cert_set \(c\): \d+ bytes at once/,
    );
  });

  it.each(['2.6', '3.0'])('not when a CA or CRL file in use would be replaced on %s', async (line) => {
    for (const kind of ['ca_set', 'crl_set'])
      expect(await reasonOf({ kind, path: 'c' }, { c: pem }, line)).toContain('unknown_op');
    for (const kind of ['ca_new', 'crl_new', 'cert_set'])
      expect(await reasonOf({ kind, path: 'c' }, { c: pem }, line)).toBeUndefined();
  });
});
