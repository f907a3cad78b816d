import { CodedError } from '../lib/coded-error.ts';
import type { HaproxyIdentity, RuntimeInventory } from '../protocol/wire.ts';
import type { ReadyOperation } from './runtime/command.ts';
import { inventoryAfter, readInventory } from './runtime/inventory.ts';
import { readWorkerIdentity, sameWorker } from './runtime/worker-identity.ts';

/** Who the worker is and what it has loaded, as last seen. */
export interface WorkerWatch {
  current(): HaproxyIdentity | undefined;
  inventory(): RuntimeInventory;
  /** A worker that is known to be the one now, after a reload or at start: reads what it has loaded. Throws, and changes nothing, when it cannot. */
  adopt(worker: HaproxyIdentity): Promise<void>;
  /** Operations that ran on the adopted worker: what they loaded is loaded. */
  extend(operations: readonly ReadyOperation[]): void;
  /** Asks the socket; the worker if it is not the adopted one, undefined if it is. Throws what the socket throws. */
  look(): Promise<HaproxyIdentity | undefined>;
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
      const seen = await readInventory(socket);
      if (!sameWorker(seen.worker, worker))
        throw new CodedError('HAPTIC_ERR_AGENT_CLI_BROKEN', 'another HAProxy worker answers by now');
      inventory = { generation: inventory.generation + 1, ...seen.loaded };
      current = worker;
    },
    extend: (operations) => {
      inventory = inventoryAfter(inventory, operations);
    },
    look: async () => {
      const seen = await readWorkerIdentity(socket);
      return current !== undefined && sameWorker(seen, current) ? undefined : seen;
    },
  };
}
