import path from 'node:path';

export interface AgentOptions {
  /** Absolute. Everything the agent owns lies below it. */
  readonly baseDir: string;
  /** Path of HAProxy's configuration, relative to the base dir. */
  readonly configFile: string;
  /** Absolute. */
  readonly masterSocket: string;
  /** Absolute. */
  readonly workerSocket: string;
  /** Absolute. */
  readonly stateFile: string;
  readonly reloadTimeoutMs: number;
  readonly credentials: Credentials;
  readonly agentVersion: string;
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Where the plan blob lies: beside the state file. */
export function planBlobPath(options: AgentOptions): string {
  return path.join(path.dirname(options.stateFile), '.haptic-agent-plan.bin');
}

/** Manifest paths that would hit the sockets or the agent's own files. */
export function reservedPaths(options: AgentOptions): ReadonlySet<string> {
  const own = [options.masterSocket, options.workerSocket, options.stateFile, planBlobPath(options)];
  return new Set(own.map((file) => path.relative(options.baseDir, file)));
}
