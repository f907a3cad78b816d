import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeFailure } from '../../../src/kube/kube-failure.ts';
import {
  initialListWatchState,
  silenceLimit,
  type ListWatchInput,
  type ListWatchSignal,
  type ListWatchState,
} from '../../../src/streams/list-watch-state.ts';
import { defaultListWatchPolicy } from '../../../src/streams/list-watch-policy.ts';
import { step } from '../../../src/streams/list-watch-step.ts';
import type { WatchLine } from '../../../src/streams/parse-watch-line.ts';
import type { WatchEvent } from '../../../src/streams/watch-event.ts';
import { object } from '../../fixtures/kube-stream.ts';

const failure: fc.Arbitrary<KubeFailure> = fc.oneof(
  fc.record({
    kind: fc.constant('http' as const),
    status: fc.constantFrom(400, 401, 403, 404, 405, 409, 410, 422, 429, 500, 503, 504),
    reason: fc.constantFrom('', 'Expired', 'Forbidden'),
    message: fc.constant('no'),
    retryAfterMs: fc.integer({ min: 0, max: 300_000 }),
  }),
  fc.constant<KubeFailure>({ kind: 'network', code: 'ECONNRESET', message: 'cut' }),
  fc.constant<KubeFailure>({ kind: 'protocol', message: 'garbage' }),
  fc.constant<KubeFailure>({ kind: 'credentials', message: 'none' }),
);
const version = fc.nat({ max: 50 }).map(String);
const name = fc.constantFrom('a', 'b', 'c');
const someObject = fc.tuple(name, version).map(([name, version]) => object(`${name}@${version}`));
const problem = {
  severity: 'error',
  reason: 'MalformedObject',
  field: 'metadata',
  message: 'x',
  owner: { kind: 'Widget', namespace: '', name: '' },
} as const;
const watchLine: fc.Arbitrary<WatchLine> = fc.oneof(
  fc.record({
    kind: fc.constant('object' as const),
    change: fc.constantFrom('added' as const, 'modified' as const, 'deleted' as const),
    object: someObject,
  }),
  fc.record({
    kind: fc.constant('bookmark' as const),
    resourceVersion: version,
    initialEventsEnd: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('malformed' as const),
    problem: fc.constant(problem),
    resourceVersion: version,
  }),
  fc.record({ kind: fc.constant('error' as const), failure }),
  fc.constant<WatchLine>({ kind: 'garbage', message: 'x' }),
);
const signal: fc.Arbitrary<ListWatchSignal> = fc.oneof(
  fc.constantFrom<ListWatchSignal>(
    { kind: 'opened' },
    { kind: 'elapsed' },
    { kind: 'elapsed' },
    { kind: 'closed' },
  ),
  fc.constantFrom<ListWatchSignal>({ kind: 'opened' }, { kind: 'start' }, { kind: 'silent' }),
  fc.record({ kind: fc.constant('failed' as const), failure }),
  fc.record({ kind: fc.constant('lines' as const), lines: fc.array(watchLine, { maxLength: 4 }) }),
  fc.record({
    kind: fc.constant('objects' as const),
    objects: fc.array(
      fc.oneof(
        someObject.map((object) => ({ ok: true, object }) as const),
        fc.constant({ ok: false, problem } as const),
      ),
      { maxLength: 3 },
    ),
  }),
  fc.record({
    kind: fc.constant('list-end' as const),
    resourceVersion: version,
    continue: fc.constantFrom(undefined, undefined, 'next'),
  }),
);
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const inputs = fc.array(fc.tuple(signal, fc.nat({ max: 200_000 }), random), { maxLength: 60 });

/** Runs the machine on any inputs, from its start; every state is frozen, so that a step cannot write into it. */
function run(steps: readonly (readonly [ListWatchSignal, number, number])[]) {
  let at = 0;
  let state = freeze(initialListWatchState(defaultListWatchPolicy));
  const trace: { before: ListWatchState; input: ListWatchInput; result: ReturnType<typeof step> }[] = [];
  for (const [signal, wait, random] of [[{ kind: 'start' }, 0, 0] as const, ...steps]) {
    at += wait;
    const input = freeze({ ...signal, at, random });
    const before = state;
    const result = step(state, input);
    expect(step(before, input)).toEqual(result);
    state = freeze(result.state);
    trace.push({ before, input, result });
  }
  return trace;
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}

