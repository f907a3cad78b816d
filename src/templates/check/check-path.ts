import { isRecord } from '../../lib/is-record.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { isConditional, type Scope } from './scope.ts';

/** The name, if the path is nothing but one: `hosts`, not `./hosts`, `../hosts`, `@index` or `a.b`. */
export function simpleName(path: hbs.AST.PathExpression): string | undefined {
  const [name] = path.parts;
  return !path.data && path.depth === 0 && path.parts.length === 1 && !isScoped(path) ? name : undefined;
}

/** Names under which collections are found: `resources.widgets`, `collected.colors`. */
export const collectionHeads: readonly string[] = ['resources', 'collected'];

/** Constants of which every field is known, so that any other is a mistake wherever it stands. */
const closedConstants: readonly string[] = ['dataplane'];

/**
 * Why a path into the constants has no value; undefined if it has one, or is none. What is optional may be asked for in arguments
 * of helpers; printed outside of a condition, it could not but fail.
 */
export function missingConstant(
  path: hbs.AST.PathExpression,
  scope: Scope,
  constants: Readonly<Record<string, unknown>>,
  isPrinted: boolean,
): string | undefined {
  const parts = path.data && path.parts[0] === 'root' ? path.parts.slice(1) : path.parts;
  const [head, ...steps] = parts;
  if (head === undefined || !Object.hasOwn(constants, head) || !isRoot(path, head, scope)) return undefined;
  if (!closedConstants.includes(head) && !(isPrinted && !isConditional(scope))) return undefined;
  let value = constants[head];
  let name = head;
  for (const step of steps) {
    if (Array.isArray(value)) return undefined;
    if (!isRecord(value) || !Object.hasOwn(value, step)) {
      const known = isRecord(value) ? Object.keys(value).sort().slice(0, 20).join(', ') : '';
      return `there is no value here: ${name} has no "${step}"${known === '' ? '' : `; it has ${known}`}`;
    }
    value = value[step];
    name += `.${step}`;
  }
  return undefined;
}

function isRoot(path: hbs.AST.PathExpression, head: string, scope: Scope): boolean {
  if (scope.args.has(head)) return false;
  if (path.data) return path.parts[0] === 'root';
  if (path.depth === 0 && !isScoped(path) && scope.params.includes(head)) return false;
  return scope.frames[scope.frames.length - 1 - path.depth]?.kind === 'roots';
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
  const heads = new Set([...collectionHeads, ...vocabulary.collections.map((name) => name.split('.', 1)[0])]);
  if (!heads.has(head)) return undefined;
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
