import { CodedError } from '../../lib/coded-error.ts';
import type { Operation } from '../../protocol/operation.ts';
import type { HaproxyIdentity } from '../../protocol/wire.ts';
import type { Clock } from '../clock.ts';
import { parseMapFile } from '../runtime/parse-map-file.ts';
import { readMapKeys } from '../runtime/read-map-keys.ts';
import { readServersState } from '../runtime/read-servers-state.ts';
import { sameWorker } from '../runtime/worker-identity.ts';
import { contradictedServers, type ExpectedServer, expectServers } from './expected-servers.ts';

/** Looks, some time after operations were accepted, whether the worker has become what they say. */
export interface ReadBack {
  /** These ran, and the files are those of the same apply. Gathered with earlier ones and looked at in one go. */
  touched(operations: readonly Operation[]): void;
  /** Nothing is to be looked at any more. */
  forget(): void;
}

export interface ReadBackDeps {
  readonly socket: string;
  readonly clock: Clock;
  readonly worker: () => HaproxyIdentity | undefined;
  /** Grows when an apply begins and when it ends, odd while one is under way: what is read then says nothing. */
  readonly activity: () => number;
  /** Content of an owned file. */
  readonly contentOf: (path: string) => Promise<Buffer | undefined>;
  /** Told what the worker has otherwise than the files. */
  readonly onDivergence: (found: Divergence) => void;
}

export interface Divergence {
  readonly maps: readonly string[];
  /** `backend/server` */
  readonly servers: readonly string[];
}

const delayMs = 1_000;
/** Larger map files are not read back: they count as unverified, not as diverged. */
const maxMapBytes = 512 * 1024;
/** The rest has its turn a delay later. */
const maxBackends = 64;

/**
 * Reads back without the apply lock, so that no answer waits for it; what an apply touched meanwhile is looked at again later. One
 * round at a time and at most one a second, however many applies come.
 */
export function createReadBack(deps: ReadBackDeps): ReadBack {
  let servers = new Map<string, ExpectedServer>();
  let maps = new Set<string>();
  let owner: HaproxyIdentity | undefined;
  let cancel: (() => void) | undefined;
  const drop = () => {
    servers = new Map();
    maps = new Set();
  };

  const schedule = () => {
    if (servers.size + maps.size > 0) cancel ??= deps.clock.after(delayMs, () => void round());
  };

  const round = async () => {
    const before = deps.activity();
    const worker = deps.worker();
    // A later worker started from the files: nothing is left of what was done to the former.
    if (worker === undefined || owner === undefined || !sameWorker(worker, owner)) drop();
    const [backends, paths] = [backendsOf(servers), [...maps]];
    const wanted = new Map([...servers].filter(([name]) => backends.has(backendOf(name))));
    let found: Divergence | undefined;
    try {
      if (worker !== undefined && before % 2 === 0)
        found = { servers: await look(deps, worker, wanted), maps: await lookAtMaps(deps, worker, paths) };
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
    }
    cancel = undefined;
    if (found !== undefined && deps.activity() === before) {
      for (const name of wanted.keys()) servers.delete(name);
      for (const path of paths) maps.delete(path);
      if (found.servers.length + found.maps.length > 0) deps.onDivergence(found);
    }
    schedule();
  };

  return {
    touched: (operations) => {
      const worker = deps.worker();
      if (worker === undefined) return;
      if (owner !== undefined && !sameWorker(worker, owner)) drop();
      owner = worker;
      expectServers(servers, operations);
      for (const operation of operations)
        if (operation.kind.startsWith('map_') && 'path' in operation) maps.add(operation.path);
      schedule();
    },
    forget: () => {
      drop();
      cancel?.();
      cancel = undefined;
    },
  };
}

function backendOf(name: string): string {
  return name.slice(0, name.indexOf('/'));
}

function backendsOf(servers: ReadonlyMap<string, ExpectedServer>): ReadonlySet<string> {
  return new Set([...new Set([...servers.keys()].map(backendOf))].slice(0, maxBackends));
}

async function look(
  { socket }: ReadBackDeps,
  worker: HaproxyIdentity,
  wanted: ReadonlyMap<string, ExpectedServer>,
): Promise<readonly string[]> {
  if (wanted.size === 0) return [];
  const outcome = await readServersState({ socket, worker }, [...backendsOf(wanted)]);
  return outcome.kind === 'read' ? contradictedServers(wanted, outcome.value) : [];
}

async function lookAtMaps(
  { socket, contentOf }: ReadBackDeps,
  worker: HaproxyIdentity,
  paths: readonly string[],
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const path of paths) {
    const content = await contentOf(path);
    if (content === undefined || content.length > maxMapBytes) continue;
    const entries = parseMapFile(content);
    if (entries === undefined) continue;
    const keys = new Set(entries.map((entry) => entry.slice(0, entry.indexOf(' '))));
    const outcome = await readMapKeys({ socket, worker }, path);
    if (outcome.kind === 'unverified') continue;
    const loaded = new Set(outcome.kind === 'read' ? outcome.value : []);
    if (loaded.size !== keys.size || [...keys].some((key) => !loaded.has(key))) wrong.push(path);
  }
  return wrong;
}
