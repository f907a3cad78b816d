/** The flags that a container's command line gives a program, without dashes: `--name=value`, `--name value`; of a switch, the empty text. */
export function flagsOfContainer(container: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const flags = new Map<string, string>();
  const words = ['command', 'args'].flatMap((field) => {
    const listed = container[field];
    return Array.isArray(listed) ? listed.map(String) : [];
  });
  for (const [index, word] of words.entries()) {
    const [, name, value] = /^--([a-z][a-z0-9-]*)(?:=([^]*))?$/.exec(word) ?? [];
    if (name === undefined) continue;
    const next = words[index + 1];
    flags.set(name, value ?? (next === undefined || next.startsWith('-') ? '' : next));
  }
  return flags;
}
