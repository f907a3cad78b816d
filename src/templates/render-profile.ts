/** What a template, a forEach body, a snippet or a helper cost so far. */
export interface ProfileEntry {
  /** `template`: the text around fragments, by template. `fragment`: a forEach body, by place. */
  readonly kind: 'template' | 'fragment' | 'snippet' | 'helper';
  readonly name: string;
  readonly count: number;
  /** Milliseconds, with what it called. Of a snippet that calls itself, the outermost call counts. */
  readonly totalMs: number;
  /** Milliseconds without what it called. */
  readonly selfMs: number;
}

export interface RenderProfile {
  measure<T>(kind: ProfileEntry['kind'], name: string, work: () => T): T;
  /** The most expensive first, by their own time. */
  entries(): readonly ProfileEntry[];
}

interface Counter {
  readonly kind: ProfileEntry['kind'];
  readonly name: string;
  count: number;
  totalMs: number;
  selfMs: number;
  /** Calls of it that are running. */
  depth: number;
}

/** @param now milliseconds, monotonic */
export function createRenderProfile(now: () => number): RenderProfile {
  const counters = new Map<string, Counter>();
  /** Time spent in what the running calls called, innermost last. */
  const inner: number[] = [];

  const counterOf = (kind: ProfileEntry['kind'], name: string): Counter => {
    const key = `${kind} ${name}`;
    const counter = counters.get(key) ?? { kind, name, count: 0, totalMs: 0, selfMs: 0, depth: 0 };
    counters.set(key, counter);
    return counter;
  };

  return {
    measure(kind, name, work) {
      const counter = counterOf(kind, name);
      counter.count++;
      counter.depth++;
      inner.push(0);
      const begun = now();
      try {
        return work();
      } finally {
        const took = now() - begun;
        counter.depth--;
        counter.selfMs += took - (inner.pop() ?? 0);
        if (counter.depth === 0) counter.totalMs += took;
        const around = inner.length - 1;
        if (around >= 0) inner[around] = (inner[around] ?? 0) + took;
      }
    },
    entries: () =>
      [...counters.values()]
        .map(({ kind, name, count, totalMs, selfMs }) => ({ kind, name, count, totalMs, selfMs }))
        .sort((a, b) => b.selfMs - a.selfMs || (a.name < b.name ? -1 : 1)),
  };
}
