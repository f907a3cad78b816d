import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { type AgentRecord, emptyRecord } from './agent-record.ts';
import { decodeRecord, encodeRecord } from './record-codec.ts';

/** The agent's record and its file: one record a line, of which the last counts. One writer: the agent. */
export interface RecordStore {
  current(): AgentRecord;
  /**
   * Writes a record that must be on disk before the worker or the files are touched, or before an apply is answered. Synchronous and
   * without fsync: it has to outlive the agent, not the machine. After a crash of the machine the worker is gone as well, and hashing the
   * files against the last durable record finds any difference. A line at the end of the file, since a file that is renamed over another makes
   * file systems begin to write it to the disk, with the caller waiting (ext4: `auto_da_alloc`).
   *
   * @param known what holds for this process, where the next one has to do something first; default: the record itself
   */
  announce(record: AgentRecord, known?: AgentRecord): void;
  /** Makes the record that was announced last durable, and drops former lines once they are many. */
  settle(): Promise<void>;
  /** Writes a record durably. */
  commit(record: AgentRecord): Promise<void>;
  /** Goes on with a record that could not be written. */
  assume(record: AgentRecord): void;
}

/** Former lines are dropped when those after the first are longer than this, and than so many records. */
const longFile = { bytes: 256 * 1024, records: 8 } as const;

export type LoadedRecord = 'found' | 'absent' | { readonly unusable: string };

/** Reads the state file. Absent, corrupt or foreign: the agent begins with an empty record, and says which it was. */
export async function openRecordStore(file: string): Promise<{ store: RecordStore; loaded: LoadedRecord }> {
  let loaded: LoadedRecord = 'found';
  let current = emptyRecord;
  /** Bytes of whole lines of ours that the file ends with; undefined: nothing may be added to it. */
  let length: number | undefined;
  /** Bytes of the first one and of the last one. */
  let first = 0;
  let newest = 0;
  /** Files of the first line, from which the others say what differs. */
  let base: AgentRecord['files'] | undefined;
  try {
    const text = await readFile(file, 'utf8');
    const decoded = decodeRecord(text);
    if (decoded.ok) {
      current = decoded.record;
      base = decoded.base;
      first = Buffer.byteLength(text.slice(0, text.indexOf('\n') + 1));
      if (text.endsWith('\n')) length = Buffer.byteLength(text);
    } else loaded = { unusable: decoded.reason };
  } catch (error) {
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    loaded = absent ? 'absent' : { unusable: 'it cannot be read' };
  }
  const temp = `${file}.new`;
  const rewrite = async (record: AgentRecord) => {
    const line = encodeRecord(record);
    length = undefined;
    const handle = await open(temp, 'w', 0o600);
    try {
      await handle.writeFile(line);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temp, file);
    await sync(path.dirname(file));
    begin(record, line);
  };
  /** The file is this line. */
  const begin = (record: AgentRecord, line: string) => {
    base = record.files;
    first = Buffer.byteLength(line);
    newest = first;
    length = first;
  };
  return {
    loaded,
    store: {
      current: () => current,
      announce: (record, known = record) => {
        const before = length;
        const line = encodeRecord(record, before === undefined ? undefined : base);
        // Whatever a write that fails leaves at the end, nothing is added to it.
        length = undefined;
        if (before === undefined) {
          writeFileSync(temp, line, { mode: 0o600 });
          renameSync(temp, file);
          begin(record, line);
        } else {
          appendFileSync(file, line, { mode: 0o600 });
          newest = Buffer.byteLength(line);
          length = before + newest;
        }
        current = known;
      },
      settle: async () => {
        const most = first + Math.max(longFile.bytes, longFile.records * newest);
        if (length === undefined || length > most) return rewrite(current);
        await sync(file);
        await sync(path.dirname(file));
      },
      commit: async (record) => {
        await rewrite(record);
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
