import type { HttpContent, HttpWant } from '../protocol/http-content.ts';
import type { Keyword, Server } from '../protocol/plan.ts';
import type { LinearRegex } from '../lib/linear-regex.ts';
import type {
  CollectedEffect,
  CrtListEffect,
  EventEffect,
  FileEffect,
  MapEntryEffect,
  Piece,
  StatusPatchEffect,
} from './fragment.ts';
import type { BlockBody } from './handlebars-engine.ts';
import { runLimits } from './run-limits.ts';
import type { DocumentKind } from './vocabulary.ts';

/** Tracked lookups of one run; what they return is a dependency of the fragment. */
export interface TrackedReads {
  /** The only object under the index keys; undefined when there is none, a RangeError when there are several. */
  single(resource: string, keys: readonly string[]): unknown;
  list(resource: string, keys: readonly string[]): readonly unknown[];
  /** By namespace and name, or by name alone for kinds without namespace. */
  fetch(resource: string, keys: readonly string[]): unknown;
  /** What is accepted of a URL; reading it is what makes it be fetched. Absent where there is no such content. */
  readonly http?: (want: HttpWant) => HttpContent;
  /** What this render is for: `renderMode`, `admissionSubject`. */
  context(name: string): unknown;
  warn(warning: { readonly message: string; readonly field: string; readonly reason: string }): void;
}

/** A `forEach` of a whole template, met while it ran. */
export interface Slot {
  /** `hosts`, `resources.widgets`. */
  readonly collection: string;
  readonly body: BlockBody;
  readonly itemName: string;
  readonly template: string;
  /** As in the run that met it. */
  readonly document: DocumentKind;
  /** `template:line:column` of the block. */
  readonly place: string;
}

/** The backend block being printed. */
export interface BackendDraft {
  readonly name: string;
  readonly servers: Server[];
  readonly serverNames: Set<string>;
  readonly defaultServer: Keyword[];
}

/** Where files lie in the bundle. `base` is the directory of the configuration file. */
export interface TemplateFolders {
  readonly base: string;
  readonly maps: string;
  readonly general: string;
  /** Of certificates and crt-lists. */
  readonly certificates: string;
}

/** One run of a template: what it has given so far, and how much it may still do. */
export interface Run {
  /** `whole`: a template of the configuration, run once. `fragment`: a forEach body, run for one item. */
  readonly mode: 'whole' | 'fragment';
  readonly reads: TrackedReads | undefined;
  readonly constants: Readonly<Record<string, unknown>>;
  readonly slots: Slot[];
  /** Names of the templates being run, outermost first. */
  readonly templates: string[];
  readonly itemName: string;
  /** Every kind but a file, whose bytes are the author's own, is made of lines. */
  readonly document: DocumentKind;
  /** Pieces that stand as markers in the text until the run is over. */
  readonly captured: Piece[];
  readonly entries: MapEntryEffect[];
  readonly files: FileEffect[];
  readonly listed: CrtListEffect[];
  readonly collected: CollectedEffect[];
  readonly statusPatches: StatusPatchEffect[];
  readonly events: EventEffect[];
  /** What was printed that shipped templates did not write. Undefined: the run itself is of another template. */
  readonly foreign: string[] | undefined;
  readonly folders: TemplateFolders;
  /** Compiled once for all runs. A RangeError says what is wrong with the expression. */
  readonly regexOf: (pattern: string) => LinearRegex;
  /** The effect block being printed, since most cannot be nested. */
  inside: string | undefined;
  backend: BackendDraft | undefined;
  /** A snippet is being printed as a value. */
  inValue: boolean;
  helperCalls: number;
  loopTurns: number;
  /** Characters so far of what is printed and declared apart from the text. */
  kept: number;
  /** See `workMeter`. */
  work: number;
}

const open = '\u0001';
const close = '\u0002';

/** Counts what a run gives, besides `text` of its output so far. A RangeError when it is too much for one run. */
export function requireRoom(run: Run, text: string): void {
  if (run.kept + text.length > runLimits.printed)
    throw new RangeError(`more than ${runLimits.printed / 1024 / 1024} MiB are printed`);
}

/** The same for a text that is kept apart. */
export function keep(run: Run, text: string): void {
  requireRoom(run, text);
  run.kept += text.length;
}

/** Puts a piece at this point of the output. Control characters never come from data, so markers cannot be forged. */
export function capture(run: Run, piece: Piece): string {
  if ('text' in piece) keep(run, piece.text);
  run.captured.push(piece);
  return `${open}${run.captured.length - 1}${close}`;
}

/** True for output in which pieces stand. */
export function hasMarkers(output: string): boolean {
  return output.includes(open);
}

/**
 * Output that ends its last line, where the document is made of lines: what comes next would else go on in it. Nothing stays nothing,
 * and fragments, backends and profiles end their lines themselves.
 */
export function endingItsLine(run: Run, output: string): string {
  const isLines = run.document !== 'file' && run.inside !== 'file' && !run.inValue;
  if (!isLines || output === '' || output.endsWith('\n')) return output;
  if (!output.endsWith(close)) return `${output}\n`;
  const piece = run.captured[Number(output.slice(output.lastIndexOf(open) + 1, -1))];
  const isOpen = piece?.kind === 'section' && !piece.text.endsWith('\n') && !piece.text.endsWith(close);
  return isOpen ? `${output}\n` : output;
}

/** The output of a run with its markers replaced by their pieces. Text between them gets `place`. */
export function piecesOf(run: Run, output: string, place: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (;;) {
    const start = output.indexOf(open, from);
    const text = output.slice(from, start < 0 ? undefined : start);
    if (text !== '') pieces.push({ kind: 'text', text, place });
    if (start < 0) return pieces;
    const end = output.indexOf(close, start);
    const piece = run.captured[Number(output.slice(start + 1, end))];
    if (piece !== undefined) pieces.push(piece);
    from = end + 1;
  }
}
