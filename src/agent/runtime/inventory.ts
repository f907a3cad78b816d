import { CodedError } from '../../lib/coded-error.ts';
import { limits } from '../../protocol/limits.ts';
import type { HaproxyIdentity, RuntimeInventory } from '../../protocol/wire.ts';
import { cliRequest } from './cli-request.ts';
import type { ReadyOperation, TlsStore } from './command.ts';
import { parseReplies } from './parse-replies.ts';
import { identityCommand, parseWorkerIdentity } from './worker-identity.ts';

/** What a worker has loaded and so can change at runtime: maps and TLS files by the names HAProxy knows them by. */
export type LoadedNames = Omit<RuntimeInventory, 'generation'>;

const questions = [
  'show map',
  'show ssl cert',
  'show ssl ca-file',
  'show ssl crl-file',
  'show ssl crt-list',
  identityCommand,
];

/**
 * Reads the inventory and whose it is, in one round trip. Throws what the socket throws, and `HAPTIC_ERR_AGENT_CLI_BROKEN` when the
 * answer lacks a part.
 */
export async function readInventory(
  socket: string,
): Promise<{ readonly worker: HaproxyIdentity; readonly loaded: LoadedNames }> {
  const answer = await cliRequest(socket, questions.join(';'), {
    timeoutMs: limits.cliRoundTripMs,
    deadlineMs: limits.waitBudgetMs,
  });
  const parts = parseReplies(answer);
  const worker = parseWorkerIdentity(parts[questions.length - 1]?.text ?? '');
  if (worker === undefined)
    throw new CodedError(
      'HAPTIC_ERR_AGENT_CLI_BROKEN',
      `HAProxy socket ${socket}: the answer about what is loaded is not complete`,
    );
  const [maps, certs, caFiles, crlFiles, crtLists] = parts.map((part) => part.text);
  return {
    worker,
    loaded: {
      maps: parseMapList(maps ?? ''),
      certs: parseNameList(certs ?? ''),
      ca_files: parseNameList(caFiles ?? ''),
      crl_files: parseNameList(crlFiles ?? ''),
      crt_lists: parseNameList(crtLists ?? ''),
    },
  };
}

/** The inventory after operations that were all accepted; the same object where they loaded nothing new. */
export function inventoryAfter(
  inventory: RuntimeInventory,
  operations: readonly ReadyOperation[],
): RuntimeInventory {
  const loads = operations.flatMap((operation) => (operation.loads === undefined ? [] : [operation.loads]));
  if (loads.length === 0) return inventory;
  const union = (names: readonly string[], store: TlsStore) => {
    const added = loads.filter((load) => load.store === store).map(({ path }) => path);
    return added.length === 0 ? names : [...new Set([...names, ...added])].sort();
  };
  return {
    ...inventory,
    generation: inventory.generation + 1,
    certs: union(inventory.certs, 'cert'),
    ca_files: union(inventory.ca_files, 'ca-file'),
    crl_files: union(inventory.crl_files, 'crl-file'),
  };
}

/** `show map`: `0 (maps/host.map) pattern loaded from file …`. */
export function parseMapList(answer: string): string[] {
  return [...answer.matchAll(/^-?\d+ \(([^)\n]+)\) /gm)].map((match) => match[1] ?? '').sort();
}

/**
 * `show ssl …`: one name a line, with comments (`# filename`), counts (`name - 3 certificate(s)`) and uncommitted
 * transactions (`*name`) left out. A HAProxy without TLS answers with its help text: no names.
 */
export function parseNameList(answer: string): string[] {
  if (answer.includes('Unknown command')) return [];
  return answer
    .split('\n')
    .map((line) => line.split(' - ')[0]?.trim() ?? '')
    .filter((name) => name !== '' && !/^[#*@]/.test(name))
    .sort();
}
