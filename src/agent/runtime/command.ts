/** One HAProxy runtime command and the answer that means it worked; any other answer is a refusal. */
export interface RuntimeCommand {
  /** Without line feed, and without the payload mark. */
  readonly text: string;
  /** Lines after `<<`; ended by a blank line, the only terminator that every HAProxy line knows. */
  readonly payload?: readonly string[];
  /** `silent`: HAProxy says nothing. Else: the answer contains one of these texts. */
  readonly success: 'silent' | readonly string[];
  /**
   * The command is repeated until HAProxy answers this. `del map` removes one duplicate of a key per call on 3.4 and all
   * of them before; the refusal is the only proof that none is left.
   */
  readonly repeatUntil?: string;
}

/** What one operation becomes. */
export type CompiledOperation =
  | { readonly kind: 'commands'; readonly commands: readonly RuntimeCommand[] }
  /** Replaces a map by the content of its file, in a version of its own. */
  | { readonly kind: 'map_replace'; readonly path: string }
  /** Nothing now: the agent's own queue deletes what was stopped, once nothing uses it any more. */
  | { readonly kind: 'deferred'; readonly target: DeleteTarget }
  | { readonly kind: 'none' };

export type DeleteTarget =
  | { readonly kind: 'server'; readonly backend: string; readonly server: string }
  | { readonly kind: 'backend'; readonly backend: string };
