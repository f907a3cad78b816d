import { posix } from 'node:path';
import { LRUCache } from 'lru-cache';
import { CodedError } from '../lib/coded-error.ts';
import { errorMessage } from '../lib/error-message.ts';
import type { Slices } from '../lib/slices.ts';
import { checkTemplates } from './check/check-templates.ts';
import { bareWord } from './context/bare-word.ts';
import { yamlWord } from './context/yaml-word.ts';
import type { EnvironmentInput, TemplateEnvironment } from './create-template-environment.ts';
import { expressionAt } from './expression-at.ts';
import { foreignLines, noteForeign, noteForeignPieces } from './foreign-text.ts';
import type { Fragment, Piece } from './fragment.ts';
import { createPlaces } from './create-places.ts';
import {
  createHandlebarsEngine,
  type HelperOptions,
  type RawHelper,
  type SourceRange,
  type TemplateBody,
} from './handlebars-engine.ts';
import type { HelperSpec, HelperTable } from './helper-spec.ts';
import { allHelpers } from './helpers/all-helpers.ts';
import { linearRegex, type LinearRegex } from '../lib/linear-regex.ts';
import { renderError, renderFaultOf } from './render-fault.ts';
import { runLimits } from './run-limits.ts';
import { workMeter, type WorkMeter } from './work-meter.ts';
import { piecesOf, requireRoom, type Run, type TemplateFolders, type TrackedReads } from './run.ts';
import { structureHelpers } from './structure-helpers.ts';
import { templateInvalid } from './template-error.ts';
import type { Vocabulary } from './vocabulary.ts';
import { matchesSnippet } from './snippet-pattern.ts';

const defaultFolders: TemplateFolders = {
  base: '/etc/haproxy',
  maps: 'maps',
  general: 'general',
  certificates: 'ssl',
};

/** Compiled expressions that are kept, in characters with their repeated parts written out. */
const maxRegexSize = 200_000;

/**
 * Compiles and checks all templates of one configuration. What is wrong with them is thrown as one
 * `HAPTIC_ERR_TEMPLATE_INVALID` with every error's template, line and column. Runs are bounded by the depth of snippets, the
 * turns of loops and the number of helper calls.
 */
