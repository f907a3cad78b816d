import type { TemplateError, TemplatePlace } from '../template-error.ts';
import type { LookupUse } from '../vocabulary.ts';

/** A forEach, and the lookups that its body can make. */
export interface LoopLookups {
  readonly place: TemplatePlace;
  /** `hosts`, `resources.widgets`. */
  readonly collection: string;
  readonly lookups: readonly LookupUse[];
}

/**
 * Lookups of a whole resource for each entry of a collection: they cost the one times the other, at every change. A collection that is
 * collected is mostly small, and what a `fragment` lists is listed once.
 */
export function lintLookups(loops: readonly LoopLookups[]): readonly TemplateError[] {
  return loops
    .filter(({ collection }) => !collection.startsWith('collected.'))
    .flatMap(({ place, collection, lookups }) =>
      lookups
        .filter(({ helper, keys }) => helper === 'list' && keys === 0)
        .map(({ resource }) => ({
          ...place,
          message: `list "${resource}" without keys, for each of ${collection}: whenever one of ${resource} changes, all of ${collection} are printed again; give keys of its indexBy, or use fragment or collect`,
        })),
    );
}
