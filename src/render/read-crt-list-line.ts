import type { CrtListEntry } from '../protocol/plan.ts';
import { crtListOption, sniFilter } from '../templates/context/crt-list-word.ts';
import { relativePath } from '../templates/context/relative-path.ts';

/**
 * A line of a crt-list as HAProxy reads it: the certificate's path, options between brackets, SNI filters. A RangeError says which
 * word is wrong.
 */
export function readCrtListLine(line: string): Pick<CrtListEntry, 'certificate' | 'options' | 'sniFilters'> {
  const [, certificate = '', , inBrackets = '', rest = ''] =
    /^(\S+)(\s+\[([^[\]]*)\])?((?:\s+\S+)*)$/.exec(line) ?? [];
  if (certificate === '')
    throw new RangeError(`${JSON.stringify(line)} is no line of a crt-list: certificate [options] names`);
  const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');
  return {
    certificate: relativePath(certificate),
    options: words(inBrackets).map(crtListOption),
    sniFilters: [...new Set(words(rest).map(sniFilter))],
  };
}
