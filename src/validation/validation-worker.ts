import { parentPort, workerData } from 'node:worker_threads';
import type { TestJob } from './run-test.ts';
import { runTest } from './run-test.ts';
import { testDeps, type TestDepsOptions } from './test-deps.ts';
import type { TestResult } from './test-report.ts';

/** What a thread is started with. */
export interface WorkerData extends Omit<TestDepsOptions, 'onProcess' | 'config'> {
  /** As JSON: a text is copied into each thread in no time, an object is walked through for each. */
  readonly config: string;
}

/** What a thread says to the one that started it. */
export type WorkerMessage =
  | { readonly kind: 'result'; readonly result: TestResult }
  | { readonly kind: 'process'; readonly pid: number; readonly runs: boolean };

const port = parentPort;
if (port !== null) {
  const say = (message: WorkerMessage): void => port.postMessage(message);
  const { config, ...given } = workerData as WorkerData;
  const deps = testDeps({
    ...given,
    config: JSON.parse(config) as TestDepsOptions['config'],
    onProcess: (pid, runs) => say({ kind: 'process', pid, runs }),
  });
  port.on('message', (job: TestJob) => {
    // A rejection is a bug: unhandled, it ends the thread, and its test fails with that.
    void runTest(job, deps).then((result) => say({ kind: 'result', result }));
  });
}
