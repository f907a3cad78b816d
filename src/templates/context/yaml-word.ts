import { bareWord, excerpt } from './bare-word.ts';

/** A bare word that is one plain scalar of YAML, in a flow collection too: `a,b`, `a:`, `*a`, `-` and `~` are more, or others. */
const scalar = /^(?![*@]|[-~:]+$|[-.]{3}$)[^,]*(?<!:)$/;

/** What `{{x}}` prints in Kubernetes objects. */
export function yamlWord(value: unknown): string {
  const word = bareWord(value);
  if (scalar.test(word)) return word;
  throw new RangeError(`${excerpt(word)} is more than a word in YAML; print it with {{json …}}`);
}
