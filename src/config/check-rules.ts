import { parse } from '@marcbachmann/cel-js';
import type { StructuralSchema, ValidationRule } from '../api/structural-schema.ts';
import { isRecord } from '../lib/is-record.ts';

export interface BrokenRule {
  /** Of the value that has the rule, and of the field that the rule blames. */
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * The cross-field rules of a schema, as the API server evaluates them, on a value that the schema takes otherwise. A rule that
 * cannot be evaluated counts as broken, as it does there.
 */
export function checkRules(schema: StructuralSchema, value: unknown): readonly BrokenRule[] {
  const evaluators = new Map<string, (self: unknown) => boolean>();
  const holds = (rule: string, self: unknown): boolean => {
    const evaluate = evaluators.get(rule) ?? evaluatorOf(rule);
    evaluators.set(rule, evaluate);
    return evaluate(self);
  };
  const broken: BrokenRule[] = [];
  const walk = (at: StructuralSchema, self: unknown, path: readonly string[]): void => {
    for (const rule of at['x-kubernetes-validations'] ?? [])
      if (!holds(rule.rule, self)) broken.push({ path: blamed(path, rule), message: rule.message });
    if (Array.isArray(self)) {
      const { items } = at;
      if (items !== undefined) self.forEach((item, index) => walk(items, item, [...path, String(index)]));
    } else if (isRecord(self))
      for (const [key, item] of Object.entries(self)) {
        const inner = ownProperty(at.properties, key) ?? at.additionalProperties;
        if (inner !== undefined) walk(inner, item, [...path, key]);
      }
  };
  walk(schema, value, []);
  return broken;
}

function evaluatorOf(rule: string): (self: unknown) => boolean {
  const evaluate = parse(rule);
  return (self) => {
    try {
      return evaluate({ self }) === true;
    } catch {
      return false;
    }
  };
}

function blamed(path: readonly string[], { fieldPath }: ValidationRule): readonly string[] {
  return fieldPath === undefined ? path : [...path, ...fieldPath.slice(1).split('.')];
}

function ownProperty(properties: StructuralSchema['properties'], key: string): StructuralSchema | undefined {
  return properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
}
