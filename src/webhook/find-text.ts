import type { Chunk, OrderedMap } from '../lib/ordered-map.ts';
import { ropeBytes } from '../lib/rope.ts';
import type { Section } from '../protocol/plan.ts';

/** Keys of the sections whose text has one of the words in it, as a whole word. */
export type FindSections = (sections: OrderedMap<Section>, words: ReadonlySet<string>) => ReadonlySet<string>;

/** Words that are remembered for each run of sections: mostly the same few maps change. */
const mostWords = 32;

/**
 * One native pass over the bytes for each word; the texts are looked at only where it is found. For runs of sections that are
 * shared with earlier versions, what was found then stands.
 */
export function createFindSections(): FindSections {
  const known = new WeakMap<Chunk<Section>, Map<string, readonly string[]>>();
  return (sections, words) => {
    const found = new Set<string>();
    const bytes = ropeBytes(sections);
    sections.chunks.forEach((chunk, at) => {
      const held = known.get(chunk) ?? new Map<string, readonly string[]>();
      known.set(chunk, held);
      if (held.size > mostWords) held.clear();
      for (const word of words) {
        const keys = held.get(word) ?? keysWith(chunk, bytes[at], word);
        held.set(word, keys);
        for (const key of keys) found.add(key);
      }
    });
    return found;
  };
}

function keysWith(
  { keys, values }: Chunk<Section>,
  bytes: Uint8Array | undefined,
  word: string,
): readonly string[] {
  if (bytes === undefined) return [];
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(word)) return [];
  return keys.filter((_, at) => hasWord(values[at]?.text ?? '', word));
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
