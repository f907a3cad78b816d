import type { HelperSpec, HelperTable } from '../helper-spec.ts';
import { isSnippetPattern, matchesSnippet, missesNumber } from '../snippet-pattern.ts';
import type { TemplateError, TemplatePlace } from '../template-error.ts';
import type { LookupUse, TemplateSource, Vocabulary } from '../vocabulary.ts';
import { checkPath, simpleName } from './check-path.ts';
import { parseTemplate } from './parse-template.ts';
import { fragmentScope, itemScope, snippetScope, type Scope } from './scope.ts';

export interface CheckInput {
  readonly templates: readonly TemplateSource[];
  readonly snippets: Readonly<Record<string, string>>;
  readonly helpers: HelperTable;
  readonly vocabulary: Vocabulary;
}

export interface CheckResult {
  /** In order of template, line and column; each once. */
  readonly errors: readonly TemplateError[];
  /** By place of the forEach: the tracked lookups its body can make, those of its snippets included. */
  readonly lookups: ReadonlyMap<string, readonly LookupUse[]>;
  /** Paths that mapEntry calls name literally, with the first such call: these maps exist even without entries. */
  readonly mapPaths: ReadonlyMap<string, TemplatePlace>;
  /** The same for names of crt-lists and crtListEntry. */
  readonly crtListNames: ReadonlyMap<string, TemplatePlace>;
}

