import { isOutside } from './guard/is-outside.ts';

const fromFile = /\b(?:at line (\d+) of|error processing line (\d+) in) file '([^']*)'/;
/** Of a crt-list, from 3.2 on, without the list's name. Certificates of a render lie in folders. */
const certificate = /('crt-list' : unable to stat SSL certificate from file ')[^'/]*'/;
const beginning = /^(?:[a-z_]+: )?(?:\[\w+\]\s+\(\d+\)\s*:\s*)?(?:config : )?(?:parsing \[[^\]]*\]\s*:\s*)?/;

/**
 * What HAProxy says of a check, without what it repeats of files that are none of the render: a line of a configuration can name any file of this
 * process (its credentials, say) as a list of patterns, and HAProxy quotes the line that it does not understand.
 */
export function hideForeignLines(output: string): string {
  return output
    .split('\n')
    .map((line) => {
      const [, pattern, entry, file] = fromFile.exec(line) ?? [];
      if (file === undefined) return line.replace(certificate, "$1[not repeated here]'");
      if (!isOutside(file)) return line;
      const number = pattern ?? entry ?? '';
      return `${beginning.exec(line)?.[0] ?? ''}line ${number} of '${file}' cannot be understood; that is no file of the render, so it is not repeated here`;
    })
    .join('\n');
}
