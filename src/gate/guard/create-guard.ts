import { entriesOf, type OrderedMap } from '../../lib/ordered-map.ts';
import type { Slices } from '../../lib/slices.ts';
import type { Section } from '../../protocol/plan.ts';
import { judgeLine, type JudgedLine, type LineRisk } from './judge-line.ts';

/** A line that HAProxy is not given. */
export interface LeftOutLine {
  readonly text: string;
  readonly risk: LineRisk;
}

/** Lines of sections that were left out, by the sections' keys. */
export type LeftOut = ReadonlyMap<string, readonly LeftOutLine[]>;

/** What was taken out of a configuration before HAProxy sees it. */
export interface GuardedSections {
  /** Sections with other texts than they had, by key. Line numbers stay. */
  readonly edits: ReadonlyMap<string, Section>;
  readonly leftOut: LeftOut;
}

export interface GuardOptions {
  /** Lines with these risks are left out. */
  readonly leavesOut: (risk: LineRisk) => boolean;
  /** Texts for which this is false have no such line: saves reading them. Default: every text may have one. */
  readonly mayHave?: (text: string) => boolean;
}

interface Guarded {
  readonly section: Section;
  readonly lines: readonly LeftOutLine[];
}

/** Keeps the numbers of the lines that follow. */
const placeholder = '# not judged before it is applied';
/** Sections between two pauses: a section takes some 10 µs. */
const pauseEvery = 64;

/**
 * Replaces lines that HAProxy must not be given by comments, and lines whose words nobody knows by as much of them as HAProxy needs to
 * refuse them. What was found for a section is remembered as long as the section is there.
 */
export function createGuard({
  leavesOut,
  mayHave = () => true,
}: GuardOptions): (sections: OrderedMap<Section>) => Slices<GuardedSections> {
  const known = new WeakMap<Section, Guarded>();
  const guard = (section: Section, begun: string): Guarded => {
    if (!mayHave(begun + section.text)) return { section, lines: none };
    const left: LeftOutLine[] = [];
    const lines = section.text.split('\n').map((line, at) => {
      const text = at === 0 ? begun + line : line;
      const { risk, beginning } = at === 0 && begun !== '' ? judgeJoined(text) : judgeLine(text);
      if (risk === undefined || !leavesOut(risk)) return line;
      left.push({ text, risk });
      return beginning === undefined || (at === 0 && begun !== '') ? placeholder : beginning;
    });
    return left.length > 0
      ? { section: { ...section, text: lines.join('\n') }, lines: left }
      : { section, lines: none };
  };
  const remembered = (section: Section): Guarded => {
    const held = known.get(section) ?? guard(section, '');
    known.set(section, held);
    return held;
  };
  return function* (sections) {
    let looked = 0;
    const edits = new Map<string, Section>();
    const leftOut = new Map<string, readonly LeftOutLine[]>();
    /** A line that a section ends in goes on in the next one. */
    let begun = '';
    for (const [key, section] of entriesOf(sections)) {
      const { section: harmless, lines } = begun === '' ? remembered(section) : guard(section, begun);
      if (harmless !== section) {
        edits.set(key, harmless);
        leftOut.set(key, lines);
      }
      const end = section.text.lastIndexOf('\n') + 1;
      begun = end === 0 ? begun + section.text : section.text.slice(end);
      if (++looked % pauseEvery === 0) yield;
    }
    return { edits, leftOut };
  };
}

/** A path that is replaced elsewhere is found within one section only. */
function judgeJoined(line: string): JudgedLine {
  const judged = judgeLine(line);
  return judged.risk === undefined && line.includes('default-path') ? { risk: 'file' } : judged;
}

const none: readonly LeftOutLine[] = [];
