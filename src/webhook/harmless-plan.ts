import path from 'node:path';
import { createGuard, type LeftOut } from '../gate/guard/create-guard.ts';
import { guardCrtList } from '../gate/guard/guard-crt-list.ts';
import { doubtOf } from '../gate/guard/doubt-of.ts';
import { readConfigLine } from '../gate/guard/read-config-line.ts';
import type { Finding } from '../gate/verdict.ts';
import { editOrderedMap, entriesOf, getEntry } from '../lib/ordered-map.ts';
import type { Slices } from '../lib/slices.ts';
import { createPlan } from '../plan/create-plan.ts';
import type { Plan, PlanFile, Section } from '../protocol/plan.ts';
import { configFileOf, configPath, textOf, withText } from './plan-of.ts';

/** A plan that can be given to HAProxy whoever wrote it, and what was taken out of it. */
export interface HarmlessPlan {
  readonly plan: Plan;
  /** Sections of which lines were left out, by key; a line that names a list stands for those of the list. */
  readonly leftOut: LeftOut;
  /** Whether a refusal may only be due to what was taken out. */
  readonly isDoubtful: (finding: Pick<Finding, 'message'>) => boolean;
}

/** Sections or files between two pauses. */
const pauseEvery = 64;
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/**
 * Replaces every certificate, and whatever file has a private key in it, by a stand-in, and every line that is not known to be harmless
 * by a comment: it may run code, write a file, or read one outside of the render. Line numbers stay.
 *
 * @param standIn PEM: a certificate with its chain and key
 */
export function createHarmless(standIn: string): (plan: Plan) => Slices<HarmlessPlan> {
  const guard = createGuard({ leavesOut: () => true });
  const listsOf = rememberedLists();
  return function* (plan) {
    const { edits, leftOut: ofLines } = yield* guard(plan.sections);
    const leftOut = new Map(ofLines);
    let isListOther = false;
    const isDoubtful: HarmlessPlan['isDoubtful'] = (finding) =>
      isListOther || doubtOf(plan.sections, edits)(finding);
    const files = new Map<string, PlanFile>();
    let looked = 0;
    for (const [path, file] of entriesOf(plan.files)) {
      if (holdsKey(file)) files.set(path, withText(file, standIn));
      if (++looked % pauseEvery === 0) yield;
    }
    for (const [key, section] of entriesOf(plan.sections)) {
      if (++looked % pauseEvery === 0) yield;
      for (const { list, line } of listsOf(section)) {
        const file = files.get(list) ?? getEntry(plan.files, list);
        const text = file === undefined ? '' : textOf(file);
        const harmless = guardCrtList(text);
        if (file === undefined || harmless === text) continue;
        isListOther = true;
        files.set(list, withText(file, harmless));
        leftOut.set(key, [...(leftOut.get(key) ?? []), { text: line, risk: 'file' }]);
      }
    }
    if (edits.size === 0 && files.size === 0) return { plan, leftOut, isDoubtful };
    yield;
    const sections = editOrderedMap(plan.sections, edits);
    if (edits.size > 0) files.set(configPath, configFileOf(sections));
    return {
      plan: createPlan({ ...plan, sections, files: editOrderedMap(plan.files, files) }, plan),
      leftOut,
      isDoubtful,
    };
  };
}

function holdsKey(file: PlanFile): boolean {
  if (file.kind === 'cert') return true;
  return file.kind === 'general' && privateKey.test(textOf(file));
}

interface NamedList {
  /** Its path. */
  readonly list: string;
  /** That names it. */
  readonly line: string;
}

/** The lists of certificates that a section has HAProxy read: what stands in them names files again. */
function rememberedLists(): (section: Section) => readonly NamedList[] {
  const known = new WeakMap<Section, readonly NamedList[]>();
  return (section) => {
    const held = known.get(section) ?? listsIn(section.text);
    known.set(section, held);
    return held;
  };
}

function listsIn(text: string): readonly NamedList[] {
  // Quotes and escapes may stand within the word.
  if (!/crt|\\x|["'].*["']/.test(text)) return [];
  const lists: NamedList[] = [];
  for (const line of text.split('\n')) {
    const { words } = readConfigLine(line);
    words.forEach((word, at) => {
      if (word === 'crt-list') lists.push({ list: path.posix.normalize(words[at + 1] ?? ''), line });
    });
  }
  return lists;
}