const effectBlocks: ReadonlySet<string> = new Set(['section', 'backend', 'profile', 'file']);
const configOnly: ReadonlySet<string> = new Set(['section', 'backend', 'profile']);
// eslint-disable-next-line no-control-regex -- control characters are what this is about
const controlExceptLayout = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Checks all templates of a configuration without running them. Never throws for what a template says. */
export function checkTemplates({ templates, snippets, helpers, vocabulary }: CheckInput): CheckResult {
  const errors = new Map<string, TemplateError>();
  const lookups = new Map<string, LookupUse[]>();
  const mapPaths = new Map<string, TemplatePlace>();
  const crtListNames = new Map<string, TemplatePlace>();
  const constants = new Set(vocabulary.constants);
  const topLevel = new Set([...vocabulary.constants, ...vocabulary.collections, 'resources']);
  const parsed = new Map<string, hbs.AST.Program | undefined>();
  const visits = new Map<string, LookupUse[]>();
  const called = new Set<string>();
  const patterns = new Map<string, (message: string) => void>();

  const report = (template: string, node: hbs.AST.Node, message: string): void =>
    addError({ ...placeOf(template, node), message });

  function addError(error: TemplateError): void {
    errors.set(`${error.template}\0${error.line}\0${error.column}\0${error.message}`, error);
  }

  function programOf(name: string, source: string): hbs.AST.Program | undefined {
    if (!parsed.has(name)) {
      const result = parseTemplate(name, source);
      if (!('body' in result)) addError(result);
      parsed.set(name, 'body' in result ? result : undefined);
    }
    return parsed.get(name);
  }

  function visitProgram(program: hbs.AST.Program | undefined, scope: Scope): void {
    for (const statement of program?.body ?? []) visitStatement(statement, scope);
  }

  function visitStatement(node: hbs.AST.Statement, scope: Scope): void {
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
      visitPath(path, scope);
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
    visitCall(node, name, spec, scope);
    const blockParams = node.program.blockParams as string[] | undefined;
    if (name === 'each' || name === 'with') {
      visitProgram(node.program, itemScope(scope, blockParams, name === 'each'));
    } else {
      if ((blockParams ?? []).length > 0) report(scope.template, node, `${name} has no block parameters`);
      if (effectBlocks.has(name) && scope.effect !== undefined)
        report(scope.template, node, `a ${name} block cannot stand in a ${scope.effect} block`);
      visitProgram(node.program, effectBlocks.has(name) ? { ...scope, effect: name } : scope);
    }
    visitProgram(node.inverse, scope);
  }

  function visitForEach(node: hbs.AST.BlockStatement, scope: Scope): void {
    const blockParams = (node.program.blockParams as string[] | undefined) ?? [];
    if (scope.mode === 'fragment')
      report(scope.template, node, 'a forEach cannot stand in a forEach; use each for lists of the item');
    if (scope.effect !== undefined && scope.effect !== 'section')
      report(scope.template, node, `a forEach cannot stand in a ${scope.effect} block`);
    if (blockParams.length < 1 || blockParams.length > 2)
      report(
        scope.template,
        node,
        'a forEach names its item, and may name its key: {{#forEach hosts as |host key|}}',
      );
    if ((node.inverse as hbs.AST.Program | undefined) !== undefined)
      report(scope.template, node, 'a forEach has no {{else}}');
    if (hasPairs(node.hash)) report(scope.template, node, 'forEach has no named arguments');
    const [source] = node.params;
    if (node.params.length !== 1 || source?.type !== 'PathExpression')
      report(scope.template, node, 'forEach takes one collection');
    else checkCollection(source as hbs.AST.PathExpression, scope);
    const place = `${scope.template}:${node.loc.start.line}:${node.loc.start.column + 1}`;
    const uses = lookups.get(place) ?? [];
    lookups.set(place, uses);
    visitProgram(node.program, fragmentScope(scope, blockParams, constants, uses));
  }

  function checkCollection(path: hbs.AST.PathExpression, scope: Scope): void {
    const [head = '', name, ...rest] = path.parts;
    if (head === 'resources' && name !== undefined && rest.length === 0) {
      if (Object.hasOwn(vocabulary.resources, name)) return;
      const known = Object.keys(vocabulary.resources).sort().join(', ');
      report(scope.template, path, `unknown resource "${name}"; watchedResources has ${known || 'none'}`);
      return;
    }
    if (name === undefined && vocabulary.collections.includes(head)) return;
    const known = [...vocabulary.collections].sort().join(', ');
    report(scope.template, path, `unknown collection "${path.original}"; known: ${known}, resources.<name>`);
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
    const source = Object.hasOwn(snippets, name) ? snippets[name] : undefined;
    if (source === undefined) {
      report(scope.template, node, `unknown snippet "${name}"`);
      return;
    }
    called.add(name);
    visitSnippet(name, source, node.hash, scope);
  }

  function visitSnippet(name: string, source: string, hash: hbs.AST.Hash | undefined, scope: Scope): void {
    const args = pairsOf(hash)
      .map((pair) => pair.key)
      .sort();
    const key = [name, scope.mode, scope.document, scope.effect ?? '', ...args].join('\0');
    const known = visits.get(key);
    if (known === undefined) {
      const uses: LookupUse[] = [];
      visits.set(key, uses);
      const base = scope.mode === 'fragment' ? constants : topLevel;
      const inner = snippetScope(scope, name, new Set([...base, ...args]));
      visitProgram(programOf(name, source), { ...inner, lookups: uses });
    }
    scope.lookups.push(...(visits.get(key) ?? []));
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

  function visitPath(path: hbs.AST.PathExpression, scope: Scope): void {
    const message = checkPath(path, scope, vocabulary);
    if (message !== undefined) report(scope.template, path, message);
  }

  function visitHash(hash: hbs.AST.Hash | undefined, scope: Scope): void {
    for (const pair of pairsOf(hash)) visitExpression(pair.value, scope);
  }

  type Call = Pick<hbs.AST.MustacheStatement, 'params' | 'loc' | 'hash'> & { readonly type: string };

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
    if (name === 'single' || name === 'list' || name === 'fetch') visitLookup(node, name, scope);
    if (name === 'http') scope.lookups.push({ helper: name, resource: '', keys: 0 });
    if (name === 'snippets') visitSnippets(node, scope);
    const named = name === 'mapEntry' ? mapPaths : name === 'crtListEntry' ? crtListNames : undefined;
    const path = literalOf(node.params[0]);
    if (path !== undefined && named?.has(path) === false) named.set(path, placeOf(scope.template, node));
  }

  function visitLookup(node: Call, helper: LookupUse['helper'], scope: Scope): void {
    const resource = literalOf(node.params[0]);
    if (resource === undefined) {
      report(scope.template, node, `${helper} takes the resource as a literal: ${helper} "services" …`);
      return;
    }
    const known = Object.hasOwn(vocabulary.resources, resource) ? vocabulary.resources[resource] : undefined;
    if (known === undefined) {
      report(scope.template, node, `unknown resource "${resource}"`);
      return;
    }
    const keys = node.params.length - 1;
    if (helper !== 'fetch' && keys > known.indexKeys)
      report(
        scope.template,
        node,
        `the index of ${resource} has ${known.indexKeys} keys (indexBy), not ${keys}`,
      );
    scope.lookups.push({ helper, resource, keys });
  }

  function visitSnippets(node: Call, scope: Scope): void {
    const pattern = literalOf(node.params[0]);
    if (pattern === undefined || !isSnippetPattern(pattern)) {
      report(
        scope.template,
        node,
        'snippets takes a literal: the name of a snippet, or an extension point: "frontend-filters-*"',
      );
      return;
    }
    patterns.set(pattern, (message) => report(scope.template, node, message));
    for (const [name, source] of Object.entries(snippets)) {
      if (!matchesSnippet(pattern, name)) continue;
      called.add(name);
      visitSnippet(name, source, node.hash, scope);
    }
  }

  function unknownHelper(node: hbs.AST.Node, path: hbs.AST.PathExpression, scope: Scope): void {
    report(scope.template, node, `unknown helper "${path.original}"`);
  }

  function helperOf(path: hbs.AST.PathExpression, scope: Scope): HelperSpec | undefined {
    const name = simpleName(path);
    if (name === undefined || scope.params.includes(name)) return undefined;
    return Object.hasOwn(helpers, name) ? helpers[name] : undefined;
  }

  for (const { name, document, source } of templates)
    visitProgram(programOf(name, source), {
      mode: 'whole',
      document,
      template: name,
      frames: [{ kind: 'roots', names: topLevel }],
      params: [],
      outerParams: [],
      inLoop: false,
      effect: undefined,
      lookups: [],
    });
  for (const [name, source] of Object.entries(snippets)) {
    programOf(name, source);
    if (called.has(name)) continue;
    for (const [pattern, complain] of patterns)
      if (missesNumber(pattern, name))
        complain(
          `snippet "${name}" looks meant by "${pattern}" but has no number: name it ${pattern.slice(0, -1)}NNN-…`,
        );
  }
  return { errors: [...errors.values()].sort(byPlace), lookups, mapPaths, crtListNames };
}

function placeOf(template: string, { loc }: hbs.AST.Node): TemplatePlace {
  return { template, line: loc.start.line, column: loc.start.column + 1 };
}

function literalOf(node: hbs.AST.Expression | undefined): string | undefined {
  return node?.type === 'StringLiteral' ? (node as hbs.AST.StringLiteral).value : undefined;
}

/** The parser leaves `hash` out where there are no named arguments, whatever its types say. */
function pairsOf(hash: hbs.AST.Hash | undefined): readonly hbs.AST.HashPair[] {
  return hash?.pairs ?? [];
}

function hasPairs(hash: hbs.AST.Hash | undefined): boolean {
  return pairsOf(hash).length > 0;
}

function arity(least: number, most: number): string {
  if (least === most) return `${least} argument${least === 1 ? '' : 's'}`;
  return most === Number.POSITIVE_INFINITY ? `at least ${least} arguments` : `${least} to ${most} arguments`;
}

function byPlace(a: TemplateError, b: TemplateError): number {
  if (a.template !== b.template) return a.template < b.template ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
