import type { Slices } from '../../lib/slices.ts';
import type { HelperSpec, HelperTable } from '../helper-spec.ts';
import { missesNumber } from '../snippet-pattern.ts';
import type { TemplateError, TemplatePlace } from '../template-error.ts';
import type { LookupUse, TemplateSource, Vocabulary } from '../vocabulary.ts';
import { checkPath, collectionHeads, missingConstant, simpleName } from './check-path.ts';
import { createUseChecks, literalOf, misprinted, type Call } from './check-uses.ts';
import { lintLookups, type LoopLookups } from './lint-lookups.ts';
import { lintSnippets } from './lint-snippets.ts';
import { createErrorList } from './error-list.ts';
import { hintAt } from './hint-at.ts';
import { createLookupSet, lookupsIn, type LookupSet } from './lookup-set.ts';
import { createCallWalk } from './create-call-walk.ts';
import { createProgramReader } from './program-reader.ts';
import { fragmentScope, itemScope, type Scope } from './scope.ts';

export interface CheckInput {
  readonly templates: readonly TemplateSource[];
  readonly snippets: Readonly<Record<string, string>>;
  readonly helpers: HelperTable;
  readonly vocabulary: Omit<Vocabulary, 'constants'>;
  readonly constants: Readonly<Record<string, unknown>>;
}

export interface CheckResult {
  /** In order of template, line and column; each once, the first hundred. */
  readonly errors: readonly TemplateError[];
  /** What works but is hardly meant. */
  readonly warnings: readonly TemplateError[];
  /** By place of the forEach: the tracked lookups its body can make, those of its snippets included. */
  readonly lookups: ReadonlyMap<string, readonly LookupUse[]>;
  /** Paths that mapEntry calls name literally, with the first such call: these maps exist even without entries. */
  readonly mapPaths: ReadonlyMap<string, TemplatePlace>;
  /** The same for names of crt-lists and crtListEntry. */
  readonly crtListNames: ReadonlyMap<string, TemplatePlace>;
  /** Collections that collect fills. */
  readonly collected: readonly string[];
  /** Snippets that may run. */
  readonly called: ReadonlySet<string>;
}

