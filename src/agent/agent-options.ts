import path from 'node:path';

export interface AgentOptions {
  /** Absolute. Everything the agent owns lies below it. */
  readonly baseDir: string;
  /** Path of HAProxy's configuration, relative to the base dir. */
  readonly configFile: string;
  /** Absolute. What HAProxy starts on where there is no configuration; absent: nothing is put there. */
  readonly bootstrapFile?: string;
  /** Absolute. */
  readonly masterSocket: string;
  /** Absolute. */
  readonly workerSocket: string;
  /** Absolute. */
  readonly stateFile: string;
  /** Longest wait for a reload. */
  readonly reloadTimeoutMs: number;
  /** Longest time without anybody at HAProxy's sockets within a reload, default 10 s. */
  readonly absenceMs?: number;
  /** Shortest time from one reload to the next; the first after a quiet time is immediate. 0: no pacing. */
  readonly reloadIntervalMs: number;
  /** How long sessions may go on using a removed server before they are shut down. */
  readonly drainTimeoutMs: number;
  readonly auth: AgentAuth;
  /** Absent: no admin socket. */
  readonly adminSocket?: string;
  /** Absent: no drain socket. */
  readonly drain?: DrainOptions;
  readonly agentVersion: string;
}

/** Who may use `/v1`: a client with the right certificate, or, where TLS is explicitly off, one with the right password. */
export type AgentAuth =
  | {
      readonly kind: 'tls';
      /** Absolute. Folder of `tls.crt`, `tls.key`, `ca.crt`, replaced as a whole when they rotate. */
      readonly dir: string;
      /** DNS name that the client's certificate must carry. */
      readonly clientName: string;
    }
  | { readonly kind: 'basic'; readonly credentials: Credentials };

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** How a pod that is about to end waits for its clients to go elsewhere. */
export interface DrainOptions {
  /** Absolute. */
  readonly socket: string;
  /** Shortest wait: for others to take the pod out of their lists. */
  readonly minWaitMs: number;
  /** Time without a new connection after which the pod counts as drained. */
  readonly quietPeriodMs: number;
  /** Longest wait. */
  readonly maxWaitMs: number;
  /** Frontends whose connections are no traffic: statistics, health. */
  readonly ignoreFrontends: readonly string[];
}

/** Where the plan blob lies: beside the state file. */
export function planBlobPath(options: AgentOptions): string {
  return path.join(path.dirname(options.stateFile), '.haptic-agent-plan.bin');
}

/** Manifest paths that would hit the sockets or the agent's own files. */
export function reservedPaths(options: AgentOptions): ReadonlySet<string> {
  const own = [
    options.masterSocket,
    options.workerSocket,
    options.stateFile,
    planBlobPath(options),
    options.adminSocket,
    options.drain?.socket,
  ];
  return new Set(
    own.filter((file) => file !== undefined).map((file) => path.relative(options.baseDir, file)),
  );
}
