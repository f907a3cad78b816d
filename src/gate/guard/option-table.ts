/** Names with nothing after them, and names with one word after them. */
export function optionTable(bare: string, withValue: string): ReadonlyMap<string, number> {
  const list = (text: string, length: number) =>
    text
      .trim()
      .split(/\s+/)
      .map((name) => [name, length] as const);
  return new Map([...list(bare, 0), ...list(withValue, 1)]);
}
