import type { HelperOptions } from './handlebars-engine.ts';
import type { Run } from './run.ts';

/** One helper: its name and arguments are checked when a configuration is loaded, its call is counted and located. */
export interface HelperSpec {
  /** One line for the reference page. */
  readonly summary: string;
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
  readonly call: (args: readonly unknown[], scope: HelperScope) => unknown;
}

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
