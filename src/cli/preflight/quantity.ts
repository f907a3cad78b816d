const factors: Readonly<Record<string, number>> = {
  '': 1,
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};

/** A quantity of Kubernetes as a number: `100m` is 0.1, `1Ki` is 1024. Undefined for what is none. */
export function quantity(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  const [, digits, exponent, unit = ''] =
    /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/.exec(value.trim()) ?? [];
  if (digits === undefined) return undefined;
  return exponent === undefined
    ? Number(digits) * (factors[unit] ?? Number.NaN)
    : Number(`${digits}${exponent}`);
}
