import { editOrderedMap, entriesOf } from '../lib/ordered-map.ts';
import { createPlan } from '../plan/create-plan.ts';
import type { Plan, PlanFile, Section } from '../protocol/plan.ts';
import { lineRisk, type LineRisk } from './line-risk.ts';
import { configFileOf, configPath, textOf, withText } from './plan-of.ts';

/** A plan that can be given to HAProxy whoever wrote it, and what was taken out of it. */
export interface HarmlessPlan {
  readonly plan: Plan;
  /** Sections of which lines were left out, by key, with the reasons. */
  readonly leftOut: ReadonlyMap<string, ReadonlySet<LineRisk>>;
}

/** Keeps the numbers of the lines that follow. */
const placeholder = '# not judged before it is applied';
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/**
 * Replaces every certificate, and whatever file has a private key in it, by a stand-in, and every line that would run code or read
 * a file outside of the render by a comment. Line numbers stay.
 *
 * @param standIn PEM: a certificate with its chain and key
 */
export function createHarmless(standIn: string): (plan: Plan) => HarmlessPlan {
  const known = new WeakMap<Section, { readonly section: Section; readonly risks: ReadonlySet<LineRisk> }>();
  const judged = (section: Section) => {
    const held = known.get(section) ?? withoutRisks(section);
    known.set(section, held);
    return held;
  };
  return (plan) => {
    const leftOut = new Map<string, ReadonlySet<LineRisk>>();
    const edits = new Map<string, Section>();
    for (const [key, section] of entriesOf(plan.sections)) {
      const { section: harmless, risks } = judged(section);
      if (harmless === section) continue;
      leftOut.set(key, risks);
      edits.set(key, harmless);
    }
    const files = new Map<string, PlanFile>();
    for (const [path, file] of entriesOf(plan.files))
      if (holdsKey(file)) files.set(path, withText(file, standIn));
    if (edits.size === 0 && files.size === 0) return { plan, leftOut };
    const sections = editOrderedMap(plan.sections, edits);
    if (edits.size > 0) files.set(configPath, configFileOf(sections));
    return { plan: createPlan({ ...plan, sections, files: editOrderedMap(plan.files, files) }), leftOut };
  };
}

function holdsKey(file: PlanFile): boolean {
  if (file.kind === 'cert') return true;
  return file.kind === 'general' && privateKey.test(textOf(file));
}

function withoutRisks(section: Section) {
  const risks = new Set<LineRisk>();
  const lines = section.text.split('\n').map((line) => {
    const risk = lineRisk(line);
    if (risk !== undefined) risks.add(risk);
    return risk === undefined ? line : placeholder;
  });
  if (risks.size === 0) return { section, risks };
  return { section: { ...section, text: lines.join('\n') }, risks };
}
