import type { WholeTemplate } from '../templates/create-template-environment.ts';
import type { Piece } from '../templates/fragment.ts';
import { templateInvalid } from '../templates/template-error.ts';

/**
 * In a template of Kubernetes objects every fragment prints whole YAML documents: each is an object's own, and comes and goes with
 * it. Throws `HAPTIC_ERR_TEMPLATE_INVALID` at the first forEach with a part of a document around it.
 */
export function requireWholeDocuments({ pieces, slots }: WholeTemplate): void {
  pieces.forEach((piece, at) => {
    if (piece.kind !== 'slot') return;
    const isApart =
      matches(pieces[at - 1], /(?:^|\n)---[ \t]*\n?\s*$/) && matches(pieces[at + 1], /^\s*---(?:\s|$)/);
    if (isApart) return;
    const [, template = '', line, column] = /^(.*):(\d+):(\d+)$/.exec(slots[piece.slot]?.place ?? '') ?? [];
    const message =
      'a forEach stands between YAML documents, not in one: put --- on a line before and after it, and collect what one object is made of';
    throw templateInvalid([{ template, line: Number(line ?? 1), column: Number(column ?? 1), message }]);
  });
}

/** Blank text parts nothing; neither do fragments, which begin and end documents themselves. */
function matches(piece: Piece | undefined, edge: RegExp): boolean {
  if (piece?.kind !== 'text') return true;
  return piece.text.trim() === '' || edge.test(piece.text);
}
