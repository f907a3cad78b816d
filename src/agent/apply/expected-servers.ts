import { isIPv6 } from 'node:net';
import type { Operation } from '../../protocol/operation.ts';
import type { ServerState } from '../runtime/read-servers-state.ts';

/** What a server must look like after operations, as far as nobody but the agent changes it. */
export interface ExpectedServer {
  readonly address?: string;
  readonly port?: number;
  /** In maintenance by command; absent: an agent check of the server may decide that. */
  readonly maintenance?: boolean;
}

/**
 * Adds what operations say about servers, by `backend/server`, to what earlier ones said. A server that goes, or whose backend goes,
 * is not expected to be anything. Weights are left out: agent checks change them.
 */
export function expectServers(expected: Map<string, ExpectedServer>, operations: readonly Operation[]): void {
  for (const operation of operations) {
    if (operation.kind === 'backend_del' || operation.kind === 'backend_unpublish') {
      const prefix = `${operation.backend}/`;
      for (const name of [...expected.keys()]) if (name.startsWith(prefix)) expected.delete(name);
    }
    if (!('server' in operation)) continue;
    const name = `${operation.backend}/${operation.server}`;
    const next = afterOperation(expected.get(name) ?? {}, operation);
    if (next === undefined) expected.delete(name);
    else expected.set(name, next);
  }
}

function afterOperation(
  before: ExpectedServer,
  operation: Extract<Operation, { server: string }>,
): ExpectedServer | undefined {
  switch (operation.kind) {
    case 'server_del':
      return undefined;
    case 'server_add': {
      const { address, port, keywords } = operation;
      const decided = keywords.some(({ name }) => name === 'agent-check');
      return { address, port, ...(!decided && { maintenance: true }) };
    }
    case 'server_set_addr':
      return { ...before, address: operation.address, port: operation.port };
    case 'server_disable':
      return { ...before, maintenance: true };
    case 'server_enable':
      return before.maintenance === undefined ? before : { ...before, maintenance: false };
    case 'server_set_state': {
      const { maintenance: _was, ...rest } = before;
      return operation.state === 'maint' ? { ...rest, maintenance: true } : rest;
    }
    default:
      return before;
  }
}

/**
 * Bit of the admin state (management.txt, "show servers state"): in maintenance. 0x04 only tells that the configuration said `disabled`, and stays
 * when the server is enabled.
 */
const maintenanceBit = 0x01;

/** Names out of `expected` that are not there or not as expected. */
export function contradictedServers(
  expected: ReadonlyMap<string, ExpectedServer>,
  found: readonly ServerState[],
): readonly string[] {
  const rows = new Map(found.map((row) => [`${row.backend}/${row.server}`, row]));
  return [...expected]
    .filter(([name, server]) => {
      const row = rows.get(name);
      return row === undefined || !matches(server, row);
    })
    .map(([name]) => name);
}

function matches(expected: ExpectedServer, row: ServerState): boolean {
  const { address, port, maintenance } = expected;
  if (address !== undefined && canonical(address) !== canonical(row.address)) return false;
  if (port !== undefined && port !== row.port) return false;
  return maintenance === undefined || maintenance === ((row.admin & maintenanceBit) !== 0);
}

/** IPv6 has several spellings. */
function canonical(address: string): string {
  return isIPv6(address) ? new URL(`http://[${address}]`).hostname : address;
}
