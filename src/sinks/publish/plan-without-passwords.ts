import { digest as digestOf } from '../../lib/digest.ts';
import { editOrderedMap, entriesOf, type OrderedMap } from '../../lib/ordered-map.ts';
import { ropeBytes, ropeDigestInSlices, ropeSize, type TextPiece } from '../../lib/rope.ts';
import type { Slices } from '../../lib/slices.ts';
import { textWithoutPasswords } from '../../lib/text-without-passwords.ts';
import { planInSlices } from '../../plan/plan-in-slices.ts';
import type { Plan, PlanFile } from '../../protocol/plan.ts';

/** Pieces between two pauses. */
const slice = 64;

/**
 * The plan that a configuration without its passwords has, as `textWithoutPasswords` takes them out: to be shown, and to be compared with others that are
 * shown so. Another id and another digest of haproxy.cfg, from which nobody can try passwords; the plan itself where there are none.
 */
export function* planWithoutPasswords(plan: Plan): Slices<Plan> {
  const sections = yield* hidden(plan.sections);
  const profiles = yield* hidden(plan.profiles);
  const backends = yield* hidden(plan.backends, (backend) => ({
    ...backend,
    bodyDigest: bodyDigestOf(backend.text),
  }));
  if (sections === plan.sections && profiles === plan.profiles && backends === plan.backends) return plan;
  const files: [string, PlanFile][] = [];
  for (const [path, file] of entriesOf(plan.files)) {
    if (file.kind !== 'config') continue;
    const digest = yield* ropeDigestInSlices(sections);
    files.push([path, { ...file, digest, size: ropeSize(sections), content: () => ropeBytes(sections) }]);
  }
  const parts = { ...plan, sections, profiles, backends, files: editOrderedMap(plan.files, files) };
  return yield* planInSlices(parts, plan);
}

function* hidden<V extends TextPiece>(
  pieces: OrderedMap<V>,
  completed = (piece: V): V => piece,
): Slices<OrderedMap<V>> {
  const edits: [string, V][] = [];
  let count = 0;
  for (const [key, piece] of entriesOf(pieces)) {
    const text = textWithoutPasswords(piece.text);
    if (text !== piece.text) edits.push([key, completed({ ...piece, text })]);
    if (++count % slice === 0) yield;
  }
  return editOrderedMap(pieces, edits);
}

/** Servers come and go without a reload: a body is what is left without them. */
function bodyDigestOf(text: string): string {
  const lines = text.split('\n').filter((line) => !/^\s*server\s/.test(line));
  return digestOf(lines.join('\n'));
}
