import { type MonoTypeOperatorFunction, Observable, asyncScheduler } from 'rxjs';

/** Knows for how long pieces of work have been going on. */
export interface StallWatch {
  /**
   * Put on a piece of work: it is going on from its subscription to its end, be that completion, error or unsubscription. Passes everything
   * through untouched.
   *
   * @param limit milliseconds after which it is stalled: no such work ever takes so long
   */
  over<T>(stage: string, limit: number): MonoTypeOperatorFunction<T>;
  /** Stages that are at one piece of work for longer than they may. */
  stalled(): readonly StalledStage[];
  /** All that were ever watched. */
  stages(): readonly string[];
}

export interface StalledStage {
  readonly stage: string;
  /** Milliseconds that the oldest piece of work has been going on. */
  readonly for: number;
}

export function createStallWatch(): StallWatch {
  const begun = new Map<string, Map<object, { readonly at: number; readonly limit: number }>>();
  return {
    over<T>(stage: string, limit: number): MonoTypeOperatorFunction<T> {
      const running = begun.get(stage) ?? new Map<object, { readonly at: number; readonly limit: number }>();
      begun.set(stage, running);
      return (work$) =>
        new Observable<T>((subscriber) => {
          const key = {};
          running.set(key, { at: asyncScheduler.now(), limit });
          // Before the work: it may end while it is subscribed to.
          subscriber.add(() => running.delete(key));
          work$.subscribe(subscriber);
        });
    },
    stalled() {
      const now = asyncScheduler.now();
      return [...begun].flatMap(([stage, running]) => {
        const late = [...running.values()].filter(({ at, limit }) => now - at > limit);
        return late.length === 0 ? [] : [{ stage, for: Math.max(...late.map(({ at }) => now - at)) }];
      });
    },
    stages: () => [...begun.keys()],
  };
}