/** Most statements that are looked at: a snippet is looked at once for each kind of place and set of arguments it is called with. */
const maxVisits = 500_000;
const effectBlocks: ReadonlySet<string> = new Set(['section', 'backend', 'profile', 'file', 'once']);
const configOnly: ReadonlySet<string> = new Set(['section', 'backend', 'profile']);
/** Blocks whose body may be left out. */
const guards: ReadonlySet<string> = new Set(['if', 'unless', 'with', 'each']);
// eslint-disable-next-line no-control-regex -- control characters are what this is about
const controlExceptLayout = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Checks all templates of a configuration without running them. Never throws for what a template says. */
export function* checkTemplates(input: CheckInput): Slices<CheckResult> {
  const { templates, snippets, helpers, constants: values } = input;
  const vocabulary: Vocabulary = { ...input.vocabulary, constants: Object.keys(values) };
  const errors = createErrorList();
  const lookups = new Map<string, LookupSet>();
  const loops = new Map<string, Omit<LoopLookups, 'lookups'>>();
  const mapPaths = new Map<string, TemplatePlace>();
  const crtListNames = new Map<string, TemplatePlace>();
  const constants = new Set(vocabulary.constants);
  const heads = vocabulary.collections.map((name) => name.split('.', 1)[0] ?? name);
  const topLevel = new Set([...vocabulary.constants, ...heads, ...collectionHeads]);
  const programOf = createProgramReader(errors);
  let visited = 0;
  const called = new Set<string>();
  const walk = createCallWalk({
    programOf: (name) => programOf('snippet', name, snippets[name] ?? ''),
    namesIn: (mode) => (mode === 'fragment' ? constants : topLevel),
    report,
    visitStatement,
    isOver: () => visited >= maxVisits,
  });
  const uses = createUseChecks({ vocabulary, snippets, report, visitSnippet });

  function report(template: string, node: hbs.AST.Node, message: string): void {
    errors.add({ ...placeOf(template, node), message });
  }

  function visitProgram(program: hbs.AST.Program | undefined, scope: Scope): void {
    for (const statement of program?.body ?? []) visitStatement(statement, scope);
  }

  function isTooMuch(node: hbs.AST.Node, scope: Scope): boolean {
    visited++;
    if (visited === maxVisits)
      report(scope.template, node, 'the templates call each other in too many ways to be checked');
    return visited >= maxVisits;
  }

  function visitStatement(node: hbs.AST.Statement, scope: Scope): void {
    if (isTooMuch(node, scope)) return;
    switch (node.type) {
      case 'MustacheStatement': {
        visitMustache(node as hbs.AST.MustacheStatement, scope);
        return;
      }
      case 'BlockStatement': {
        visitBlock(node as hbs.AST.BlockStatement, scope);
        return;
      }
      case 'PartialStatement': {
        visitPartial(node as hbs.AST.PartialStatement, scope);
        return;
      }
      case 'ContentStatement':
        if (controlExceptLayout.test((node as hbs.AST.ContentStatement).value))
          report(scope.template, node, 'control characters in the text');
        return;
      case 'CommentStatement':
        return;
      case 'PartialBlockStatement': {
        report(scope.template, node, 'partial blocks are not supported; pass arguments: {{> name x=y}}');
        return;
      }
      default: {
        report(scope.template, node, 'decorators and inline partials are not supported');
        return;
      }
    }
  }

  function visitMustache(node: hbs.AST.MustacheStatement, scope: Scope): void {
    if (node.path.type !== 'PathExpression') {
      report(scope.template, node, 'a literal is written without braces');
      return;
    }
    const path = node.path as hbs.AST.PathExpression;
    const spec = helperOf(path, scope);
    if (spec === undefined) {
      if (node.params.length > 0 || hasPairs(node.hash)) {
        unknownHelper(node, path, scope);
        return;
      }
      visitPath(path, scope, true);
      return;
    }
    if (spec.output === 'block') {
      report(
        scope.template,
        node,
        `${path.original} is a block: {{#${path.original} …}}…{{/${path.original}}}`,
      );
      return;
    }
    visitCall(node, path.original, spec, scope);
    const message = misprinted(path.original, spec, scope);
    if (message !== undefined) report(scope.template, node, message);
  }

  function visitBlock(node: hbs.AST.BlockStatement, scope: Scope): void {
    const name = node.path.original;
    const spec = helperOf(node.path, scope);
    if (spec === undefined) {
      unknownHelper(node, node.path, scope);
      return;
    }
    if (spec.output !== 'block') {
      report(scope.template, node, `${name} is no block: {{${name} …}}`);
      return;
    }
    if (name === 'forEach') {
      visitForEach(node, scope);
      return;
    }
    if (name === 'fragment') {
      visitFragment(node, scope);
      return;
    }
    visitCall(node, name, spec, scope);
    const blockParams = blockParamsOf(node);
    if (!guards.has(name) && inverseOf(node) !== undefined)
      report(scope.template, node, `${name} has no {{else}}`);
    const inner = guards.has(name) ? { ...scope, guarded: true } : scope;
    if (name === 'each' || name === 'with' || name === 'let') {
      if (name === 'let' && blockParams.length !== node.params.length)
        report(scope.template, node, 'let has a name for each value: {{#let a b as |x y|}}');
      visitProgram(node.program, itemScope(inner, blockParams, name === 'each'));
    } else {
      if (blockParams.length > 0) report(scope.template, node, `${name} has no block parameters`);
      if (effectBlocks.has(name) && scope.effect !== undefined)
        report(scope.template, node, `a ${name} block cannot stand in a ${scope.effect} block`);
      visitProgram(node.program, effectBlocks.has(name) ? { ...inner, effect: name } : inner);
    }
    visitProgram(node.inverse, inner);
  }

  function visitFragment(node: hbs.AST.BlockStatement, scope: Scope): void {
    if (node.params.length > 0 || hasPairs(node.hash) || blockParamsOf(node).length > 0)
      report(scope.template, node, 'fragment has neither arguments nor block parameters');
    visitSlot(node, 'fragment', [], scope);
  }

  /** A body that is run by itself: what it sees are its parameters, the constants and its lookups. */
  function visitSlot(
    node: hbs.AST.BlockStatement,
    name: string,
    blockParams: readonly string[],
    scope: Scope,
  ): void {
    if (scope.mode === 'fragment')
      report(
        scope.template,
        node,
        name === 'forEach'
          ? 'a forEach cannot stand in a forEach; use each for lists of the item'
          : `a ${name} cannot stand in a fragment`,
      );
    if (scope.effect !== undefined && scope.effect !== 'section')
      report(scope.template, node, `a ${name} cannot stand in a ${scope.effect} block`);
    if (inverseOf(node) !== undefined) report(scope.template, node, `a ${name} has no {{else}}`);
    const place = placeText(placeOf(scope.template, node));
    const made = lookups.get(place) ?? createLookupSet();
    lookups.set(place, made);
    visitProgram(node.program, fragmentScope(scope, blockParams, constants, made));
  }

  function visitForEach(node: hbs.AST.BlockStatement, scope: Scope): void {
    const blockParams = blockParamsOf(node);
    if (blockParams.length < 1 || blockParams.length > 2)
      report(
        scope.template,
        node,
        'a forEach names its item, and may name its key: {{#forEach hosts as |host key|}}',
      );
    if (hasPairs(node.hash)) report(scope.template, node, 'forEach has no named arguments');
    const [source] = node.params;
    if (node.params.length !== 1 || source?.type !== 'PathExpression')
      report(scope.template, node, 'forEach takes one collection');
    else uses.collection(source as hbs.AST.PathExpression, scope);
    const place = placeOf(scope.template, node);
    if (source?.type === 'PathExpression')
      loops.set(placeText(place), { place, collection: (source as hbs.AST.PathExpression).original });
    visitSlot(node, 'forEach', blockParams, scope);
  }

  function visitPartial(node: hbs.AST.PartialStatement, scope: Scope): void {
    if (node.name.type !== 'PathExpression') {
      report(scope.template, node, 'the name of a snippet is written literally');
      return;
    }
    const name = node.name.original;
    if (node.params.length > 0)
      report(scope.template, node, 'a snippet takes named arguments only: {{> name x=y}}');
    visitHash(node.hash, scope);
    if (Object.hasOwn(snippets, name)) visitSnippet(name, node, node.hash, scope);
    else report(scope.template, node, `unknown snippet "${name}"${hintAt(name, Object.keys(snippets))}`);
  }

  function visitSnippet(
    name: string,
    node: hbs.AST.Node,
    hash: hbs.AST.Hash | undefined,
    scope: Scope,
  ): void {
    called.add(name);
    if (isTooMuch(node, scope)) return;
    const args = pairsOf(hash).map((pair) => pair.key);
    walk.meet({ name, node, args: args.sort(), scope });
  }

  function visitExpression(node: hbs.AST.Expression, scope: Scope): void {
    if (node.type === 'PathExpression') {
      visitPath(node as hbs.AST.PathExpression, scope);
      return;
    }
    if (node.type === 'StringLiteral') {
      if (
        /[\n\r]/.test((node as hbs.AST.StringLiteral).value) ||
        controlExceptLayout.test((node as hbs.AST.StringLiteral).value)
      )
        report(scope.template, node, 'control characters in a literal');
    }
    if (node.type !== 'SubExpression') return;
    const { path } = node as hbs.AST.SubExpression;
    const spec = helperOf(path, scope);
    if (spec === undefined) {
      unknownHelper(node, path, scope);
      return;
    }
    if (spec.output === 'block') {
      report(scope.template, node, `${path.original} is a block and has no value`);
      return;
    }
    visitCall(node as hbs.AST.SubExpression, path.original, spec, scope);
  }

  function visitPath(path: hbs.AST.PathExpression, scope: Scope, isPrinted = false): void {
    const message = checkPath(path, scope, vocabulary) ?? missingConstant(path, scope, values, isPrinted);
    if (message !== undefined) report(scope.template, path, message);
  }

  function visitHash(hash: hbs.AST.Hash | undefined, scope: Scope): void {
    for (const pair of pairsOf(hash)) visitExpression(pair.value, scope);
  }

  function visitCall(node: Call, name: string, spec: HelperSpec, scope: Scope): void {
    const [least, most] = spec.args;
    if (node.params.length < least || node.params.length > most)
      report(scope.template, node, `${name} takes ${arity(least, most)}, not ${node.params.length}`);
    for (const pair of pairsOf(node.hash))
      if (spec.hash !== 'any' && spec.hash?.includes(pair.key) !== true)
        report(scope.template, pair, `${name} has no argument "${pair.key}"`);
    if (spec.only !== undefined && spec.only !== scope.mode)
      report(
        scope.template,
        node,
        `${name} can stand in a forEach body only: the text around runs once, before any object is known`,
      );
    if (configOnly.has(name) && scope.document !== 'config')
      report(scope.template, node, `${name} can stand in the haproxyConfig template only`);
    for (const param of node.params) visitExpression(param, scope);
    visitHash(node.hash, scope);
    if (name === 'once' && scope.document !== 'config' && scope.document !== 'file')
      report(scope.template, node, 'once can stand in haproxyConfig and files templates only');
    uses.call(node, name, scope);
    const named = name === 'mapEntry' ? mapPaths : name === 'crtListEntry' ? crtListNames : undefined;
    const path = literalOf(node.params[0]);
    if (path !== undefined && named?.has(path) === false) named.set(path, placeOf(scope.template, node));
  }

  function unknownHelper(node: hbs.AST.Node, path: hbs.AST.PathExpression, scope: Scope): void {
    report(
      scope.template,
      node,
      `unknown helper "${path.original}"${hintAt(path.original, Object.keys(helpers))}`,
    );
  }

  function helperOf(path: hbs.AST.PathExpression, scope: Scope): HelperSpec | undefined {
    const name = simpleName(path);
    if (name === undefined || scope.params.includes(name)) return undefined;
    return Object.hasOwn(helpers, name) ? helpers[name] : undefined;
  }

  for (const { name, source } of templates) {
    programOf('template', name, source);
    yield;
  }
  for (const [name, source] of Object.entries(snippets)) {
    programOf('snippet', name, source);
    yield;
  }
  for (const { name, document, source } of templates)
    yield* walk.all(programOf('template', name, source), {
      mode: 'whole',
      document,
      template: name,
      frames: [{ kind: 'roots', names: topLevel }],
      params: [],
      outerParams: [],
      inLoop: false,
      effect: undefined,
      lookups: createLookupSet(),
      args: new Set(),
      guarded: false,
      chain: [],
    });
  for (const name of Object.keys(snippets)) {
    if (called.has(name)) continue;
    for (const [pattern, complain] of uses.patterns)
      if (missesNumber(pattern, name))
        complain(
          `snippet "${name}" looks meant by "${pattern}" but has no number: name it ${pattern.slice(0, -1)}NNN-…`,
        );
    yield;
  }
  uses.finish();
  const patterns = [...uses.patterns.keys()];
  const lookupsAt = new Map([...lookups].map(([place, made]) => [place, lookupsIn(made)]));
  return {
    errors: errors.sorted(),
    warnings: [
      ...lintSnippets({ snippets: Object.keys(snippets), patterns, called }),
      ...lintLookups([...loops].map(([at, loop]) => ({ ...loop, lookups: lookupsAt.get(at) ?? [] }))),
    ],
    lookups: lookupsAt,
    mapPaths,
    crtListNames,
    collected: uses.collected(),
    called,
  };
}

