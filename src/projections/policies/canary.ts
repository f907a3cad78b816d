import type { MatchKind } from '../model.ts';
import type { PolicyFields } from './policy-fields.ts';

/** Which requests of another object's routes an object takes. */
export interface Canary {
  /** In the order in which they count. */
  readonly matches: readonly CanaryMatch[];
  /** Of the rest, 0 to 1. */
  readonly share: number;
}

export interface CanaryMatch {
  readonly kind: MatchKind;
  readonly name: string;
  readonly value: string;
  /** Whether such requests are the canary's, or never are. */
  readonly takes: boolean;
}

/** `undefined`: it is no canary. */
export function canaryOf(fields: PolicyFields): Canary | undefined {
  if (fields.canary !== true) return undefined;
  const {
    canaryByHeader: header,
    canaryByHeaderValue,
    canaryByHeaderPattern,
    canaryByCookie: cookie,
  } = fields;
  const { canaryWeight = 0, canaryWeightTotal = 100 } = fields;
  const byHeader = (): readonly CanaryMatch[] => {
    if (header === undefined) return [];
    if (canaryByHeaderValue !== undefined)
      return [{ kind: 'header', name: header, value: canaryByHeaderValue, takes: true }];
    if (canaryByHeaderPattern !== undefined)
      return [{ kind: 'pattern', name: header, value: canaryByHeaderPattern, takes: true }];
    return alwaysOrNever('header', header);
  };
  return {
    matches: [...byHeader(), ...(cookie === undefined ? [] : alwaysOrNever('cookie', cookie))],
    share: canaryWeight / canaryWeightTotal,
  };
}

function alwaysOrNever(kind: MatchKind, name: string): readonly CanaryMatch[] {
  return [
    { kind, name, value: 'always', takes: true },
    { kind, name, value: 'never', takes: false },
  ];
}
