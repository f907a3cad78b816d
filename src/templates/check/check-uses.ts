import type { HelperSpec } from '../helper-spec.ts';
import { isSnippetPattern, matchesSnippet } from '../snippet-pattern.ts';
import type { LookupUse, Vocabulary } from '../vocabulary.ts';
import { hintAt } from './hint-at.ts';
import { noteLookup } from './lookup-set.ts';
import type { Scope } from './scope.ts';

export type Call = Pick<hbs.AST.MustacheStatement, 'params' | 'loc' | 'hash'> & { readonly type: string };

export interface UseChecks {
  /** The source of a forEach. */
  collection(path: hbs.AST.PathExpression, scope: Scope): void;
  /** Of helpers whose literal arguments name something: lookups, collect, http, snippets. */
  call(node: Call, name: string, scope: Scope): void;
  /** Names that collect fills. */
  collected(): readonly string[];
  /** Reports what could be said only after everything was seen. */
  finish(): void;
  readonly patterns: ReadonlyMap<string, (message: string) => void>;
}

export interface UseChecksInput {
  readonly vocabulary: Vocabulary;
  readonly snippets: Readonly<Record<string, string>>;
  readonly report: (template: string, node: hbs.AST.Node, message: string) => void;
  readonly visitSnippet: (
    name: string,
    node: hbs.AST.Node,
    hash: hbs.AST.Hash | undefined,
    scope: Scope,
  ) => void;
}

/** Helpers that read something by its name. */
const lookups: readonly LookupUse['helper'][] = ['single', 'list', 'fetch'];
const contexts: readonly string[] = ['renderMode', 'admissionSubject'];

/** Checks what templates name by literals: collections, resources, snippets. */
export function createUseChecks({ vocabulary, snippets, report, visitSnippet }: UseChecksInput): UseChecks {
  const collected = new Set<string>();
  const wanted: { readonly name: string; readonly complain: (message: string) => void }[] = [];
  const patterns = new Map<string, (message: string) => void>();

  const want = (name: string, scope: Scope, node: hbs.AST.Node): void => {
    wanted.push({ name, complain: (message) => report(scope.template, node, message) });
  };

  function collection(path: hbs.AST.PathExpression, scope: Scope): void {
    const [head = '', name, ...rest] = path.parts;
    if (head === 'resources' && name !== undefined && rest.length === 0) {
      if (Object.hasOwn(vocabulary.resources, name)) return;
      const known = Object.keys(vocabulary.resources).sort().join(', ');
      report(scope.template, path, `unknown resource "${name}"; watchedResources has ${known || 'none'}`);
      return;
    }
    if (head === 'collected' && name !== undefined && rest.length === 0) {
      want(name, scope, path);
      return;
    }
    if (vocabulary.collections.includes(path.parts.join('.'))) return;
    const known = [...vocabulary.collections].sort().join(', ');
    report(
      scope.template,
      path,
      `unknown collection "${path.original}"; known: ${known}, resources.<name>, collected.<name>`,
    );
  }

  function lookup(node: Call, helper: LookupUse['helper'], scope: Scope): void {
    const resource = literalOf(node.params[0]);
    if (resource === undefined) {
      report(scope.template, node, `${helper} takes the resource as a literal: ${helper} "services" …`);
      return;
    }
    const keys = node.params.length - 1;
    if (resource.startsWith('collected.')) want(resource.slice('collected.'.length), scope, node);
    const known = Object.hasOwn(vocabulary.resources, resource) ? vocabulary.resources[resource] : undefined;
    const isCollection = vocabulary.collections.includes(resource) || resource.startsWith('collected.');
    if (known === undefined && !isCollection) {
      report(
        scope.template,
        node,
        `unknown resource "${resource}"${hintAt(resource, Object.keys(vocabulary.resources))}`,
      );
      return;
    }
    const most = known?.indexKeys ?? 1;
    if ((helper !== 'fetch' || known === undefined) && keys > most)
      report(
        scope.template,
        node,
        known === undefined
          ? `entries of ${resource} have one key, not ${keys}`
          : `the index of ${resource} has ${most} keys (indexBy), not ${keys}`,
      );
    noteLookup(scope.lookups, { helper, resource, keys });
  }

  function collect(node: Call, scope: Scope): void {
    const name = literalOf(node.params[0]);
    if (name === undefined || !/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name)) {
      report(scope.template, node, 'collect takes the name of a collection as a literal: collect "colors" …');
      return;
    }
    collected.add(name);
    noteLookup(scope.lookups, { helper: 'collect', resource: name, keys: 0 });
  }

  function extensionPoint(node: Call, scope: Scope): void {
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
    for (const name of Object.keys(snippets))
      if (matchesSnippet(pattern, name)) visitSnippet(name, node, node.hash, scope);
  }

  function snippetValue(node: Call, scope: Scope): void {
    const name = literalOf(node.params[0]);
    if (name === undefined || !Object.hasOwn(snippets, name)) {
      const message =
        name === undefined
          ? 'render takes the name of a snippet as a literal'
          : `unknown snippet "${name}"${hintAt(name, Object.keys(snippets))}`;
      report(scope.template, node, message);
      return;
    }
    visitSnippet(name, node, node.hash, scope);
  }

  /** Collected by a snippet that nothing prints: its own extension point may be in a library that is not there. Then it has no entries. */
  function isIdle(name: string): boolean {
    const call = `collect "${name}"`;
    if (!Object.values(snippets).some((text) => text.includes(call))) return false;
    collected.add(name);
    return true;
  }

  return {
    patterns,
    collected: () => [...collected],
    collection,
    call: (node, name, scope) => {
      const helper = lookups.find((candidate) => candidate === name);
      if (helper !== undefined) lookup(node, helper, scope);
      else if (contexts.includes(name))
        noteLookup(scope.lookups, { helper: 'context', resource: name, keys: 0 });
      else if (name === 'http') noteLookup(scope.lookups, { helper: 'http', resource: '', keys: 0 });
      else if (name === 'collect') collect(node, scope);
      else if (name === 'snippets') extensionPoint(node, scope);
      else if (name === 'render') snippetValue(node, scope);
    },
    finish: () => {
      const known = [...collected].sort().join(', ') || 'none';
      for (const { name, complain } of wanted)
        if (!collected.has(name) && !isIdle(name))
          complain(`nothing collects "${name}"; collections that collect fills: ${known}`);
    },
  };
}

export function literalOf(node: hbs.AST.Expression | undefined): string | undefined {
  return node?.type === 'StringLiteral' ? (node as hbs.AST.StringLiteral).value : undefined;
}

/** Why a helper's output cannot be printed into this document; undefined if it can. */
export function misprinted(name: string, { prints }: HelperSpec, scope: Scope): string | undefined {
  if (prints === undefined || prints.includes(scope.document)) return undefined;
  if (scope.effect === 'file' && prints.includes('file')) return undefined;
  return `${name} prints into files and k8sResources; here, give it to a helper: {{quoted (${name} …)}}`;
}