function placeOf(template: string, { loc }: hbs.AST.Node): TemplatePlace {
  return { template, line: loc.start.line, column: loc.start.column + 1 };
}

function placeText({ template, line, column }: TemplatePlace): string {
  return `${template}:${line}:${column}`;
}

/** The parser leaves `hash` out where there are no named arguments, whatever its types say. */
function pairsOf(hash: hbs.AST.Hash | undefined): readonly hbs.AST.HashPair[] {
  return hash?.pairs ?? [];
}

function blockParamsOf({ program }: hbs.AST.BlockStatement): readonly string[] {
  const { blockParams } = (program as { readonly blockParams?: readonly string[] } | undefined) ?? {};
  return blockParams ?? [];
}

/** Of `{{^if x}}…{{/if}}` there is nothing else, whatever the types say. */
function inverseOf({ inverse }: hbs.AST.BlockStatement): hbs.AST.Program | undefined {
  return inverse;
}

function hasPairs(hash: hbs.AST.Hash | undefined): boolean {
  return pairsOf(hash).length > 0;
}

function arity(least: number, most: number): string {
  if (least === most) return `${least} argument${least === 1 ? '' : 's'}`;
  return most === Number.POSITIVE_INFINITY ? `at least ${least} arguments` : `${least} to ${most} arguments`;
}
