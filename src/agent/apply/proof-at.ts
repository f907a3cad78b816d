/** A proof that the agent gives out: tells two occurrences of one plan id apart. */
export function proofAt(counter: number): string {
  return `a:${String(counter)}`;
}
