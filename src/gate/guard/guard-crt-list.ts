import { isOutside } from './is-outside.ts';
import { readConfigLine } from './read-config-line.ts';

const suspect = /(?:^|[\s[\]])(?:\w+@)?\/|\.\.|[$"'\\\0\r]/m;

/** The text of a crt-list with lines that name files outside as comments; the same text when there are none. */
export function guardCrtList(text: string): string {
  if (!suspect.test(text)) return text;
  const lines = text.split('\n').map((line) => {
    const { words, isOdd } = readConfigLine(line);
    const isHarmless = !isOdd && !words.flatMap((word) => word.split(/[[\]\s]/)).some(isOutside);
    return isHarmless ? line : '# not judged before it is applied';
  });
  return lines.join('\n');
}
