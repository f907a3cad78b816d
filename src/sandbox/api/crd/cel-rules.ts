import { parse } from '@marcbachmann/cel-js';
import type { Cause } from '../api-status.ts';
import { invalid } from '../field-errors.ts';
import { isList, isRecord, listOf, textOf } from '../json.ts';
import { schemaOfField, type Schema } from '../schema.ts';

/**
 * The CEL rules of a structural schema (`x-kubernetes-validations`), as causes in kube-apiserver's words. What the evaluator does not
 * understand (`oldSelf`, the API server's own libraries) is taken for true: this API must not refuse what a real one takes.
 */
export function createRuleValidator(schema: Schema): (value: unknown) => readonly Cause[] {
  const rules = new Map<string, Rule>();
  collect(schema, rules);
  if (rules.size === 0) return () => [];
  return (value) => {
    const causes: Cause[] = [];
    walk(value, schema, '', rules, causes);
    return causes;
  };
}

type Rule = (self: unknown) => boolean;

function collect(schema: Schema, rules: Map<string, Rule>): void {
  for (const { rule } of rulesOf(schema)) if (!rules.has(rule)) rules.set(rule, compile(rule));
  const { properties = {}, items, additionalProperties } = schema;
  for (const inner of [...Object.values(properties), items, additionalProperties])
    if (isRecord(inner)) collect(inner, rules);
}

function compile(text: string): Rule {
  if (/\boldSelf\b/.test(text)) return () => true;
  let evaluate: ReturnType<typeof parse>;
  try {
    evaluate = parse(text);
  } catch {
    return () => true;
  }
  return (self) => {
    try {
      return evaluate({ self }) !== false;
    } catch {
      return true;
    }
  };
}

function rulesOf(schema: Schema): readonly { rule: string; message: string; fieldPath: string }[] {
  return listOf(schema['x-kubernetes-validations'])
    .filter(isRecord)
    .map(({ rule, message, fieldPath }) => ({
      rule: textOf(rule),
      message: textOf(message) || `failed rule: ${textOf(rule)}`,
      fieldPath: textOf(fieldPath),
    }));
}

function walk(
  value: unknown,
  schema: Schema,
  path: string,
  rules: ReadonlyMap<string, Rule>,
  causes: Cause[],
): void {
  for (const { rule, message, fieldPath } of rulesOf(schema)) {
    if (rules.get(rule)?.(value) !== false) continue;
    const field = `${path}${fieldPath}`.replace(/^\./, '');
    causes.push({ ...invalid(field, '', ''), message: `Invalid value: ${kindOf(value)}: ${message}` });
  }
  if (isList(value)) {
    const { items } = schema;
    if (items !== undefined) value.forEach((item, i) => walk(item, items, `${path}[${i}]`, rules, causes));
  } else if (isRecord(value))
    for (const [field, item] of Object.entries(value)) {
      const inner = schemaOfField(schema, field);
      if (inner !== undefined) walk(item, inner, path === '' ? field : `${path}.${field}`, rules, causes);
    }
}

function kindOf(value: unknown): string {
  return JSON.stringify(isList(value) ? 'array' : typeof value);
}
