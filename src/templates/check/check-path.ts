import type { Vocabulary } from '../vocabulary.ts';
import type { Scope } from './scope.ts';

/** The name, if the path is nothing but one: `hosts`, not `./hosts`, `../hosts`, `@index` or `a.b`. */
export function simpleName(path: hbs.AST.PathExpression): string | undefined {
  const [name] = path.parts;
  return !path.data && path.depth === 0 && path.parts.length === 1 && !isScoped(path) ? name : undefined;
}

/** Why a path cannot be used at this point; undefined if it can. */
export function checkPath(
  path: hbs.AST.PathExpression,
  scope: Scope,
  vocabulary: Vocabulary,
): string | undefined {
  if (path.data) return checkData(path, scope, vocabulary);
  const [head] = path.parts;
  if (head !== undefined && path.depth === 0 && !isScoped(path)) {
    if (scope.params.includes(head)) return undefined;
    if (scope.mode === 'fragment' && scope.outerParams.includes(head) && !vocabulary.constants.includes(head))
      return `"${head}" is out of reach: a forEach body sees its item, the constants and what single, list and fetch give`;
  }
  const frame = scope.frames[scope.frames.length - 1 - path.depth];
  if (frame === undefined) return `"${path.original}" goes up too far`;
  if (frame.kind === 'data') return undefined;
  if (head === undefined) return `"${path.original}" is everything here; name what you mean`;
  if (!frame.names.has(head)) return `unknown name "${head}"; known here: ${known(scope, frame.names)}`;
  return collectionMessage(path, head, vocabulary);
}

function collectionMessage(
  path: hbs.AST.PathExpression,
  head: string,
  vocabulary: Vocabulary,
): string | undefined {
  if (head !== 'resources' && !vocabulary.collections.includes(head)) return undefined;
  if (vocabulary.constants.includes(head)) return undefined;
  return `"${path.original}" is a collection: use {{#forEach ${path.original} as |item|}}`;
}

function checkData(path: hbs.AST.PathExpression, scope: Scope, vocabulary: Vocabulary): string | undefined {
  const [name = '', head] = path.parts;
  if (name === 'root') {
    const roots = scope.frames[0];
    if (head === undefined) return '"@root" is everything; name what you mean';
    if (roots?.kind === 'roots' && !roots.names.has(head)) return `unknown name "@root.${head}"`;
    return collectionMessage(path, head, vocabulary);
  }
  if (!['index', 'key', 'first', 'last'].includes(name)) return `unknown name "@${name}"`;
  return scope.inLoop ? undefined : `"@${name}" exists in an each only`;
}

/** `./x` and `this.x` mean the context, even where a block parameter is called x. */
function isScoped(path: hbs.AST.PathExpression): boolean {
  return path.depth === 0 && /^(\.|this\b)/.test(path.original);
}

function known(scope: Scope, names: ReadonlySet<string>): string {
  return [...new Set([...scope.params, ...names])].sort().join(', ');
}
