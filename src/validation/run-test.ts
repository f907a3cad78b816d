import type { Assertion, TemplateConfig, ValidationTest } from '../api/template-config.ts';
import type { Verdict } from '../gate/verdict.ts';
import { CodedError } from '../lib/coded-error.ts';
import { isVersionAtLeast } from '../lib/is-version-at-least.ts';
import type { Plan } from '../protocol/plan.ts';
import { judgeAssertion, type JudgedRender, type Judgement, type Unavailable } from './judge-assertion.ts';
import { problemLine } from './problem-line.ts';
import { renderFixtures, type FixtureRender } from './render-fixtures.ts';
import { templateContext } from './template-context.ts';
import { testConfig, testConstants } from './test-config.ts';
import type { AssertionResult, TestResult } from './test-report.ts';
import type { Traffic } from './traffic/with-traffic.ts';

/** What a test needs besides the configuration. */
export interface TestDeps {
  readonly config: TemplateConfig;
  /** The HAProxy at hand; absent: there is none. */
  readonly haproxy?: {
    readonly version: string;
    readonly check: (plan: Plan) => Promise<Verdict>;
    /** Runs HAProxy on the plan for as long as `use` takes. */
    readonly withTraffic: <T>(plan: Plan, use: (traffic: Traffic) => Promise<T>) => Promise<T>;
  };
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

export interface TestJob {
  readonly name: string;
  /** With what `_global` lends it. */
  readonly test: ValidationTest;
  /** Whether the result holds all that was rendered. */
  readonly keepRendered: boolean;
  /** Whether the result of an `equals` that failed holds its target. */
  readonly keepActual: boolean;
  /** Whether the result tells what was run, and what it cost. */
  readonly profile: boolean;
}

const currentConfigNote =
  'currentConfig has no effect: templates keep no slots of a former configuration, see docs/migrating-from-scriggo.md';

/** Targets whose readers expect errors. */
const errorTargets = new Set(['rendering_error', 'problems']);

/**
 * One test: renders its fixtures and judges its assertions, in their order. Never rejects for what is wrong with the test or the
 * templates: that is in the result.
 */
export async function runTest(job: TestJob, deps: TestDeps): Promise<TestResult> {
  const { name, test } = job;
  const begun = deps.now();
  const result = (rest: Pick<TestResult, 'assertions'> & Partial<TestResult>): TestResult => ({
    testName: name,
    description: test.description ?? '',
    passed: rest.renderError === undefined && rest.assertions.every(({ passed }) => passed),
    duration: Math.round(deps.now() - begun) / 1000,
    ...rest,
  });
  try {
    const config = testConfig(deps.config, test);
    const constants = testConstants(test, deps.haproxy?.version);
    const renderOf = (fixtures: ValidationTest['fixtures']): Promise<FixtureRender> =>
      renderFixtures({
        config,
        fixtures: fixtures ?? {},
        constants,
        http: test.httpResources ?? [],
        ...(job.profile && { profileClock: deps.now }),
      });
    const render = await renderOf(test.fixtures);
    const unavailable = unavailableFor(test, deps);
    const traffic = lazyTraffic(deps);
    const judged: JudgedRender = {
      config,
      render,
      context: () => templateContext(config, test.fixtures ?? {}, constants, render),
      again: () => renderOf(reversed(test.fixtures ?? {})),
      ...(unavailable && { noHaproxy: unavailable }),
      check: (plan) => haproxyOf(deps).check(plan),
      traffic: traffic.of,
    };
    const assertions: AssertionResult[] = [];
    try {
      for (const [index, assertion] of (test.assertions ?? []).entries())
        assertions.push(await resultOf(assertion, judged, `assertions[${index}]`, job));
    } finally {
      await traffic.end();
    }
    const notes = [...render.notes, ...(test.currentConfig === undefined ? [] : [currentConfigNote])];
    const unexpected = unexpectedErrors(render, test.assertions ?? []);
    return result({
      assertions,
      ...(unexpected === undefined ? {} : { renderError: unexpected }),
      ...(notes.length === 0 ? {} : { notes }),
      ...(job.profile ? { includeStats: render.profile } : {}),
      ...(job.keepRendered ? { rendered: Object.fromEntries(render.files) } : {}),
    });
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return result({ assertions: [], renderError: error.message });
  }
}

function unavailableFor({ haproxyVersion }: ValidationTest, { haproxy }: TestDeps): Unavailable | undefined {
  if (haproxy === undefined)
    return { kind: 'fail', reason: 'there is no HAProxy to ask: name one with --haproxy' };
  if (haproxyVersion === undefined || isVersionAtLeast(haproxy.version, haproxyVersion)) return undefined;
  return {
    kind: 'skip',
    reason: `the test is for HAProxy ${haproxyVersion}, and the one at hand is ${haproxy.version}`,
  };
}

function haproxyOf({ haproxy }: TestDeps): NonNullable<TestDeps['haproxy']> {
  if (haproxy === undefined)
    throw new Error('unreachable: assertions that need HAProxy were told that there is none');
  return haproxy;
}

/** One HAProxy for all requests of a test, from the first of them to the end. */
function lazyTraffic(deps: TestDeps): {
  readonly of: (plan: Plan) => Promise<Traffic>;
  readonly end: () => Promise<void>;
} {
  const over = Promise.withResolvers<undefined>();
  let started: Promise<Traffic> | undefined;
  let running: Promise<unknown> = Promise.resolve();
  return {
    of: (plan) => {
      started ??= new Promise((resolve, reject) => {
        running = haproxyOf(deps)
          .withTraffic(plan, (traffic) => {
            resolve(traffic);
            return over.promise;
          })
          .catch(reject);
      });
      return started;
    },
    end: async () => {
      over.resolve(undefined);
      await running;
    },
  };
}

async function resultOf(
  assertion: Assertion,
  judged: JudgedRender,
  field: string,
  { keepActual }: TestJob,
): Promise<AssertionResult> {
  const { error, skipped, text } = await judgementOf(assertion, judged, field);
  return {
    type: assertion.type,
    description: assertion.description ?? '',
    passed: error === undefined,
    ...(skipped === undefined ? {} : { skipped }),
    ...(error === undefined ? {} : { error }),
    ...(assertion.target === undefined ? {} : { target: assertion.target }),
    ...(text === undefined ? {} : { targetSize: text.length }),
    ...(text === undefined || error === undefined ? {} : { targetPreview: text.slice(0, 200) }),
    ...(keepActual && assertion.type === 'equals' && error !== undefined && text !== undefined
      ? { actual: text }
      : {}),
  };
}

async function judgementOf(assertion: Assertion, judged: JudgedRender, field: string): Promise<Judgement> {
  try {
    return await judgeAssertion(assertion, judged, field);
  } catch (error) {
    // What went wrong with HAProxy or a connection belongs to the assertion that needed it.
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Errors that no assertion looks for: the author does not know of them. */
function unexpectedErrors(
  { error, problems }: FixtureRender,
  assertions: readonly Assertion[],
): string | undefined {
  if (assertions.some(({ target }) => target !== undefined && errorTargets.has(target))) return undefined;
  const lines = problems.filter(({ severity }) => severity === 'error').map(problemLine);
  const all = error === undefined ? lines : [error, ...lines];
  return all.length === 0 ? undefined : all.join('\n');
}

function reversed(
  fixtures: NonNullable<ValidationTest['fixtures']>,
): NonNullable<ValidationTest['fixtures']> {
  return Object.fromEntries(
    Object.entries(fixtures)
      .reverse()
      .map(([name, objects]) => [name, [...objects].reverse()]),
  );
}
