/** What HAProxy was asked about: nothing, as nothing changed for it; the parts that a change can affect; the whole. */
export type CheckScope = 'none' | 'reduced' | 'full';
