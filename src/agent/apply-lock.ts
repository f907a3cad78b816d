/** Runs tasks one at a time, in the order in which they were asked for. */
export type ApplyLock = <T>(task: () => Promise<T>) => Promise<T>;

export function createApplyLock(): ApplyLock {
  let tail: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = tail.then(task, task);
    tail = result.catch(() => undefined);
    return result;
  };
}
