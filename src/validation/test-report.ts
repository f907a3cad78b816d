import type { AssertionType } from '../api/template-config.ts';
import type { ProfileEntry } from '../templates/render-profile.ts';

/** What came of a run of validation tests: the JSON that `haptic validate -o json` prints. Times are in seconds. */
export interface TestReport {
  readonly totalTests: number;
  readonly passedTests: number;
  readonly failedTests: number;
  readonly duration: number;
  /** In the order of their names, however they ran. */
  readonly tests: readonly TestResult[];
  readonly coverage?: Coverage;
}

export interface TestResult {
  readonly testName: string;
  readonly description: string;
  readonly passed: boolean;
  readonly duration: number;
  /** Why the test could not be run, or the render failed where no assertion looks for that. */
  readonly renderError?: string;
  readonly assertions: readonly AssertionResult[];
  /** What an author should know, though it fails nothing: objects that a selector leaves out. */
  readonly notes?: readonly string[];
  /** All that was rendered, by path, where that was asked for. */
  readonly rendered?: Readonly<Record<string, string>>;
  /** What was run and what it cost, the most expensive first, where that was asked for. */
  readonly includeStats?: readonly ProfileEntry[];
}

export interface AssertionResult {
  readonly type: AssertionType;
  readonly description: string;
  readonly passed: boolean;
  /** Why it could not be judged here; it counts as passed then. */
  readonly skipped?: string;
  readonly error?: string;
  readonly target?: string;
  /** Characters of the target. */
  readonly targetSize?: number;
  /** The first 200 characters of the target of an assertion that failed. */
  readonly targetPreview?: string;
  /** The whole target of an `equals` that failed, where that was asked for. */
  readonly actual?: string;
}

/** Which templates any of the tests ran, by name. */
export interface Coverage {
  readonly total: number;
  readonly covered: number;
  readonly uncovered: readonly string[];
}
