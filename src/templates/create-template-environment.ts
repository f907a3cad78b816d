import { posix } from 'node:path';
import { CodedError } from '../lib/coded-error.ts';
import { errorMessage } from '../lib/error-message.ts';
import { checkTemplates } from './check/check-templates.ts';
import { bareWord } from './context/bare-word.ts';
import { expressionAt } from './expression-at.ts';
import type { Fragment, Piece } from './fragment.ts';
import {
  createHandlebarsEngine,
  type HelperOptions,
  type RawHelper,
  type SourceRange,
  type TemplateBody,
} from './handlebars-engine.ts';
import type { HelperSpec, HelperTable } from './helper-spec.ts';
import { allHelpers } from './helpers/all-helpers.ts';
import { isRecord } from '../lib/is-record.ts';
import { renderError, renderFaultOf } from './render-fault.ts';
import { piecesOf, type Run, type Slot, type TrackedReads } from './run.ts';
import { templateInvalid, type TemplatePlace } from './template-error.ts';
import type { LookupUse, TemplateSource, Vocabulary } from './vocabulary.ts';
import { matchesSnippet } from './snippet-pattern.ts';

export interface EnvironmentInput {
  readonly templates: readonly TemplateSource[];
  readonly snippets: Readonly<Record<string, string>>;
  readonly vocabulary: Omit<Vocabulary, 'constants'>;
  /** Plain data, the same for the whole life of the environment. */
  readonly constants: Readonly<Record<string, unknown>>;
  /** Folder of certificates and crt-lists in the bundle; default `ssl`. */
  readonly certificatesFolder?: string;
}

/** A whole template, run once: its pieces in order, with a slot where the fragments of a forEach go. */
export interface WholeTemplate extends Fragment {
  readonly slots: readonly Slot[];
}

export interface TemplateEnvironment {
  /** Throws a `HAPTIC_ERR_TEMPLATE_RENDER` if the text outside of forEach bodies fails. */
  renderWhole(template: string): WholeTemplate;
  /** The body of a slot for one item: a pure function of the item and of what `reads` gives. Throws `HAPTIC_ERR_TEMPLATE_RENDER`. */
  renderItem(slot: Slot, item: unknown, key: string, reads: TrackedReads): Fragment;
  /** Tracked lookups that the body of a slot can make. */
  lookupsOf(slot: Slot): readonly LookupUse[];
  /** Maps that mapEntry calls name literally, with the first such call. */
  readonly mapPaths: ReadonlyMap<string, TemplatePlace>;
  /** The same for crt-lists and crtListEntry. */
  readonly crtListPaths: ReadonlyMap<string, TemplatePlace>;
}

const maxDepth = 32;
const maxHelperCalls = 250_000;

/**
 * Compiles and checks all templates of one configuration. What is wrong with them is thrown as one
 * `HAPTIC_ERR_TEMPLATE_INVALID` with every error's template, line and column. Runs are bounded by the depth of snippets, the
 * turns of loops and the number of helper calls.
 */