export function* environmentInSlices(input: EnvironmentInput): Slices<TemplateEnvironment> {
  const { snippets, folders = defaultFolders, profile, isShipped = () => false } = input;
  const constants = { ...input.constants, templateSnippets: Object.keys(snippets).sort() };
  const sources = new Map(input.templates.map(({ name, source }) => [name, normalised(source)]));
  const snippetSources = new Map(
    Object.entries(snippets).map(([name, source]) => [name, normalised(source)]),
  );
  const helpers: HelperTable = {
    ...allHelpers,
    ...structureHelpers({ runSnippet, matching: matchesOf, itemNameOf }),
  };
  const checked = yield* checkTemplates({
    templates: input.templates.map((template) => ({ ...template, source: normalised(template.source) })),
    snippets: Object.fromEntries(snippetSources),
    helpers,
    vocabulary: input.vocabulary,
    constants,
  });
  if (checked.errors.length > 0) throw templateInvalid(checked.errors);

  const wholeContext = { ...collectionNames(input.vocabulary, checked.collected), ...constants };
  const bodies = new Map<string, TemplateBody>();
  const wholes = new Map<string, TemplateBody>();
  const cut = new Map<string, readonly string[]>();
  const matches = new Map<string, readonly string[]>();
  const snippetNames = [...snippetSources.keys()].sort();
  let current: Run | undefined;
  const regexes = new LRUCache<string, LinearRegex>({
    maxSize: maxRegexSize,
    sizeCalculation: ({ size }) => size + 1,
  });
  const shared = { constants, folders, regexOf };
  const placeOf = createPlaces();
  const documents = new Map(input.templates.map(({ name, document }) => [name, document]));

  const engine = createHandlebarsEngine({
    helpers: Object.fromEntries(Object.entries(helpers).map(([name, spec]) => [name, rawHelper(name, spec)])),
    printing: new Set(
      Object.entries(helpers).flatMap(([name, spec]) => (spec.output === 'text' ? [name] : [])),
    ),
    printWord: (value, loc) => {
      if (typeof value === 'number' && Number.isFinite(value)) return String(value);
      const run = running();
      return located(run, loc, () => (isYaml(run) ? yamlWord(value) : bareWord(value)));
    },
    printRaw: (value, loc) => {
      const run = running();
      const text = located(run, loc, () => rawText(value));
      noteForeign(run, text);
      return text;
    },
    partial: (name, context, loc) => located(running(), loc, () => runSnippet(name, context)),
  });
  for (const name of snippetSources.keys()) engine.declarePartial(name);

  function running(): Run {
    if (current === undefined) throw new Error('a helper ran outside of a template');
    return current;
  }

  function rawHelper(name: string, given: HelperSpec): RawHelper {
    const spec: HelperSpec =
      profile === undefined
        ? given
        : { ...given, call: (...call) => profile.measure('helper', name, () => given.call(...call)) };
    const meter = workMeter(name);
    return function (this: unknown, ...args: unknown[]): unknown {
      const options = args.pop() as HelperOptions;
      const run = running();
      return located(run, options.loc, () => {
        countCall(run);
        const scope = {
          context: this,
          options,
          run,
          place: () => placeOf(run.templates.at(-1) ?? '', options.loc),
        };
        return withinLimits(run, spec, meter, args, spec.call(args, scope));
      });
    };
  }

  function located<T>(run: Run, loc: SourceRange, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (renderFaultOf(error) !== undefined) throw error;
      const place = placeOf(run.templates.at(-1) ?? '', loc);
      if (error instanceof CodedError && error.code === 'HAPTIC_ERR_TEMPLATE_FAIL') {
        const { field, reason } = error.cause as { field: string; reason: string };
        throw renderError({ place, message: shortened(error.message), field, reason });
      }
      const template = run.templates.at(-1) ?? '';
      const expression = expressionAt(linesOf(template), loc);
      const message = `${expression}: ${shortened(errorMessage(error))}`;
      const field = fieldOf(expression, run.itemName);
      throw renderError({ place, message, field, reason: 'TemplateFailed' });
    }
  }

  function runSnippet(name: string, args: Readonly<Record<string, unknown>>): string {
    const run = running();
    if (run.templates.length > runLimits.depth)
      throw new RangeError(`snippets call each other more than ${runLimits.depth} deep`);
    countCall(run);
    run.templates.push(name);
    const captured = run.captured.length;
    const body = bodyOf(name);
    const context = { ...(run.mode === 'whole' ? wholeContext : constants), ...args };
    const output =
      profile === undefined ? body(context) : profile.measure('snippet', name, () => body(context));
    run.templates.pop();
    requireRoom(run, output);
    if (run.foreign !== undefined && !isShipped(name)) {
      noteForeign(run, output);
      noteForeignPieces(run, run.captured.slice(captured));
    }
    return output;
  }

  function regexOf(pattern: string): LinearRegex {
    const known = regexes.get(pattern);
    if (known !== undefined) return known;
    const made = linearRegex(pattern);
    regexes.set(pattern, made);
    return made;
  }

  function bodyOf(name: string): TemplateBody {
    let body = bodies.get(name);
    if (body === undefined) {
      body = engine.compile(snippetSources.get(name) ?? '');
      bodies.set(name, body);
    }
    return body;
  }

  function wholeBodyOf(template: string): TemplateBody {
    const body = wholes.get(template) ?? engine.compile(sources.get(template) ?? '');
    wholes.set(template, body);
    return body;
  }

  function* prepare(): Slices<void> {
    for (const name of sources.keys()) {
      wholeBodyOf(name).prepare();
      yield;
    }
    for (const name of checked.called) {
      bodyOf(name).prepare();
      yield;
    }
  }

  /** Cut once: messages are many where many items are refused. */
  function linesOf(template: string): readonly string[] {
    const lines =
      cut.get(template) ?? (sources.get(template) ?? snippetSources.get(template) ?? '').split('\n');
    cut.set(template, lines);
    return lines;
  }

  function itemNameOf(template: string, loc: SourceRange): string {
    const block = expressionAt(linesOf(template), loc);
    return /\bas\s+\|\s*(\S+?)[\s|]/.exec(block)?.[1] ?? '';
  }

  function matchesOf(pattern: string): readonly string[] {
    let names = matches.get(pattern);
    if (names === undefined) {
      names = snippetNames.filter((name) => matchesSnippet(pattern, name));
      matches.set(pattern, names);
    }
    return names;
  }

  function running1<T>(run: Run, work: () => T): T {
    const outer = current;
    current = run;
    try {
      return work();
    } finally {
      current = outer;
    }
  }

  return {
    prepare,
    mapPaths: checked.mapPaths,
    crtListPaths: new Map(
      [...checked.crtListNames].map(([name, place]) => [posix.join(folders.certificates, name), place]),
    ),
    warnings: checked.warnings,
    lookupsOf: (slot) => checked.lookups.get(slot.place) ?? [],
    renderWhole: (template) => {
      const run = newRun('whole', template, '', undefined, {
        ...shared,
        document: documents.get(template) ?? 'config',
        foreign: isShipped(template) ? [] : undefined,
      });
      const body = wholeBodyOf(template);
      const print = () =>
        atLeastPlaced(`${template}:1:1`, () => running1(run, () => roomFor(run, body(wholeContext))));
      const output = profile === undefined ? print() : profile.measure('template', template, print);
      const place = `${template}:1:1`;
      return {
        ...effectsOf(run),
        pieces: piecesOf(run, output, place).flatMap((piece) => withoutMarkers(run, piece)),
        slots: run.slots,
      };
    },
    renderItem: (slot, item, key, reads) => {
      const run = newRun('fragment', slot.template, slot.itemName, reads, {
        ...shared,
        document: slot.document,
        foreign: isShipped(slot.template) ? [] : undefined,
      });
      const options = { data: { root: constants }, blockParams: [item, key] };
      const print = () =>
        atLeastPlaced(slot.place, () => running1(run, () => roomFor(run, slot.body(constants, options))));
      const output = profile === undefined ? print() : profile.measure('fragment', slot.place, print);
      return { ...effectsOf(run), pieces: piecesOf(run, output, slot.place) };
    },
  };
}

