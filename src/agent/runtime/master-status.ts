/** What the master's `show proc` tells about reloads. */
export interface MasterStatus {
  /** Reloads that the master did, failed ones included. */
  readonly reloads: number;
  /** Reloads that HAProxy refused. */
  readonly failed: number;
  /** Pid of the current worker; undefined while none runs. */
  readonly worker: number | undefined;
}

/** Reads `show proc`, whose current workers stand under `# workers` and leaving ones under `# old workers`. */
export function parseMasterStatus(answer: string): MasterStatus {
  const master = /^\d+\s+master\s+(\d+)(?:\s+\[failed: (\d+)\])?/m.exec(answer);
  const worker = /^# workers\n(\d+)\s+worker\b/m.exec(answer)?.[1];
  return {
    reloads: Number(master?.[1] ?? 0),
    failed: Number(master?.[2] ?? 0),
    worker: worker === undefined ? undefined : Number(worker),
  };
}
