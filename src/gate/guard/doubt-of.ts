import { getEntry, type OrderedMap } from '../../lib/ordered-map.ts';
import type { Section } from '../../protocol/plan.ts';
import type { Finding } from '../verdict.ts';
import { knownDirectives } from './known-directives.ts';
import { readConfigLine } from './read-config-line.ts';

/** What HAProxy says of a word that it does not know: what is not there cannot be the reason. */
const unknownWord = /\bunknown (?:keyword|option|directive)\b|, but got '/;
/** Others depend on these without naming anything. */
const forAll: ReadonlySet<string> = new Set(
  `ca-base crt-base key-base default-path ssl-engine ssl-passphrase-cmd ssl-propquery ssl-provider ssl-provider-path setenv
  presetenv resetenv unsetenv`.split(/\s+/),
);
/** Nothing depends on these: they have no names. */
const nameless: ReadonlySet<string> = new Set(
  `http-request http-response http-after-response tcp-request tcp-response quic-initial http-check tcp-check use_backend
  use-server redirect stick log`.split(/\s+/),
);
const wordCharacter = /[A-Za-z0-9_.:-]/;

/**
 * Whether a refusal may only be due to lines that HAProxy was not given: because it mentions a word of such a line that others may
 * know it by, or because such a line was for everybody.
 *
 * @param sections as they are without anything left out
 * @param edits those that HAProxy was given otherwise, by key, with the same line numbers
 */
export function doubtOf(
  sections: OrderedMap<Section>,
  edits: ReadonlyMap<string, Section>,
): (finding: Pick<Finding, 'message'>) => boolean {
  const names = new Set<string>();
  let isForAll = false;
  for (const [key, { text }] of edits) {
    const given = text.split('\n');
    const lines = getEntry(sections, key)?.text.split('\n') ?? [];
    for (const [at, line] of lines.entries()) {
      if (given[at] === line) continue;
      const { words } = readConfigLine(line);
      const [keyword = '', ...rest] = words[0] === 'no' || words[0] === 'default' ? words.slice(1) : words;
      isForAll ||= forAll.has(keyword);
      if (nameless.has(keyword)) continue;
      for (const word of [keyword, ...rest]) if (!knownDirectives.has(word)) names.add(word);
    }
  }
  names.delete('');
  return ({ message }) => {
    if (unknownWord.test(message)) return false;
    return isForAll || [...names].some((name) => hasWord(message, name));
  };
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!wordCharacter.test(text.charAt(at - 1)) && !wordCharacter.test(text.charAt(at + word.length)))
      return true;
  return false;
}
