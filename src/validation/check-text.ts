import type { Assertion, AssertionType } from '../api/template-config.ts';
import { assertionError, requiredField } from './assertion-error.ts';
import { differenceOf } from './difference-of.ts';
import { parsePattern } from './pattern.ts';

/** Judges a text: undefined, or why it is not what is expected. */
type TextCheck = (text: string, assertion: Assertion, field: string) => string | undefined;

export type TextAssertionType = Extract<
  AssertionType,
  'contains' | 'not_contains' | 'equals' | 'match_count' | 'match_order'
>;

/**
 * The assertions about the text of their target. Each throws `HAPTIC_ERR_VALIDATION_ASSERTION` where a field that it needs is missing or
 * cannot be read, named by its path (`assertions[2].pattern`).
 */
export const textChecks: Readonly<Record<TextAssertionType, TextCheck>> = {
  contains: (text, assertion, field) => {
    const pattern = parsePattern(requiredField(assertion, 'pattern', field), `${field}.pattern`);
    return pattern.find(text) === undefined ? `${shown(pattern.source)} does not match` : undefined;
  },

  not_contains: (text, assertion, field) => {
    const pattern = parsePattern(requiredField(assertion, 'pattern', field), `${field}.pattern`);
    const match = pattern.find(text);
    return match && `${shown(pattern.source)} matches ${shown(match.text)} ${lineOf(text, match.index)}`;
  },

  equals: (text, assertion, field) =>
    differenceOf(requiredField(assertion, 'expected', field), text, { from: 'expected', to: 'rendered' }),

  match_count: (text, assertion, field) => {
    const pattern = parsePattern(requiredField(assertion, 'pattern', field), `${field}.pattern`);
    const wanted = requiredField(assertion, 'expected', field);
    if (!/^\d+$/.test(wanted))
      throw assertionError(`${field}.expected is no number of matches: ${JSON.stringify(wanted)}`);
    const count = pattern.count(text);
    if (count === Number(wanted)) return undefined;
    return `${shown(pattern.source)} matches ${count === 1 ? 'once' : `${count} times`}, not ${wanted}`;
  },

  match_order: (text, { patterns }, field) => {
    if (patterns === undefined || patterns.length < 2)
      throw assertionError(`${field}.patterns needs two patterns at least`);
    const found = patterns.map((source, index) => ({
      source,
      at: parsePattern(source, `${field}.patterns[${index}]`).find(text)?.index,
    }));
    for (const [index, { source, at }] of found.entries()) {
      if (at === undefined) return `${shown(source)} does not match`;
      const before = found[index - 1];
      if (before?.at !== undefined && at <= before.at)
        return `${shown(source)} ${lineOf(text, at)} does not come after ${shown(before.source)} ${lineOf(text, before.at)}`;
    }
    return undefined;
  },
};

function shown(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}

function lineOf(text: string, index: number): string {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line++;
  return `(line ${line})`;
}
