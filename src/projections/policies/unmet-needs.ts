import type { PolicyDefaults } from './policy-defaults.ts';
import type { PolicyFields } from './policy-fields.ts';
import { policyIndex } from './policy-index.ts';
import type { PolicyNeed } from './policy-need.ts';

type Name = keyof PolicyFields;

/** What is said besides the settings of an object. */
export interface AroundPolicy {
  readonly defaults: PolicyDefaults;
  /** What the Services say that an Ingress routes to. */
  readonly onServices: (name: Name) => readonly unknown[];
}

/** A setting that has no effect, in the order of the table. */
export interface UnmetNeed {
  readonly name: Name;
  /** Absent: what it needs is turned off, or is reported itself, so that there is nothing to say of it. */
  readonly need?: PolicyNeed;
}

/**
 * Which settings have no effect, since what they need is not said. One whose need has a need that is not met has none either.
 *
 * @param written every setting that is written, be it understood or not
 */
export function unmetNeeds(
  fields: PolicyFields,
  written: ReadonlySet<Name>,
  { defaults, onServices }: AroundPolicy,
): readonly UnmetNeed[] {
  return policyIndex.rows.flatMap(({ name, field, needs }): readonly UnmetNeed[] => {
    if (fields[name] === undefined) return [];
    const verdict = verdictOf(needs);
    if (verdict === 'met') return [];
    const isSilent = verdict === 'off' || (field.restricting === true && isOff(fields[name]));
    return [isSilent ? { name } : { name, need: verdict }];
  });

  function verdictOf(needs: readonly PolicyNeed[]): 'met' | 'off' | PolicyNeed {
    const verdicts = needs.map(verdictOn);
    return verdicts.find((verdict) => verdict !== 'met') ?? 'met';
  }

  function verdictOn(need: PolicyNeed): 'met' | 'off' | PolicyNeed {
    const { anyOf, orByDefault, orOnService } = need;
    const ways = anyOf.filter((name) => isEnough(fields[name], need)).map(neededBy);
    if (ways.includes('met')) return 'met';
    if (orOnService && anyOf.some((name) => onServices(name).some((value) => isEnough(value, need))))
      return 'met';
    if (ways[0] !== undefined) return ways[0];
    if (anyOf.some((name) => written.has(name))) return 'off';
    return orByDefault !== undefined && defaults[orByDefault] ? 'met' : need;
  }

  function neededBy(name: Name): 'met' | 'off' | PolicyNeed {
    return verdictOf(policyIndex.byField.get(name)?.needs ?? []);
  }
}

function isEnough(value: unknown, need: PolicyNeed): boolean {
  if (value === undefined) return false;
  return need.value === undefined ? !isOff(value) : value === need.value;
}

function isOff(value: unknown): boolean {
  return value === false || value === 'off' || value === 'none';
}
