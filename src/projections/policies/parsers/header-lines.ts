import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';
import { headerName } from './header-name.ts';

/** A header with its value, the name in lower case. */
export interface HeaderLine {
  readonly name: string;
  readonly value: string;
}

const most = 32;
const longestValue = 2048;

/** One `Name: value` a line, sorted by name; values are visible ASCII and blanks, and taken as they stand. `repeatable`: a name may come more than once. */
export function headerLines(
  refusal: (name: string) => string | undefined,
  repeatable: boolean,
): (text: string) => Parsed<readonly HeaderLine[]> {
  return (text) => {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    if (lines.length === 0) return { fault: 'must have at least one line such as "X-Name: value"' };
    if (lines.length > most) return { fault: `has ${lines.length} lines, more than ${most}` };
    const headers: HeaderLine[] = [];
    for (const line of lines) {
      const [whole, written = '', value = ''] = /^\s*([^:\s]+)\s*:(.*)$/s.exec(line) ?? [];
      if (whole === undefined)
        return { fault: `must have lines such as "X-Name: value", not ${showValue(line)}` };
      const name = headerName(written, refusal);
      if ('fault' in name) return name;
      const trimmed = value.trim();
      if (trimmed.length > longestValue || !/^[\x20-\x7e]+$/.test(trimmed))
        return { fault: `must have a value of visible ASCII after the name, not ${showValue(line)}` };
      if (!repeatable && headers.some((other) => other.name === name.value))
        return { fault: `has ${showValue(name.value)} twice` };
      headers.push({ name: name.value, value: trimmed });
    }
    return { value: headers.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name))) };
  };
}
