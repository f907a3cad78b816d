import type { HelperOptions } from './handlebars-engine.ts';
import type { Run } from './run.ts';
import type { DocumentKind } from './vocabulary.ts';

/** One helper: its name and arguments are checked when a configuration is loaded, its call is counted and located. */
export interface HelperSpec {
  /** How it is written: `lookup object "key" …`, `{{#each list as |item index|}}…{{else}}…{{/each}}`. */
  readonly signature: string;
  /** What it does: a sentence or two for the reference page. */
  readonly summary: string;
  /** Run and shown on the reference page. */
  readonly example: HelperExample;
  /**
   * `value`: gives a value, which prints as `{{x}}` does. `text`: gives output as it is (quoted, escaped or structured by the
   * helper). `block`: takes a body.
   */
  readonly output: 'value' | 'text' | 'block';
  /** Least and greatest number of positional arguments. */
  readonly args: readonly [least: number, most: number];
  /** Names of the `name=value` arguments; `any` for open ones. Default: none. */
  readonly hash?: readonly string[] | 'any';
  /** Where it may stand: only in a fragment, only in a whole template. Default: both. */
  readonly only?: 'fragment' | 'whole';
  /** Documents whose text it may be printed into; a `file` block counts as a file. Default: all. */
  readonly prints?: readonly DocumentKind[];
  readonly call: (args: readonly unknown[], scope: HelperScope) => unknown;
}

/**
 * A text is the body of `{{#forEach resources.widgets as |w|}}`, run for one widget. `whole` is a template of its own, with the
 * snippets it needs. Both see the data at the head of the reference page.
 */
export type HelperExample =
  string | { readonly whole: string; readonly snippets?: Readonly<Record<string, string>> };

export interface HelperScope {
  /** `this` of the template. */
  readonly context: unknown;
  readonly options: HelperOptions;
  readonly run: Run;
  /** `template:line:column` of the call. */
  place(): string;
}

export type HelperTable = Readonly<Record<string, HelperSpec>>;

export const anyNumber = Number.POSITIVE_INFINITY;
