import { PerformanceObserver } from 'node:perf_hooks';

/** What kept the event loop longest: milliseconds of the clock, and of this thread's CPU, which others on the machine do not make longer. */
export interface Block {
  readonly wall: number;
  readonly cpu: number;
  /** The longest pause of V8's collector alone, by the clock: it is within a block, and no code of ours makes it shorter. */
  readonly collector: number;
}

export interface Blocks {
  readonly longest: () => Block;
  /** Forgets what was so far. */
  restart(): void;
  stop(): Block;
}

/**
 * Longest time between two looks, less the wait between them.
 *
 * @param waitMs milliseconds between looks, for what else is to have the machine meanwhile; absent: with every turn of the event loop
 */
export function watchBlocks(waitMs?: number): Blocks {
  let longest: Block = { wall: 0, cpu: 0, collector: 0 };
  const collections = new PerformanceObserver((list) => {
    const pauses = list.getEntries().map(({ duration }) => duration);
    longest = { ...longest, collector: Math.max(longest.collector, ...pauses) };
  });
  collections.observe({ entryTypes: ['gc'] });
  let last = performance.now();
  let lastCpu = cpuMs();
  let running = true;
  const next = (): void => {
    if (waitMs === undefined) setImmediate(turn);
    else setTimeout(turn, waitMs);
  };
  const turn = (): void => {
    const now = performance.now();
    const cpu = cpuMs();
    longest = {
      ...longest,
      wall: Math.max(longest.wall, now - last - (waitMs ?? 0)),
      cpu: Math.max(longest.cpu, cpu - lastCpu),
    };
    last = now;
    lastCpu = cpu;
    if (running) next();
  };
  next();
  return {
    longest: () => longest,
    restart: () => {
      longest = { wall: 0, cpu: 0, collector: 0 };
    },
    stop: () => {
      running = false;
      collections.disconnect();
      return longest;
    },
  };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