/** A file block within is none: its bytes are no YAML. */
function isYaml({ document, inside }: Run): boolean {
  return document === 'resource' && inside !== 'file';
}

/** What a helper gave, if neither it nor all helpers of the run together gave or took too much. */
function withinLimits(
  run: Run,
  { output }: HelperSpec,
  meter: WorkMeter | undefined,
  args: readonly unknown[],
  result: unknown,
): unknown {
  if (meter !== undefined) run.work += meter(args, result);
  if (run.work > runLimits.work) throw new RangeError('the helpers of one run have more to do than they may');
  if (typeof result !== 'string') return result;
  if (output !== 'value') requireRoom(run, result);
  else if (result.length > runLimits.text)
    throw new RangeError(`more than ${runLimits.text / 1024 / 1024} MiB of text`);
  return result;
}

/** Longest words of a fault: it gets into statuses and events. */
const maxMessage = 1024;

function shortened(message: string): string {
  return message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message;
}

function countCall(run: Run): void {
  run.helperCalls++;
  if (run.helperCalls > runLimits.helperCalls)
    throw new RangeError(`more than ${runLimits.helperCalls} helper calls`);
}

function roomFor(run: Run, output: string): string {
  requireRoom(run, output);
  return output;
}

/** What fails outside of all helpers (too much text for one string, too many arguments) is a fault of the template, too. */
function atLeastPlaced<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (renderFaultOf(error) !== undefined || !(error instanceof RangeError)) throw error;
    throw renderError({ place, message: error.message, field: '', reason: 'TemplateFailed' });
  }
}

function newRun(
  mode: Run['mode'],
  template: string,
  itemName: string,
  reads: TrackedReads | undefined,
  shared: Pick<Run, 'constants' | 'folders' | 'regexOf' | 'document' | 'foreign'>,
): Run {
  return {
    ...shared,
    mode,
    reads,
    itemName,
    slots: [],
    templates: [template],
    captured: [],
    entries: [],
    files: [],
    listed: [],
    collected: [],
    statusPatches: [],
    events: [],
    inside: undefined,
    backend: undefined,
    inValue: false,
    helperCalls: 0,
    loopTurns: 0,
    kept: 0,
    work: 0,
  };
}

/** Most fragments have few kinds of effects, and fragments are many. */
function effectsOf({
  entries,
  files,
  listed,
  collected,
  statusPatches,
  events,
  foreign,
}: Run): Omit<Fragment, 'pieces'> {
  return {
    entries,
    files,
    ...(listed.length === 0 ? {} : { listed }),
    ...(collected.length === 0 ? {} : { collected }),
    ...(statusPatches.length === 0 ? {} : { statusPatches }),
    ...(events.length === 0 ? {} : { events }),
    ...(foreign === undefined ? {} : { foreign: foreignLines(foreign) }),
  };
}

/** A section around a forEach is cut into the text before, the slot, and the text after, all of the section's name. */
function withoutMarkers(run: Run, piece: Piece): readonly Piece[] {
  if (piece.kind !== 'section') return [piece];
  return piecesOf(run, piece.text, piece.place).map((part) =>
    part.kind === 'text' ? { ...piece, text: part.text } : part,
  );
}

/** `{{{x}}}`: text as it is, line breaks included, but no other control character. */
function rawText(value: unknown): string {
  if (value === undefined || value === null) throw new RangeError('there is no value here');
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    throw new RangeError('an object cannot be printed');
  const text = String(value);
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text))
    throw new RangeError('the value has control characters');
  return text;
}

function fieldOf(expression: string, itemName: string): string {
  if (itemName === '') return '';
  const found = new RegExp(`(?:^|[\\s({=])${itemName.replace(/[^\w]/g, '\\$&')}\\.([^\\s(){}|]+)`).exec(
    expression,
  );
  return found?.[1] ?? '';
}

function normalised(source: string): string {
  return source.replaceAll('\r\n', '\n');
}

/** What collections are in the text around fragments: names, for forEach to take. */
function collectionNames(
  vocabulary: Omit<Vocabulary, 'constants'>,
  collected: readonly string[],
): Record<string, unknown> {
  const names: Record<string, unknown> = {
    resources: marked('resources.', Object.keys(vocabulary.resources)),
    collected: marked('collected.', collected),
  };
  for (const name of vocabulary.collections) {
    const [head = '', ...rest] = name.split('.');
    if (rest.length === 0) names[head] = { collection: name };
    else names[head] = { ...(names[head] as object | undefined), [rest.join('.')]: { collection: name } };
  }
  return names;
}

function marked(prefix: string, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, { collection: prefix + name }]));
}
