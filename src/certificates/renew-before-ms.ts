const day = 24 * 3_600_000;

/** How long before its end a certificate is replaced: 30 days, or a third of a life shorter than 90. */
export function renewBeforeMs(lifetimeMs: number): number {
  return lifetimeMs < 90 * day ? lifetimeMs / 3 : 30 * day;
}
