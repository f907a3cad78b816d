import { entriesOf, type OrderedMap } from '../../lib/ordered-map.ts';
import type { Slices } from '../../lib/slices.ts';
import type { Section } from '../../protocol/plan.ts';
import { judgeLine, type JudgedLine, type LineRisk } from './judge-line.ts';

/** Why lines of sections were left out, by the sections' keys. */
export type LeftOut = ReadonlyMap<string, ReadonlySet<LineRisk>>;

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
  readonly risks: ReadonlySet<LineRisk>;
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
    if (!mayHave(begun + section.text)) return { section, risks: none };
    const risks = new Set<LineRisk>();
    const lines = section.text.split('\n').map((line, at) => {
      const { risk, beginning } = at === 0 && begun !== '' ? judgeJoined(begun + line) : judgeLine(line);
      if (risk === undefined || !leavesOut(risk)) return line;
      risks.add(risk);
      return beginning === undefined || (at === 0 && begun !== '') ? placeholder : beginning;
    });
    return risks.size > 0
      ? { section: { ...section, text: lines.join('\n') }, risks }
      : { section, risks: none };
  };
  const remembered = (section: Section): Guarded => {
    const held = known.get(section) ?? guard(section, '');
    known.set(section, held);
    return held;
  };
  return function* (sections) {
    let looked = 0;
    const edits = new Map<string, Section>();
    const leftOut = new Map<string, ReadonlySet<LineRisk>>();
    /** A line that a section ends in goes on in the next one. */
    let begun = '';
    for (const [key, section] of entriesOf(sections)) {
      const { section: harmless, risks } = begun === '' ? remembered(section) : guard(section, begun);
      if (harmless !== section) {
        edits.set(key, harmless);
        leftOut.set(key, risks);
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

const none: ReadonlySet<LineRisk> = new Set();
