import type { Slices } from '../../lib/slices.ts';
import { runLimits } from '../run-limits.ts';
import { createLookupSet, type LookupSet } from './lookup-set.ts';
import { isConditional, snippetScope, type Scope } from './scope.ts';

/** A call of a snippet as a template has it. */
export interface SnippetCall {
  readonly name: string;
  readonly node: hbs.AST.Node;
  /** Names of its arguments, sorted. */
  readonly args: readonly string[];
  /** Of the call. */
  readonly scope: Scope;
}

export interface CallWalkInput {
  /** The syntax tree of a snippet; undefined for one that has none. */
  readonly programOf: (name: string) => hbs.AST.Program | undefined;
  /** What a snippet sees besides its arguments. */
  readonly namesIn: (mode: Scope['mode']) => ReadonlySet<string>;
  readonly report: (template: string, node: hbs.AST.Node, message: string) => void;
  /** Calls `meet` for every snippet that the statement calls. */
  readonly visitStatement: (node: hbs.AST.Statement, scope: Scope) => void;
  /** Whether enough was visited. */
  readonly isOver: () => boolean;
}

export interface CallWalk {
  readonly meet: (call: SnippetCall) => void;
  /** Visits a template and all that it calls. */
  readonly all: (program: hbs.AST.Program | undefined, scope: Scope) => Slices<void>;
}

/** Statements of a body; each may be a block with more of them. */
const pauseEvery = 16;

interface MetCall extends SnippetCall {
  readonly lookups: LookupSet;
}

/**
 * The order in which snippets are visited: each once for each kind of place and set of arguments it is called with, after the body
 * that calls it, and within the calls around it, so that one that calls itself is found. Pauses every few statements.
 */
export function createCallWalk({
  programOf,
  namesIn,
  report,
  visitStatement,
  isOver,
}: CallWalkInput): CallWalk {
  /** By snippet, kind of place and set of arguments. */
  const lookups = new Map<string, LookupSet>();
  const visited = new Set<LookupSet>();
  /** In the body that is visited, by what makes them different. */
  let met = new Map<string, MetCall>();

  const meet = (call: SnippetCall): void => {
    const { name, args, scope } = call;
    const flags = `${scope.mode} ${scope.document} ${scope.effect ?? ''} ${isConditional(scope)}`;
    const key = [name, flags, ...args].join('\0');
    const made = lookups.get(key) ?? createLookupSet();
    lookups.set(key, made);
    scope.lookups.called.add(made);
    const kind = `${scope.guarded} ${key}`;
    if (!met.has(kind)) met.set(kind, { ...call, lookups: made });
  };

  function* visitBody(program: hbs.AST.Program | undefined, scope: Scope): Slices<readonly MetCall[]> {
    met = new Map();
    let pause = pauseEvery;
    for (const statement of program?.body ?? []) {
      if (isOver()) return [];
      visitStatement(statement, scope);
      if (--pause > 0) continue;
      yield;
      pause = pauseEvery;
    }
    yield;
    return [...met.values()];
  }

  function* visitCalled({ name, node, scope, args, lookups: made }: MetCall): Slices<readonly MetCall[]> {
    if (isRunaway(name, scope)) {
      const around = scope.chain.map((call) => call.name);
      const path = [...around.slice(around.indexOf(name)), name].join(' → ');
      report(scope.template, node, `snippet "${name}" calls itself without a condition: ${path}`);
      return [];
    }
    if (scope.chain.length >= runLimits.depth) {
      report(scope.template, node, `snippets call each other more than ${runLimits.depth} deep`);
      return [];
    }
    if (visited.has(made)) return [];
    visited.add(made);
    const inner = snippetScope(scope, name, namesIn(scope.mode), new Set(args));
    return yield* visitBody(programOf(name), { ...inner, lookups: made });
  }

  return {
    meet,
    *all(program, scope) {
      const waiting: MetCall[] = [];
      const add = (calls: readonly MetCall[]): void => {
        // The last one is the next.
        for (const call of calls.toReversed()) waiting.push(call);
      };
      add(yield* visitBody(program, scope));
      for (let call = waiting.pop(); call !== undefined && !isOver(); call = waiting.pop())
        add(yield* visitCalled(call));
    },
  };
}

/** No call from the snippet to itself is in a condition or loop, so it would never end. */
function isRunaway(name: string, { chain, guarded }: Scope): boolean {
  const at = chain.findLastIndex((call) => call.name === name);
  return at >= 0 && !guarded && chain.slice(at + 1).every((call) => !call.guarded);
}
