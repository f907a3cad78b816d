import { limits } from '../../protocol/limits.ts';
import type { RuntimeInventory } from '../../protocol/wire.ts';
import { cliRequest } from './cli-request.ts';

/** What the worker has loaded and so can change at runtime: maps and TLS files by the names HAProxy knows them by. */
export async function readInventory(socket: string): Promise<Omit<RuntimeInventory, 'generation'>> {
  const ask = (line: string) => cliRequest(socket, line, { timeoutMs: limits.cliRoundTripMs });
  const [maps, certs, caFiles, crlFiles, crtLists] = await Promise.all([
    ask('show map'),
    ask('show ssl cert'),
    ask('show ssl ca-file'),
    ask('show ssl crl-file'),
    ask('show ssl crt-list'),
  ]);
  return {
    maps: parseMapList(maps),
    certs: parseNameList(certs),
    ca_files: parseNameList(caFiles),
    crl_files: parseNameList(crlFiles),
    crt_lists: parseNameList(crtLists),
  };
}

/** `show map`: `0 (maps/host.map) pattern loaded from file …`. */
export function parseMapList(answer: string): string[] {
  return [...answer.matchAll(/^-?\d+ \(([^)]+)\) /gm)].map((match) => match[1] ?? '').sort();
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
