const few = 16;

/** Does the same for all that come, in order of arrival, and for a few of them between two turns of the event loop. */
export function fewInEachTurn<T>(work: (one: T) => void): (one: T) => void {
  const waiting: T[] = [];
  const next = (): void => {
    for (const one of waiting.splice(0, few)) work(one);
    if (waiting.length > 0) setImmediate(next);
  };
  return (one) => {
    if (waiting.push(one) === 1) setImmediate(next);
  };
}
