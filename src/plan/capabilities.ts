import type { HaproxyIdentity } from '../protocol/wire.ts';

/** What a HAProxy of this version can change at runtime, and which operations its agent knows. */
export interface Capabilities {
  /** Major and minor, `3.4`; absent when the pod's answer could not be read, and then nothing else holds either. */
  readonly version?: string;
  /** `add server`, `del server`: from 2.6. */
  readonly dynamicServers: boolean;
  /** `guid`: from 3.0. */
  readonly guid: boolean;
  /** Server keyword `init-state`: from 3.1. */
  readonly serverInitState: boolean;
  /** A server added at runtime keeps idle connections for reuse unless told otherwise, as one of a file does: from 3.0. */
  readonly serverPool: boolean;
  /** `add backend`, `publish backend`, `del backend`: from 3.4. */
  readonly dynamicBackends: boolean;
  readonly operations: ReadonlySet<string>;
}

/** An unreadable version has no capabilities, so that every change becomes a reload. */
export function capabilitiesOf(
  haproxy: Pick<HaproxyIdentity, 'version'>,
  agentOps: readonly string[],
): Capabilities {
  const match = /^(\d+)\.(\d+)(?:\D|$)/.exec(haproxy.version);
  const major = Number(match?.[1]);
  const minor = Number(match?.[2]);
  const from = (wantMajor: number, wantMinor: number) =>
    match !== null && (major > wantMajor || (major === wantMajor && minor >= wantMinor));
  return {
    ...(match === null ? {} : { version: `${major}.${minor}` }),
    dynamicServers: from(2, 6),
    guid: from(3, 0),
    serverInitState: from(3, 1),
    serverPool: from(3, 0),
    dynamicBackends: from(3, 4),
    operations: new Set(agentOps),
  };
}
