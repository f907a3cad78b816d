import type { HaproxyIdentity, RuntimeInventory } from '../protocol/wire.ts';
import { readInventory } from './runtime/inventory.ts';
import { readWorkerIdentity, sameWorker } from './runtime/worker-identity.ts';

/** Who the worker is and what it has loaded, as last seen. */
export interface WorkerWatch {
  current(): HaproxyIdentity | undefined;
  inventory(): RuntimeInventory;
  /** A worker that is known to be the one now, after a reload or at start: reads what it has loaded. Throws, and changes nothing, when it cannot. */
  adopt(worker: HaproxyIdentity): Promise<void>;
  /** Asks the socket; the worker if it is not the adopted one, undefined if it is or does not answer. */
  findOther(): Promise<HaproxyIdentity | undefined>;
}

const emptyInventory: RuntimeInventory = {
  generation: 0,
  maps: [],
  certs: [],
  ca_files: [],
  crl_files: [],
  crt_lists: [],
};

export function createWorkerWatch(socket: string): WorkerWatch {
  let current: HaproxyIdentity | undefined;
  let inventory = emptyInventory;
  return {
    current: () => current,
    inventory: () => inventory,
    adopt: async (worker) => {
      const loaded = await readInventory(socket);
      inventory = { generation: inventory.generation + 1, ...loaded };
      current = worker;
    },
    findOther: async () => {
      const seen = await readWorkerIdentity(socket).catch(() => undefined);
      if (seen === undefined || (current !== undefined && sameWorker(seen, current))) return undefined;
      return seen;
    },
  };
}
