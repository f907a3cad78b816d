import { digest } from '../lib/digest.ts';
import { editOrderedMap, entriesOf, getEntry, valuesOf } from '../lib/ordered-map.ts';
import { formatOwner, type Owner } from '../lib/owner.ts';
import type { KeptFile, KeptOutput, KeptOutputs } from '../protocol/kept-outputs.ts';
import type { CrtListPart, EntryPart, FilePart, Output, Part } from '../protocol/output.ts';
import type { Outputs } from '../protocol/provenance.ts';
import { sameOwner } from './map-state.ts';

/**
 * Outputs that another process kept, as a version of the `present` ones: where both are equal, the present output stands. Of an
 * object that is not there any more nothing comes back. An object with a file whose bytes are not in the present outputs either
 * has none of its outputs: it cannot be what it was. Objects, status patches and events are not kept: they stay as present, so that
 * what an object declares does not vanish because it is held. O(all outputs).
 *
 * @param isPlace whether outputs can stand there; what was kept is not trusted
 */
export function restoreOutputs(
  { outputs }: KeptOutputs,
  present: Outputs,
  isPlace: (place: string) => boolean,
): Outputs {
  const there = new Set<string>();
  for (const { owner } of valuesOf(present)) if (owner !== undefined) there.add(formatOwner(owner));
  const textOf = presentTexts(present);
  const restored = new Map<string, Output>();
  const lost = new Set<string>();
  for (const [place, kept] of entriesOf(outputs)) {
    if (kept.owner === undefined || !isPlace(place)) continue;
    const key = formatOwner(kept.owner);
    if (!there.has(key)) continue;
    const now = getEntry(present, place);
    const output = now !== undefined && isEqual(kept, now) ? now : filled(kept, textOf);
    if (output === undefined) lost.add(key);
    else restored.set(place, output === now ? output : { ...output, ...declaredBy(now) });
  }
  const isLost = (owner: Owner | undefined) => owner !== undefined && lost.has(formatOwner(owner));
  const edits = new Map<string, Output | undefined>();
  for (const [place] of entriesOf(present)) if (!restored.has(place)) edits.set(place, undefined);
  for (const [place, output] of restored)
    if (isLost(output.owner)) edits.set(place, undefined);
    else if (getEntry(present, place) !== output) edits.set(place, output);
  return editOrderedMap(present, edits);
}

/** Field by field, since all outputs are compared at once. What a backend or a profile is follows from its text. */
function isEqual(kept: KeptOutput, now: Output): boolean {
  return (
    sameOwner(kept.owner, now.owner) &&
    sameList(kept.parts, now.parts, samePart) &&
    sameList(kept.entries, now.entries, sameEntry) &&
    sameList(kept.listed ?? [], now.listed ?? [], sameListed) &&
    sameList(kept.files, now.files, sameFile)
  );
}

function sameList<A, B>(a: readonly A[], b: readonly B[], isSame: (a: A, b: B) => boolean): boolean {
  return (
    a.length === b.length &&
    a.every((one, index) => {
      const other = b[index];
      return other !== undefined && isSame(one, other);
    })
  );
}

function samePart(a: Part, b: Part): boolean {
  return (
    a.section.text === b.section.text &&
    a.section.kind === b.section.kind &&
    a.section.name === b.section.name &&
    a.section.template === b.section.template &&
    a.name === b.name &&
    a.profile?.hasRules === b.profile?.hasRules &&
    a.backend?.profile === b.backend?.profile &&
    a.backend?.bodyDigest === b.backend?.bodyDigest
  );
}

function sameEntry(a: EntryPart, b: EntryPart): boolean {
  return (
    a.path === b.path &&
    a.entry.key === b.entry.key &&
    a.entry.text === b.entry.text &&
    a.entry.value === b.entry.value &&
    a.place === b.place
  );
}

function sameListed(a: CrtListPart, b: CrtListPart): boolean {
  return a.path === b.path && a.entry.text === b.entry.text;
}

function sameFile(a: KeptFile, b: FilePart): boolean {
  return (
    a.path === b.path &&
    a.kind === b.kind &&
    a.reloadOnChange === b.reloadOnChange &&
    a.place === b.place &&
    a.digest === digest(b.text)
  );
}

function declaredBy(now: Output | undefined): Pick<Output, 'resources' | 'statusPatches' | 'events'> {
  const { resources, statusPatches, events } = now ?? {};
  return {
    ...(resources && { resources }),
    ...(statusPatches && { statusPatches }),
    ...(events && { events }),
  };
}

function filled({ files, ...kept }: KeptOutput, textOf: (wanted: string) => string | undefined) {
  const found: FilePart[] = [];
  for (const { digest: wanted, ...file } of files) {
    const text = textOf(wanted);
    if (text === undefined) return undefined;
    found.push({ ...file, text });
  }
  return { ...kept, files: found };
}

/** Texts of files by digest; read once, if anybody asks. */
function presentTexts(present: Outputs): (wanted: string) => string | undefined {
  let texts: Map<string, string> | undefined;
  return (wanted) => {
    if (texts === undefined) {
      texts = new Map();
      for (const { files } of valuesOf(present)) for (const { text } of files) texts.set(digest(text), text);
    }
    return texts.get(wanted);
  };
}
