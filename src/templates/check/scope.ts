import type { DocumentKind } from '../vocabulary.ts';
import type { LookupSet } from './lookup-set.ts';

/** What a path may begin with at one point of a template. */
export interface Scope {
  readonly mode: 'whole' | 'fragment';
  readonly document: DocumentKind;
  readonly template: string;
  /** Contexts from the outermost to `this`. Names are known in `roots` frames only; `data` is somebody's object. */
  readonly frames: readonly Frame[];
  /** Block parameters in reach. */
  readonly params: readonly string[];
  /** Block parameters of the text around a forEach: out of reach, named for the message. */
  readonly outerParams: readonly string[];
  /** In an each, where `@index` and the like exist. */
  readonly inLoop: boolean;
  /** The effect block around, if any. */
  readonly effect: string | undefined;
  /** Where tracked lookups of the fragment are noted. */
  readonly lookups: LookupSet;
  /** Named arguments of the snippet. */
  readonly args: ReadonlySet<string>;
  /** In a part of this template that may be left out: of a condition or a loop. */
  readonly guarded: boolean;
  /** The snippets around, outermost first, and whether the call of each is guarded. */
  readonly chain: readonly { readonly name: string; readonly guarded: boolean }[];
}

/** True where what stands here may not run at all. */
export function isConditional({ guarded, chain }: Scope): boolean {
  return guarded || chain.some((call) => call.guarded);
}

export type Frame =
  { readonly kind: 'roots'; readonly names: ReadonlySet<string> } | { readonly kind: 'data' };

/** The scope of the body of a block whose item becomes the context, or has a name. */
export function itemScope(scope: Scope, blockParams: readonly string[], inLoop: boolean): Scope {
  if (blockParams.length > 0)
    return { ...scope, params: [...scope.params, ...blockParams], inLoop: scope.inLoop || inLoop };
  return { ...scope, frames: [...scope.frames, { kind: 'data' }], inLoop: scope.inLoop || inLoop };
}

/** The scope of a snippet: its arguments and the constants, nothing of the text around the call. */
export function snippetScope(
  scope: Scope,
  template: string,
  names: ReadonlySet<string>,
  args: ReadonlySet<string>,
): Scope {
  return {
    ...scope,
    template,
    args,
    guarded: false,
    chain: [...scope.chain, { name: template, guarded: scope.guarded }],
    frames: [{ kind: 'roots', names: new Set([...names, ...args]) }],
    params: [],
    outerParams: [],
    inLoop: false,
  };
}

/** The scope of a forEach body: its item and the constants. */
export function fragmentScope(
  scope: Scope,
  blockParams: readonly string[],
  constants: ReadonlySet<string>,
  lookups: LookupSet,
): Scope {
  return {
    ...scope,
    mode: 'fragment',
    frames: [{ kind: 'roots', names: constants }],
    params: blockParams,
    outerParams: [...scope.outerParams, ...scope.params, ...rootNames(scope)],
    inLoop: false,
    effect: undefined,
    lookups,
  };
}

function rootNames(scope: Scope): readonly string[] {
  return scope.frames.flatMap((frame) => (frame.kind === 'roots' ? [...frame.names] : []));
}
