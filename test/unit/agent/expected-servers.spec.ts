import { describe, expect, it } from 'vitest';
import {
  contradictedServers,
  type ExpectedServer,
  expectServers,
} from '../../../src/agent/apply/expected-servers.ts';
import type { ServerState } from '../../../src/agent/runtime/read-servers-state.ts';
import type { Operation } from '../../../src/protocol/operation.ts';

const on = { backend: 'b', server: 's' } as const;
const add: Operation = { kind: 'server_add', ...on, address: '10.0.0.1', port: 80, keywords: [] };
const after = (...operations: Operation[]) => {
  const expected = new Map<string, ExpectedServer>();
  expectServers(expected, operations);
  return Object.fromEntries(expected);
};
const row = (more: Partial<ServerState> = {}): ServerState => ({
  ...on,
  address: '10.0.0.1',
  port: 80,
  admin: 0,
  weight: 1,
  ...more,
});

describe('what operations make of a server', () => {
  it.each<[string, Operation[], ExpectedServer | undefined]>([
    ['added', [add], { address: '10.0.0.1', port: 80, maintenance: true }],
    [
      'added and enabled',
      [add, { kind: 'server_enable', ...on }],
      { address: '10.0.0.1', port: 80, maintenance: false },
    ],
    [
      'moved',
      [{ kind: 'server_set_addr', ...on, address: '10.0.0.2', port: 81 }],
      { address: '10.0.0.2', port: 81 },
    ],
    ['stopped', [{ kind: 'server_disable', ...on }], { maintenance: true }],
    [
      'drained',
      [add, { kind: 'server_set_state', ...on, state: 'drain' }],
      { address: '10.0.0.1', port: 80 },
    ],
    ['weighed, which agent checks do as well', [{ kind: 'server_set_weight', ...on, weight: 3 }], {}],
    ['enabled, which an agent check may have undone', [{ kind: 'server_enable', ...on }], {}],
    ['on its way out', [add, { kind: 'server_disable', ...on }, { kind: 'server_del', ...on }], undefined],
    ['in a backend on its way out', [add, { kind: 'backend_unpublish', backend: 'b' }], undefined],
  ])('%s', (_what, operations, expected) => {
    expect(after(...operations)).toEqual(expected === undefined ? {} : { 'b/s': expected });
  });

  it('says nothing of maintenance where an agent check decides', () => {
    const checked: Operation = { ...add, keywords: [{ name: 'agent-check', args: [] }] };
    expect(after(checked, { kind: 'server_enable', ...on })).toEqual({
      'b/s': { address: '10.0.0.1', port: 80 },
    });
  });

  it('leaves other backends alone', () => {
    expect(Object.keys(after({ ...add, backend: 'bb' }, add, { kind: 'backend_del', backend: 'b' }))).toEqual(
      ['bb/s'],
    );
  });
});

describe('a server', () => {
  const expected = (server: ExpectedServer) => new Map([['b/s', server]]);
  it.each<[string, ExpectedServer, ServerState[], boolean]>([
    ['as it shall be', { address: '10.0.0.1', port: 80, maintenance: false }, [row()], false],
    [
      'in another spelling of its address',
      { address: '::1', port: 80 },
      [row({ address: '0:0:0:0:0:0:0:1' })],
      false,
    ],
    ['at another address', { address: '10.0.0.2', port: 80 }, [row()], true],
    ['at another port', { address: '10.0.0.1', port: 81 }, [row()], true],
    ['not stopped', { maintenance: true }, [row()], true],
    ['stopped by command', { maintenance: true }, [row({ admin: 1 })], false],
    ['stopped all the same', { maintenance: false }, [row({ admin: 5 })], true],
    ['enabled after the file disabled it', { maintenance: false }, [row({ admin: 4 })], false],
    ['drained, which is not maintenance', { maintenance: false }, [row({ admin: 8 })], false],
    ['not there', {}, [row({ server: 'other' })], true],
  ])('%s', (_what, server, rows, contradicted) => {
    expect(contradictedServers(expected(server), rows)).toEqual(contradicted ? ['b/s'] : []);
  });
});
