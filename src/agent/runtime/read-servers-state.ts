import { readAnswer, type ReadOutcome, type WorkerSocket } from './read-answer.ts';

/** One server of `show servers state`. */
export interface ServerState {
  readonly backend: string;
  readonly server: string;
  /** Literal IP; `-` when there is none. */
  readonly address: string;
  readonly port: number;
  /** Bits: 0x01 in maintenance, 0x04 the file said `disabled` (and stays), 0x08 drains; see management.txt of HAProxy. */
  readonly admin: number;
  readonly weight: number;
}

/** The servers of these backends; one that HAProxy does not know has none. */
export async function readServersState(
  at: WorkerSocket,
  backends: readonly string[],
): Promise<ReadOutcome<readonly ServerState[]>> {
  const servers: ServerState[] = [];
  for (const backend of backends) {
    const outcome = await readAnswer(at, `show servers state ${backend}`, (line) => {
      const server = serverStateOf(line);
      if (server !== undefined) servers.push(server);
    });
    if (outcome.kind === 'unverified') return outcome;
  }
  return { kind: 'read', value: servers };
}

/**
 * A row of `show servers state`, format 1: backend id and name, server id and name, address, operational and admin state, user weight, …,
 * port as the 19th. Undefined for headings.
 */
export function serverStateOf(line: string): ServerState | undefined {
  if (!/^\d+ \S+ \d+ /.test(line)) return undefined;
  const cells = line.split(' ');
  if (cells.length < 19) return undefined;
  return {
    backend: cells[1] ?? '',
    server: cells[3] ?? '',
    address: cells[4] ?? '',
    admin: Number(cells[6]),
    weight: Number(cells[7]),
    port: Number(cells[18]),
  };
}
