import type { Route } from './model.ts';

/**
 * What maps say of a route, `<backend>/<rule>/<choice>`: as many of them as there are. None of the three has a slash in it; without a rule, a choice comes
 * after two.
 */
export function routeTarget({ backend, rule, choice }: Pick<Route, 'backend' | 'rule' | 'choice'>): string {
  if (choice !== undefined) return `${backend}/${rule ?? ''}/${choice}`;
  return rule === undefined ? backend : `${backend}/${rule}`;
}
