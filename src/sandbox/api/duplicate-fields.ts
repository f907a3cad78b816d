/**
 * Paths of fields that occur twice in one object of a JSON text, which `JSON.parse` keeps silent about (the last one
 * wins). The text must be valid JSON.
 */
export function duplicateFields(text: string): string[] {
  const duplicates: string[] = [];
  let at = 0;

  const skipSpace = () => {
    while (at < text.length && text.charCodeAt(at) <= 32) at++;
  };
  const readString = (): string => {
    const start = at++;
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    at++;
    const value: unknown = JSON.parse(text.slice(start, at));
    return String(value);
  };
  const readObject = (path: string) => {
    const seen = new Set<string>();
    at++;
    skipSpace();
    while (text[at] !== '}') {
      if (text[at] === ',') {
        at++;
        skipSpace();
      }
      const field = readString();
      const inner = path === '' ? field : `${path}.${field}`;
      if (seen.has(field)) duplicates.push(inner);
      seen.add(field);
      skipSpace();
      at++;
      readValue(inner);
      skipSpace();
    }
    at++;
  };
  const readArray = (path: string) => {
    let index = 0;
    at++;
    skipSpace();
    while (text[at] !== ']') {
      if (text[at] === ',') at++;
      readValue(`${path}[${String(index++)}]`);
      skipSpace();
    }
    at++;
  };
  const readValue = (path: string) => {
    skipSpace();
    if (text[at] === '{') readObject(path);
    else if (text[at] === '[') readArray(path);
    else if (text[at] === '"') readString();
    else while (at < text.length && !',]} \n\r\t'.includes(text[at] ?? ',')) at++;
  };

  readValue('');
  return duplicates;
}
