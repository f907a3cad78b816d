import { flat } from '../lib/flat.ts';
import type { Piece } from './fragment.ts';
import type { Run } from './run.ts';

/** Remembers a text of the configuration that no shipped template wrote, whatever stands in for pieces in it. */
export function noteForeign(run: Run, text: string): void {
  if (run.document === 'config' && run.inside !== 'file') run.foreign?.push(text);
}

/** The same of pieces that a template captured: what they have of text. */
export function noteForeignPieces(run: Run, pieces: readonly Piece[]): void {
  for (const piece of pieces) {
    if (piece.kind === 'backend') noteForeign(run, piece.backend.text);
    else if (piece.kind === 'profile') noteForeign(run, piece.profile.text);
    else if (piece.kind !== 'slot') noteForeign(run, piece.text);
  }
}

/** As `Section.foreign` has them. The list of most fragments is empty, and one and the same. */
export function foreignLines(texts: readonly string[]): readonly string[] {
  if (texts.length === 0) return none;
  const lines = texts.flatMap((text) =>
    text
      .replace(marker, '\n')
      .split('\n')
      .map((line) => line.trim()),
  );
  return [...new Set(lines)].filter((line) => line !== '').map(flat);
}

const none: readonly string[] = [];
// eslint-disable-next-line no-control-regex -- these characters are what pieces are marked with, see `capture`
const marker = /\u0001\d+\u0002/g;
