/** Whether this process may write to pods and to the API. */
export type Leadership = Leading | Standby;

export interface Leading {
  readonly kind: 'leading';
  /** Of the term: a later term of any process has a higher one. 0 without election. */
  readonly epoch: number;
}

export interface Standby {
  readonly kind: 'standby';
  /** Who leads, as the Lease has it; undefined: nobody, or not known yet. */
  readonly leader?: string;
}
