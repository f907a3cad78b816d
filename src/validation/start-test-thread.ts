import { existsSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { TestJob } from './run-test.ts';
import type { TestResult } from './test-report.ts';
import type { WorkerData, WorkerMessage } from './validation-worker.ts';

/** A thread that runs one test after the other. */
export interface TestThread {
  /** Rejects when the thread dies. One at a time. */
  run(job: TestJob): Promise<TestResult>;
  /** Ends it at once, with the processes that it started and the files that it wrote. */
  end(): Promise<void>;
}

/** Heap of one thread: a render that needs more than this does not end by itself. */
const maxHeapMb = 1024;

/** The program of a thread: beside this file in a working copy, and in the folder of the bundle elsewhere. */
export function workerFile(moduleUrl: string): URL | undefined {
  return [
    './validation-worker.ts',
    './validation-worker.js',
    '../validation-worker.js',
    '../../validation-worker.js',
  ]
    .map((name) => new URL(name, moduleUrl))
    .find((url) => existsSync(fileURLToPath(url)));
}

export function startTestThread(file: URL, data: Omit<WorkerData, 'folder'>): TestThread {
  const folder = mkdtempSync(path.join(tmpdir(), `haptic-tests-${process.pid}-`));
  const workerData: WorkerData = { ...data, folder };
  const worker = new Worker(file, {
    workerData,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  });
  const processes = new Set<number>();
  let waiting: PromiseWithResolvers<TestResult> | undefined;
  let death: Error | undefined;
  const die = (error: Error): void => {
    death ??= error;
    waiting?.reject(death);
  };
  worker.on('message', (message: WorkerMessage) => {
    if (message.kind === 'result') waiting?.resolve(message.result);
    else if (message.runs) processes.add(message.pid);
    else processes.delete(message.pid);
  });
  worker.on('error', (error) => die(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', () => die(new Error('its thread ended')));
  return {
    run: (job) => {
      waiting = Promise.withResolvers();
      if (death === undefined) worker.postMessage(job);
      else waiting.reject(death);
      return waiting.promise;
    },
    end: async () => {
      await worker.terminate();
      for (const pid of processes) killQuietly(pid);
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
