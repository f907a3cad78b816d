import type { ApiClient } from './api-client.ts';
import type { Fault, FaultMatch } from './faults.ts';

export interface ApiServerOptions {
  /** Port on 127.0.0.1; 0 (default) takes a free one. */
  readonly port?: number;
  /** How many past changes of each kind a watch can resume from. Default 4096. */
  readonly historySize?: number;
  /** How often a watch that allows bookmarks gets one. Default 60,000 ms. */
  readonly bookmarkIntervalMs?: number;
  /** True: a deleted Pod on a node stays, marked, until it is deleted with grace 0 (as its kubelet would). Default false. */
  readonly gracefulPods?: boolean;
  /** Bearer token of the administrator; a random one by default. */
  readonly token?: string;
  readonly now?: () => Date;
}

export interface ApiServer {
  /** `https://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  /** Certificate of the server's own authority, PEM. */
  readonly caCert: string;
  readonly token: string;
  /** YAML for the administrator; holds a private key: write it 0600. */
  readonly kubeconfig: () => string;
  readonly client: ApiClient;
  readonly faults: ApiFaults;
  /** Ends all connections and the listener. Idempotent. */
  readonly close: () => Promise<void>;
}

/** The ways in which this server can be told to misbehave. */
export interface ApiFaults {
  /** True: objects are stored as sent, valid or not (types, names, hosts, ports). */
  allowInvalid: boolean;
  /** Makes matching requests fail in a way; gives the way to take it back. See `FaultAction`. */
  readonly inject: (fault: Fault) => () => void;
  /** Faults that may still strike, oldest first. */
  readonly list: () => readonly Fault[];
  /** Takes back all injected faults and `allowInvalid`. */
  readonly clear: () => void;
  /** Forgets the history of a kind (`apiVersion/plural`), or of all: older versions and page tokens then get a 410. */
  readonly compact: (resource?: string) => void;
  /** How many watches are open. */
  readonly openWatches: (match?: FaultMatch) => number;
  /** Breaks open watches off in the middle of a line. */
  readonly cutWatches: (match?: FaultMatch) => void;
  /** Open watches get no further byte; their sockets stay open. */
  readonly silenceWatches: (match?: FaultMatch) => void;
  /** Open watches get an ERROR event with this code and end. */
  readonly failWatches: (code: number, match?: FaultMatch) => void;
  /** Ends open watches as a time-out does: cleanly. */
  readonly endWatches: (match?: FaultMatch) => void;
  readonly closeConnections: () => void;
  /** Refuses connections, as a server that is down. Objects stay. */
  readonly stopListening: () => Promise<void>;
  /** Comes back on the same port. */
  readonly resumeListening: () => Promise<void>;
}
