import type { OrderedMap } from '../lib/ordered-map.ts';
import { ropeBytes } from '../lib/rope.ts';
import type { Section } from '../protocol/plan.ts';

/**
 * Keys of the sections whose text has one of the words in it, as a whole word. One native pass over the bytes for each word; the texts are looked
 * at only where it is found.
 */
export function findSections(sections: OrderedMap<Section>, words: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  const bytes = ropeBytes(sections);
  for (const word of words) {
    const needle = Buffer.from(word);
    sections.chunks.forEach((chunk, at) => {
      const run = bytes[at];
      if (run === undefined || !Buffer.from(run.buffer, run.byteOffset, run.byteLength).includes(needle))
        return;
      chunk.values.forEach(({ text }, i) => {
        const key = chunk.keys[i];
        if (key !== undefined && hasWord(text, word)) found.add(key);
      });
    });
  }
  return found;
}

const wordCharacter = /[A-Za-z0-9_.:-]/;

/** A name ends where HAProxy's names end: `app` is no word of `app-2`, but one of `app/server` and of `nbsrv(app)`. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const before = text.charAt(at - 1);
    const after = text.charAt(at + word.length);
    if (!(wordCharacter.test(before) || wordCharacter.test(after))) return true;
  }
  return false;
}

/** Words that can name something: a section, or a file by its path; of `backend/server` also the part before the stroke. */
export function wordsOf(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const [word] of text.matchAll(/[A-Za-z0-9_.:@/+-]+/g)) {
    words.add(word);
    const stroke = word.indexOf('/');
    if (stroke > 0) words.add(word.slice(0, stroke));
  }
  return words;
}