describe('step, on any inputs in any order', () => {
  it('is pure, and its effect is what its activity waits for', () => {
    const effectOf = {
      listing: 'list',
      'streaming-list': 'watch',
      watching: 'watch',
      waiting: 'wait',
      idle: undefined,
    };
    fc.assert(
      fc.property(inputs, (inputs) => {
        let running: string | undefined;
        for (const { result } of run(inputs)) {
          running = result.effect?.kind ?? running;
          expect(running).toBe(effectOf[result.state.activity.kind]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('brackets every list: no init-done without its init, and no other change within', () => {
    fc.assert(
      fc.property(inputs, (inputs) => {
        let open = false;
        for (const event of eventsOf(run(inputs))) {
          if (event.kind === 'init') open = true;
          if (event.kind === 'init-apply' || event.kind === 'init-done') expect(open).toBe(true);
          if (event.kind === 'apply') expect(open).toBe(false);
          if (event.kind === 'init-done') open = false;
        }
      }),
      { numRuns: 500 },
    );
  });

  it('says recovered only of what it called degraded, and absent only before the kind was seen', () => {
    fc.assert(
      fc.property(inputs, (inputs) => {
        let degraded = false;
        let seen = false;
        for (const event of eventsOf(run(inputs))) {
          if (event.kind === 'init-done') seen = true;
          if (event.kind === 'absent') expect(seen).toBe(false);
          if (event.kind === 'recovered') expect(degraded).toBe(true);
          if (event.kind === 'degraded') degraded = true;
          if (event.kind === 'recovered') degraded = false;
        }
      }),
      { numRuns: 500 },
    );
  });

  it('never waits longer than its policy or the server says, never not at all, and always leaves a wait', () => {
    const { backoff, slowRetry } = defaultListWatchPolicy;
    const longest = Math.max(backoff.max, slowRetry) * (1 + backoff.jitter);
    fc.assert(
      fc.property(inputs, (inputs) => {
        for (const { before, input, result } of run(inputs)) {
          if (result.effect?.kind === 'wait') {
            expect(result.effect.ms).toBeGreaterThan(0);
            expect(result.effect.ms).toBeLessThanOrEqual(Math.max(longest, 300_000));
          }
          if (before.activity.kind === 'waiting' && input.kind === 'elapsed')
            expect(['list', 'watch']).toContain(result.effect?.kind);
          expect(result.state.held).toBeGreaterThanOrEqual(0);
          expect(result.state.attempt).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('forgets objects only by a list that says so or a deletion: an empty list needs a second one', () => {
    fc.assert(
      fc.property(inputs, (inputs) => {
        let unconfirmed = false;
        for (const { before, result } of run(inputs)) {
          const done = result.events.findIndex(({ kind }) => kind === 'init-done');
          const doubted = result.events.some(({ kind }) => kind === 'empty-unconfirmed');
          if (done !== -1 && before.held > 0 && listedCount(before) === 0 && !result.events.some(isInitApply))
            expect(unconfirmed).toBe(true);
          if (doubted) unconfirmed = true;
          else if (done !== -1) unconfirmed = false;
        }
      }),
      { numRuns: 500 },
    );
  });

  it('watches for silence exactly while a watch runs', () => {
    fc.assert(
      fc.property(inputs, (inputs) => {
        for (const { result } of run(inputs)) {
          const isWatch = ['watching', 'streaming-list'].includes(result.state.activity.kind);
          expect(silenceLimit(result.state) !== undefined).toBe(isWatch);
        }
      }),
    );
  });
});

function eventsOf(trace: ReturnType<typeof run>): WatchEvent[] {
  return trace.flatMap(({ result }) => result.events);
}

function isInitApply({ kind }: WatchEvent): boolean {
  return kind === 'init-apply';
}

function listedCount({ activity }: ListWatchState): number {
  return activity.kind === 'listing'
    ? activity.list.count
    : activity.kind === 'streaming-list'
      ? activity.count
      : 0;
}

describe('step: watches', () => {
  const start = { at: 0, random: 0 };

  it('draws timeoutSeconds from its range, and is idle five seconds later', () => {
    const state = initialListWatchState(defaultListWatchPolicy);
    for (const [random, seconds] of [
      [0, 240],
      [0.5, 265],
      [0.999999, 290],
    ] as const) {
      const { effect, state: next } = step(state, { kind: 'start', at: 0, random });
      expect(effect).toMatchObject({ kind: 'watch', timeoutSeconds: seconds, idleMs: seconds * 1000 + 5000 });
      expect(silenceLimit(next)).toBe(seconds * 1000 + 5000);
    }
  });

  it('starts once', () => {
    const { state } = step(initialListWatchState(defaultListWatchPolicy), { kind: 'start', ...start });
    expect(step(state, { kind: 'start', ...start })).toEqual({ state, events: [] });
  });
});
