/** A value of a tap as the page has it. */
export interface TapEvent {
  readonly tap: string;
  /** Counts the values of a tap: a gap tells how many were lost. */
  readonly seq: number;
  /** Milliseconds of the Unix clock of the controller. */
  readonly at: number;
  readonly value: unknown;
  /** Characters of its JSON. */
  readonly size: number;
}

/** What the stream says besides. */
export type StreamNews =
  | { readonly kind: 'event'; readonly event: TapEvent }
  | { readonly kind: 'dropped'; readonly count: number }
  | { readonly kind: 'connected' | 'disconnected' };
