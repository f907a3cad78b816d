import { setImmediate } from 'node:timers/promises';
import { type BackoffPolicy, backoffDelay } from '../../lib/backoff.ts';

export interface WorkQueue {
  /** Has `key` worked on soon; asking again while it waits is one piece of work, while it runs one more. */
  readonly add: (key: string) => void;
  /** Resolves when nothing runs or waits for its turn; what waits for its next try does not count. */
  readonly idle: () => Promise<void>;
  /** Drops what waits and resolves when what runs is done. */
  readonly stop: () => Promise<void>;
}

export interface WorkQueueOptions {
  readonly work: (key: string) => Promise<void>;
  /** Told of every failed try; the key is tried again by the policy. */
  readonly onError: (key: string, error: unknown) => void;
  readonly policy?: BackoffPolicy;
}

const defaultPolicy: BackoffPolicy = { min: 50, max: 5_000, factor: 2, jitter: 0, resetAfter: 0 };

/** Level-triggered work by key: one run per key at a time, all keys at once, latest wins, failures are tried again. */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const policy = options.policy ?? defaultPolicy;
  const running = new Map<string, Promise<void>>();
  const again = new Set<string>();
  const retries = new Map<string, { attempt: number; timer: NodeJS.Timeout | undefined }>();
  let stopped = false;

  const run = async (key: string) => {
    try {
      // A turn later: a burst of changes is one piece of work, and work that asks for itself cannot starve the process.
      await setImmediate();
      await options.work(key);
      retries.delete(key);
    } catch (error) {
      if (stopped) return;
      options.onError(key, error);
      retryLater(key);
    }
  };
  const retryLater = (key: string) => {
    const attempt = retries.get(key)?.attempt ?? 0;
    const timer = setTimeout(() => add(key), backoffDelay(policy, attempt, 0.5));
    retries.set(key, { attempt: attempt + 1, timer });
  };
  const add = (key: string) => {
    if (stopped) return;
    const retry = retries.get(key);
    if (retry?.timer !== undefined) {
      clearTimeout(retry.timer);
      retry.timer = undefined;
    }
    if (running.has(key)) {
      again.add(key);
      return;
    }
    running.set(
      key,
      run(key).then(() => {
        running.delete(key);
        if (again.delete(key)) add(key);
      }),
    );
  };
  return {
    add,
    idle: async () => {
      while (running.size > 0) await Promise.all(running.values());
    },
    stop: async () => {
      stopped = true;
      again.clear();
      for (const { timer } of retries.values()) clearTimeout(timer);
      await Promise.all(running.values());
    },
  };
}
