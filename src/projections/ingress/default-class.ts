import { compareKeys } from '../../lib/ordered-map.ts';
import type { ClassFact } from './class-fact.ts';

/** Which of several default classes counts: the newest, then the first by name, as Kubernetes' admission picks it. */
export function defaultClass(classes: readonly ClassFact[]): ClassFact | undefined {
  return [...classes].sort((a, b) => b.created - a.created || compareKeys(a.name, b.name))[0];
}
