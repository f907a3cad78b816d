import { flat } from '../lib/flat.ts';
import type { SourceRange } from './handlebars-engine.ts';

/** `template:line:column` of where something begins in a template. */
export type PlaceOf = (template: string, range: SourceRange) => string;

/**
 * The words of a place are made once, however many fragments carry them. They are found by numbers: compiled templates make the range anew for
 * each call of a helper.
 */
export function createPlaces(): PlaceOf {
  const places = new Map<string, Map<number, string>>();
  return (template, { start: { line, column } }) => {
    let known = places.get(template);
    if (known === undefined) places.set(template, (known = new Map<number, string>()));
    const key = line * longestLine + column;
    let place = known.get(key);
    if (place === undefined) known.set(key, (place = flat(`${template}:${line}:${column + 1}`)));
    return place;
  };
}

/** More than an object in Kubernetes can have. */
const longestLine = 2 ** 24;
