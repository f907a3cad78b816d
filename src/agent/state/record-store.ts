import { renameSync, writeFileSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { type AgentRecord, emptyRecord } from './agent-record.ts';
import { decodeRecord, encodeRecord } from './record-codec.ts';

/** The agent's record and its file. One writer: the agent. */
export interface RecordStore {
  current(): AgentRecord;
  /**
   * Writes a record that must be on disk before the worker or the files are touched, or before an apply is answered. Synchronous and
   * without fsync: it has to outlive the agent, not the machine. After a crash of the machine the worker is gone as well, and hashing the
   * files against the last durable record finds any difference.
   */
  announce(record: AgentRecord): void;
  /** Makes the record that was announced last durable. */
  settle(): Promise<void>;
  /** Writes a record durably. */
  commit(record: AgentRecord): Promise<void>;
  /** Goes on with a record that could not be written. */
  assume(record: AgentRecord): void;
}

export type LoadedRecord = 'found' | 'absent' | { readonly unusable: string };

/** Reads the state file. Absent, corrupt or foreign: the agent begins with an empty record, and says which it was. */
export async function openRecordStore(file: string): Promise<{ store: RecordStore; loaded: LoadedRecord }> {
  let loaded: LoadedRecord = 'found';
  let current = emptyRecord;
  try {
    const decoded = decodeRecord(await readFile(file, 'utf8'));
    if (decoded.ok) current = decoded.record;
    else loaded = { unusable: decoded.reason };
  } catch (error) {
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    loaded = absent ? 'absent' : { unusable: 'it cannot be read' };
  }
  const temp = `${file}.new`;
  return {
    loaded,
    store: {
      current: () => current,
      announce: (record) => {
        writeFileSync(temp, encodeRecord(record), { mode: 0o600 });
        renameSync(temp, file);
        current = record;
      },
      settle: async () => {
        await sync(file);
        await sync(path.dirname(file));
      },
      commit: async (record) => {
        const handle = await open(temp, 'w', 0o600);
        try {
          await handle.writeFile(encodeRecord(record));
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(temp, file);
        await sync(path.dirname(file));
        current = record;
      },
      assume: (record) => (current = record),
    },
  };
}

async function sync(name: string): Promise<void> {
  const handle = await open(name, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
