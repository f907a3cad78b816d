/**
 * A moment from which, or up to which, something is otherwise. Projections know no time: they say what they wait for, and are told by an entry of
 * the same key, which is there while the moment is `ahead`, or once it has `passed`.
 */
export interface Deadline {
  /** Milliseconds since the epoch; or so many after the entry came up. */
  readonly when: { readonly at: number } | { readonly after: number };
  readonly told: 'ahead' | 'passed';
}
