import type { OperationKind } from '../../protocol/operation.ts';
import type { DeleteTarget } from './pending-delete.ts';

/** One HAProxy runtime command and the answer that means it worked; any other answer is a refusal. */
export interface RuntimeCommand {
  /** Without line feed, and without the payload mark. */
  readonly text: string;
  /** Lines after `<<`; ended by a blank line, the only terminator that every HAProxy line knows. */
  readonly payload?: readonly string[];
  /**
   * A later command of the same operation makes it count, and that one's line asks for the worker. The payload then goes without a
   * question before it: 3.4 cuts a payload off at its buffer's size, in silence, when an answer of some length is still on its way out.
   */
  readonly countsLater?: true;
  /**
   * `silent`: HAProxy says nothing. A list: the answer contains one of these texts. `finished`: its last line is `Success!`, after
   * whatever progress and warnings came before. `any`: nothing that is said is a refusal.
   */
  readonly success: 'silent' | 'finished' | 'any' | readonly string[];
  /** Told the answer. */
  readonly heard?: (answer: string) => void;
  /**
   * The command is repeated until HAProxy answers this. `del map` removes one duplicate of a key per call on 3.4 and all
   * of them before; the refusal is the only proof that none is left.
   */
  readonly repeatUntil?: string;
  /**
   * An answer of this form says that the command may mean several things and numbers them, `2, 5`, in its first group. The least one, which is the
   * oldest, is meant: the command is sent again with `:2` behind it.
   */
  readonly oldestOf?: RegExp;
}

/** Where HAProxy keeps what it read from a TLS file, as its commands call it. */
export type TlsStore = 'cert' | 'ca-file' | 'crl-file';

/** What one operation becomes, before files are looked at. */
export type CompiledOperation =
  | {
      readonly kind: 'commands';
      readonly commands: readonly RuntimeCommand[];
      /** The name that the commands take. */
      readonly creates?: DeleteTarget;
      /** Instead of `commands`, where a server that waits for its deletion is the one wanted. */
      readonly revive?: readonly RuntimeCommand[];
    }
  /** Replaces a map by the content of its file, in a version of its own. */
  | { readonly kind: 'map_replace'; readonly path: string }
  /** Puts the content of a file into a TLS store, in a transaction. */
  | { readonly kind: 'tls_file'; readonly path: string; readonly store: TlsStore; readonly create: boolean }
  /** Nothing now: the agent's own queue deletes what was stopped, once nothing uses it any more. */
  | { readonly kind: 'deferred'; readonly target: DeleteTarget }
  | { readonly kind: 'none' };

/** One operation with all that it needs to run. */
export interface ReadyOperation {
  readonly kind: OperationKind;
  readonly commands: readonly RuntimeCommand[];
  /** A map replaced as a whole: payload lines, sent in a version that HAProxy numbers. */
  readonly replace?: { readonly path: string; readonly entries: readonly string[] };
  /** Cleans up when one of the commands was not accepted; answers do not matter. */
  readonly undo?: readonly RuntimeCommand[];
  readonly creates?: DeleteTarget;
  readonly revive?: readonly RuntimeCommand[];
  /** What the worker has loaded afterwards and had not before. */
  readonly loads?: { readonly store: TlsStore; readonly path: string };
}
