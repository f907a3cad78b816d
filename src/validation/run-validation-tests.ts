import { availableParallelism, tmpdir } from 'node:os';
import type { TemplateConfig } from '../api/template-config.ts';
import { errorMessage } from '../lib/error-message.ts';
import { coverageOf } from './coverage.ts';
import { runTest, type TestJob } from './run-test.ts';
import { startTestThread, workerFile, type TestThread } from './start-test-thread.ts';
import { testDeps, type HaproxyAtHand } from './test-deps.ts';
import type { TestReport, TestResult } from './test-report.ts';
import { testsToRun } from './tests-to-run.ts';
import type { WorkerData } from './validation-worker.ts';

export interface ValidationOptions {
  readonly config: TemplateConfig;
  /** Asked by `haproxy_valid` and `traffic`, which fail without one. */
  readonly haproxy?: HaproxyAtHand;
  /** PATH for HAProxy. */
  readonly path?: string;
  /** Names of tests. Default: all. */
  readonly only?: readonly string[];
  /**
   * Threads at the same time. Default: as many as processors. 0: none, all in this thread and without a limit of time; so it is, too, where
   * the program of a thread does not lie beside this one.
   */
  readonly workers?: number;
  /** Milliseconds for one test. Default 30 s. */
  readonly timeoutMs?: number;
  /** Whether results hold all that was rendered. */
  readonly keepRendered?: boolean;
  /** Whether results of an `equals` that failed hold its target. */
  readonly keepActual?: boolean;
  /** Whether results tell what was run, and what it cost. */
  readonly profile?: boolean;
  /** Whether the report tells which templates no test ran. */
  readonly coverage?: boolean;
  readonly signal?: AbortSignal;
}

const defaultTimeoutMs = 30_000;

/**
 * Runs the tests of a configuration, each in a thread, and resolves to what came of them, in the order of their names. What is wrong
 * with a test or a template fails that test; a test that does not end in time is ended and has failed. No tests at all is
 * a report of none.
 *
 * @throws CodedError `HAPTIC_ERR_VALIDATION_UNKNOWN_TEST` naming a test of `only` that does not exist
 */
export async function runValidationTests(options: ValidationOptions): Promise<TestReport> {
  const begun = performance.now();
  const jobs = jobsOf(options);
  const { workers = availableParallelism(), signal } = options;
  const file = workers === 0 ? undefined : workerFile(import.meta.url);
  const results: TestResult[] = [];
  const queue = jobs.values();
  const work = async (runner: Runner): Promise<void> => {
    try {
      for (const job of queue) {
        signal?.throwIfAborted();
        results.push(await runner.run(job));
      }
    } finally {
      await runner.end();
    }
  };
  const runners =
    file === undefined ? [inThisThread(options)] : inThreads(file, options, Math.min(workers, jobs.length));
  const settled = await Promise.allSettled(runners.map(work));
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return reportOf(results, (performance.now() - begun) / 1000, options);
}

interface Runner {
  run(job: TestJob): Promise<TestResult>;
  end(): Promise<void>;
}

function jobsOf(options: ValidationOptions): readonly TestJob[] {
  const { config, only, keepRendered = false, keepActual = false } = options;
  const profile = options.profile === true || options.coverage === true;
  return testsToRun(config.validationTests, only).map((test) => ({
    ...test,
    keepRendered,
    keepActual,
    profile,
  }));
}

function inThisThread({ config, haproxy, path }: ValidationOptions): Runner {
  const deps = testDeps({
    config,
    ...(haproxy && { haproxy }),
    folder: tmpdir(),
    ...(path === undefined ? {} : { path }),
    onProcess: () => undefined,
  });
  return { run: (job) => runTest(job, deps), end: () => Promise.resolve() };
}

function inThreads(file: URL, options: ValidationOptions, count: number): readonly Runner[] {
  const { config, haproxy, path } = options;
  const data = {
    config: count === 0 ? '' : JSON.stringify(config),
    ...(haproxy && { haproxy }),
    ...(path === undefined ? {} : { path }),
  };
  return Array.from({ length: count }, () => inOneThread(file, data, options));
}

/** One thread after the other: one that does not answer in time is given up with its test. */
function inOneThread(
  file: URL,
  data: Omit<WorkerData, 'folder'>,
  { timeoutMs = defaultTimeoutMs, signal }: ValidationOptions,
): Runner {
  let thread: TestThread | undefined;
  const end = async (): Promise<void> => {
    const ended = thread;
    thread = undefined;
    await ended?.end();
  };
  return {
    run: async (job) => {
      thread ??= startTestThread(file, data);
      const begun = performance.now();
      const limit = AbortSignal.any([
        AbortSignal.timeout(timeoutMs),
        ...(signal === undefined ? [] : [signal]),
      ]);
      const late = Promise.withResolvers<never>();
      const onAbort = (): void => late.reject(new Error(`it did not end within ${timeoutMs / 1000} s`));
      limit.addEventListener('abort', onAbort, { once: true });
      try {
        return await Promise.race([thread.run(job), late.promise]);
      } catch (error) {
        await end();
        signal?.throwIfAborted();
        return brokenOff(job, errorMessage(error), performance.now() - begun);
      } finally {
        limit.removeEventListener('abort', onAbort);
      }
    },
    end,
  };
}

function brokenOff({ name, test }: TestJob, why: string, tookMs: number): TestResult {
  return {
    testName: name,
    description: test.description ?? '',
    passed: false,
    duration: Math.round(tookMs) / 1000,
    renderError: `the test was broken off: ${why}`,
    assertions: [],
  };
}

function reportOf(
  results: readonly TestResult[],
  duration: number,
  { config, coverage, profile }: ValidationOptions,
): TestReport {
  const passedTests = results.filter(({ passed }) => passed).length;
  const ran = results.map(({ includeStats }) => includeStats ?? []);
  return {
    totalTests: results.length,
    passedTests,
    failedTests: results.length - passedTests,
    duration: Math.round(duration * 1000) / 1000,
    tests: results
      .map(({ includeStats, ...result }) =>
        profile === true && includeStats ? { ...result, includeStats } : result,
      )
      .sort((a, b) => (a.testName < b.testName ? -1 : 1)),
    ...(coverage === true ? { coverage: coverageOf(config, ran) } : {}),
  };
}