export function createTemplateEnvironment(input: EnvironmentInput): TemplateEnvironment {
  const { constants, snippets, certificatesFolder = 'ssl' } = input;
  const sources = new Map(input.templates.map(({ name, source }) => [name, normalised(source)]));
  const snippetSources = new Map(
    Object.entries(snippets).map(([name, source]) => [name, normalised(source)]),
  );
  const vocabulary: Vocabulary = { ...input.vocabulary, constants: Object.keys(constants) };
  const helpers: HelperTable = { ...allHelpers, ...structureHelpers() };
  const checked = checkTemplates({
    templates: input.templates.map((template) => ({ ...template, source: normalised(template.source) })),
    snippets: Object.fromEntries(snippetSources),
    helpers,
    vocabulary,
  });
  if (checked.errors.length > 0) throw templateInvalid(checked.errors);

  const wholeContext = { ...collectionNames(input.vocabulary), ...constants };
  const bodies = new Map<string, TemplateBody>();
  const matches = new Map<string, readonly string[]>();
  const snippetNames = [...snippetSources.keys()].sort();
  let current: Run | undefined;

  const engine = createHandlebarsEngine({
    helpers: Object.fromEntries(Object.entries(helpers).map(([name, spec]) => [name, rawHelper(spec)])),
    printing: new Set(
      Object.entries(helpers).flatMap(([name, spec]) => (spec.output === 'text' ? [name] : [])),
    ),
    printWord: (value, loc) => {
      if (typeof value === 'number' && Number.isFinite(value)) return String(value);
      return located(running(), loc, () => bareWord(value));
    },
    printRaw: (value, loc) => located(running(), loc, () => rawText(value)),
    partial: (name, context) => runSnippet(name, context),
  });
  for (const name of snippetSources.keys()) engine.declarePartial(name);

  function running(): Run {
    if (current === undefined) throw new Error('a helper ran outside of a template');
    return current;
  }

  function rawHelper(spec: HelperSpec): RawHelper {
    return function (this: unknown, ...args: unknown[]): unknown {
      const options = args.pop() as HelperOptions;
      const run = running();
      return located(run, options.loc, () => {
        run.helperCalls++;
        if (run.helperCalls > maxHelperCalls)
          throw new RangeError(`more than ${maxHelperCalls} helper calls`);
        return spec.call(args, { context: this, options, run, place: () => placeOf(run, options.loc) });
      });
    };
  }

  function located<T>(run: Run, loc: SourceRange, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (renderFaultOf(error) !== undefined) throw error;
      const place = placeOf(run, loc);
      if (error instanceof CodedError && error.code === 'HAPTIC_ERR_TEMPLATE_FAIL') {
        const { field, reason } = error.cause as { field: string; reason: string };
        throw renderError({ place, message: error.message, field, reason });
      }
      const template = run.templates.at(-1) ?? '';
      const expression = expressionAt(sources.get(template) ?? snippetSources.get(template) ?? '', loc);
      const message = `${expression}: ${errorMessage(error)}`;
      const field = fieldOf(expression, run.itemName);
      throw renderError({ place, message, field, reason: 'TemplateFailed' });
    }
  }

  function runSnippet(name: string, args: Readonly<Record<string, unknown>>): string {
    const run = running();
    if (run.templates.length > maxDepth)
      throw new RangeError(`snippets call each other more than ${maxDepth} deep`);
    run.helperCalls++;
    if (run.helperCalls > maxHelperCalls) throw new RangeError(`more than ${maxHelperCalls} helper calls`);
    run.templates.push(name);
    const output = bodyOf(name)({ ...(run.mode === 'whole' ? wholeContext : constants), ...args });
    run.templates.pop();
    return output;
  }

  function bodyOf(name: string): TemplateBody {
    let body = bodies.get(name);
    if (body === undefined) {
      body = engine.compile(snippetSources.get(name) ?? '');
      bodies.set(name, body);
    }
    return body;
  }

  function structureHelpers(): HelperTable {
    return {
      snippets: {
        summary:
          '`{{snippets "frontend-filters-*" x=y}}`: the snippets of an extension point, in order of name.',
        output: 'text',
        args: [1, 1],
        hash: 'any',
        call: ([pattern], scope) =>
          matchesOf(String(pattern))
            .map((name) => runSnippet(name, scope.options.hash))
            .join(''),
      },
      forEach: {
        summary:
          '`{{#forEach hosts as |host key|}}…{{/forEach}}`: one fragment for each entry of a collection, in order of key.',
        output: 'block',
        args: [1, 1],
        only: 'whole',
        call: ([collection], scope) => {
          const { run, options } = scope;
          if (options.fn === undefined) return '';
          const template = run.templates.at(-1) ?? '';
          const place = scope.place();
          run.slots.push({
            collection: nameOfCollection(collection),
            body: options.fn,
            itemName: itemNameOf(template, options.loc),
            template,
            place,
          });
          run.captured.push({ kind: 'slot', slot: run.slots.length - 1 });
          return `\u0001${run.captured.length - 1}\u0002`;
        },
      },
    };
  }

  function itemNameOf(template: string, loc: SourceRange): string {
    const block = expressionAt(sources.get(template) ?? snippetSources.get(template) ?? '', loc);
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
    mapPaths: checked.mapPaths,
    crtListPaths: new Map(
      [...checked.crtListNames].map(([name, place]) => [posix.join(certificatesFolder, name), place]),
    ),
    lookupsOf: (slot) => uniqueLookups(checked.lookups.get(slot.place) ?? []),
    renderWhole: (template) => {
      const run = newRun('whole', template, '', undefined, { constants, certificatesFolder });
      const body = engine.compile(sources.get(template) ?? '');
      const output = running1(run, () => body(wholeContext));
      const place = `${template}:1:1`;
      return {
        pieces: piecesOf(run, output, place).flatMap((piece) => withoutMarkers(run, piece)),
        entries: run.entries,
        files: run.files,
        ...listedIn(run),
        slots: run.slots,
      };
    },
    renderItem: (slot, item, key, reads) => {
      const run = newRun('fragment', slot.template, slot.itemName, reads, {
        constants,
        certificatesFolder,
      });
      const options = { data: { root: constants }, blockParams: [item, key] };
      const output = running1(run, () => slot.body(constants, options));
      return {
        pieces: piecesOf(run, output, slot.place),
        entries: run.entries,
        files: run.files,
        ...listedIn(run),
      };
    },
  };
}

