/**
 * What HAProxy was asked about: nothing, as nothing changed for it; nothing, as it has accepted the same in another name (`known`); the parts that
 * a change can affect; the whole.
 */
export type CheckScope = 'none' | 'known' | 'reduced' | 'full';
