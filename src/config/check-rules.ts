import { parse } from '@marcbachmann/cel-js';
import type { StructuralSchema, ValidationRule } from '../api/structural-schema.ts';
import type { Slices } from '../lib/slices.ts';
import { walkBySchema } from './walk-by-schema.ts';

export interface BrokenRule {
  /** Of the value that has the rule, and of the field that the rule blames. */
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * The cross-field rules of a schema, as the API server evaluates them, on a value that the schema takes otherwise. A rule that
 * cannot be evaluated counts as broken, as it does there.
 */
export function* checkRules(schema: StructuralSchema, value: unknown): Slices<readonly BrokenRule[]> {
  const broken: BrokenRule[] = [];
  yield* walkBySchema(schema, value, (at, self, path) => {
    for (const rule of at['x-kubernetes-validations'] ?? [])
      if (!evaluatorOf(rule)(self)) broken.push({ path: blamed(path, rule), message: rule.message });
  });
  return broken;
}

/** Of the rules of schemas, which live as long as the program. */
const evaluators = new WeakMap<ValidationRule, (self: unknown) => boolean>();

function evaluatorOf(rule: ValidationRule): (self: unknown) => boolean {
  const known = evaluators.get(rule);
  if (known !== undefined) return known;
  const evaluate = parse(rule.rule);
  const evaluator = (self: unknown): boolean => {
    try {
      return evaluate({ self }) === true;
    } catch {
      return false;
    }
  };
  evaluators.set(rule, evaluator);
  return evaluator;
}

function blamed(path: readonly string[], { fieldPath }: ValidationRule): readonly string[] {
  return fieldPath === undefined ? path : [...path, ...fieldPath.slice(1).split('.')];
}