function newRun(
  mode: Run['mode'],
  template: string,
  itemName: string,
  reads: TrackedReads | undefined,
  { constants, certificatesFolder }: Pick<Run, 'constants' | 'certificatesFolder'>,
): Run {
  return {
    mode,
    reads,
    constants,
    certificatesFolder,
    itemName,
    slots: [],
    templates: [template],
    captured: [],
    entries: [],
    files: [],
    listed: [],
    inside: undefined,
    backend: undefined,
    helperCalls: 0,
    loopTurns: 0,
  };
}

/** Most fragments list none, and fragments are many. */
function listedIn({ listed }: Run): Pick<Fragment, 'listed'> {
  return listed.length === 0 ? {} : { listed };
}

/** A section around a forEach is cut into the text before, the slot, and the text after, all of the section's name. */
function withoutMarkers(run: Run, piece: Piece): readonly Piece[] {
  if (piece.kind !== 'section') return [piece];
  return piecesOf(run, piece.text, piece.place).map((part) =>
    part.kind === 'text' ? { ...piece, text: part.text } : part,
  );
}

/** A range belongs to one compiled source, so its words are made once, however many fragments carry them. */
const places = new WeakMap<SourceRange, string>();

function placeOf(run: Run, loc: SourceRange): string {
  let place = places.get(loc);
  if (place === undefined) {
    place = `${run.templates.at(-1) ?? ''}:${loc.start.line}:${loc.start.column + 1}`;
    places.set(loc, place);
  }
  return place;
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

function collectionNames(vocabulary: Omit<Vocabulary, 'constants'>): Record<string, unknown> {
  const resources = Object.fromEntries(
    Object.keys(vocabulary.resources).map((name) => [name, { collection: `resources.${name}` }]),
  );
  return {
    ...Object.fromEntries(vocabulary.collections.map((name) => [name, { collection: name }])),
    resources,
  };
}

function nameOfCollection(value: unknown): string {
  return isRecord(value) && typeof value['collection'] === 'string' ? value['collection'] : '';
}

function uniqueLookups(uses: readonly LookupUse[]): LookupUse[] {
  return [...new Map(uses.map((use) => [`${use.helper} ${use.resource} ${use.keys}`, use])).values()];
}
