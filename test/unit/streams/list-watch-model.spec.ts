import fc from 'fast-check';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { listDecoder } from '../../../src/streams/list-decoder.ts';
import { defaultListWatchPolicy } from '../../../src/streams/list-watch-policy.ts';
import {
  initialListWatchState,
  type ListWatchEffect,
  type ListWatchSignal,
} from '../../../src/streams/list-watch-state.ts';
import { step } from '../../../src/streams/list-watch-step.ts';
import { reflect } from '../../../src/streams/reflect.ts';
import type { WatchEvent } from '../../../src/streams/watch-event.ts';
import { watchDecoder } from '../../../src/streams/watch-decoder.ts';
import { bookmark, errorLine, failed, line, marker } from '../../fixtures/kube-stream.ts';

const widgets = { apiVersion: 'example.com/v1', resources: 'widgets' };

/** A generator of numbers in [0, 1) that a seed fixes (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

interface Stored {
  readonly uid: string;
  readonly version: number;
}

/** An API server in miniature: objects, a log of changes that is compacted now and then, and answers that go wrong. */
function modelServer(random: () => number) {
  const objects = new Map<string, Stored>();
  const log: { readonly version: number; readonly text: string }[] = [];
  let version = 1;
  let compacted = 0;
  let calm = false;
  let streaming = random() < 0.6;
  const chance = (share: number): boolean => !calm && random() < share;
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  const show = (name: string, { uid, version }: Stored) => ({
    metadata: { name, namespace: 'ns', uid, resourceVersion: String(version) },
  });

  const mutate = (): void => {
    const name = pick(['a', 'b', 'c', 'd']);
    const before = objects.get(name);
    version += 1;
    if (before === undefined || random() < 0.5) {
      const after = { uid: before?.uid ?? `uid-${version}`, version };
      objects.set(name, after);
      log.push({ version, text: line(before === undefined ? 'ADDED' : 'MODIFIED', show(name, after)) });
    } else {
      objects.delete(name);
      log.push({ version, text: line('DELETED', show(name, { ...before, version })) });
    }
  };
  /** The log after a version, also what is added while it is told; returns the version it got to. */
  function* since(from: number): Generator<string, number> {
    let seen = from;
    for (const { version, text } of log) {
      if (version <= seen) continue;
      yield text;
      seen = version;
    }
    return seen;
  }

  function* textOf(effect: ListWatchEffect & { kind: 'list' | 'watch' }): Generator<string | number> {
    if (effect.kind === 'list') {
      const names = [...objects.keys()];
      const start = effect.continue === undefined ? 0 : Number(effect.continue.split(':')[1]);
      const at = effect.continue === undefined ? version : Number(effect.continue.split(':')[0]);
      // A page of an older version than now would need history: such a token has expired.
      if (effect.continue !== undefined && at !== version) {
        yield 410;
        return;
      }
      const end = effect.limit === undefined ? names.length : start + 2;
      const metadata = {
        resourceVersion: String(at),
        ...(end < names.length ? { continue: `${at}:${end}` } : {}),
      };
      const items = names.slice(start, end).map((name) => show(name, objects.get(name)!));
      yield JSON.stringify({ kind: 'WidgetList', metadata, items });
      return;
    }
    let seen = version;
    if (effect.resourceVersion === undefined) {
      if (!streaming) {
        yield 422;
        return;
      }
      for (const [name, stored] of objects) yield line('ADDED', show(name, stored));
      seen = yield* since(seen);
      yield marker(String(seen));
    } else {
      seen = Number(effect.resourceVersion);
      if (seen < compacted) {
        yield random() < 0.5 ? 410 : errorLine(410, 'Expired');
        return;
      }
    }
    while (calm || !chance(0.2)) {
      seen = yield* since(seen);
      if (chance(0.3)) yield bookmark(String(seen));
      if (calm) return;
      yield '';
    }
  }

  return {
    expected: () =>
      new Map([...objects].map(([name, stored]) => [`ns/${name}`, show(name, stored).metadata])),
    calmDown: (): void => {
      calm = true;
      streaming = true;
    },
    /** What happens to one request, as the signals that the runner would give. */
    *answer(effect: ListWatchEffect): Generator<ListWatchSignal> {
      if (effect.kind === 'wait') {
        yield { kind: 'elapsed' };
        return;
      }
      const decoder = effect.kind === 'list' ? listDecoder(widgets) : watchDecoder(widgets);
      if (chance(0.2)) yield* faults(pick);
      let opened = false;
      let buffered = '';
      for (const text of textOf(effect)) {
        if (typeof text === 'number') {
          yield failed(text) as ListWatchSignal;
          return;
        }
        if (!opened) yield { kind: 'opened' };
        opened = true;
        if (chance(0.3)) mutate();
        if (chance(0.05)) compacted = version;
        buffered += text;
        const cut = Math.floor(random() * (buffered.length + 1));
        yield* decoder.push(buffered.slice(0, cut));
        buffered = buffered.slice(cut);
        if (chance(0.03)) yield* decoder.push('\ngarbage\n');
        if (chance(0.03)) yield* faults(pick);
      }
      yield* decoder.push(buffered);
      if (!(calm && effect.kind === 'watch')) yield decoder.end();
    },
  };
}

function* faults(pick: <T>(choices: readonly T[]) => T): Generator<ListWatchSignal> {
  const status = pick([0, 0, 400, 401, 403, 404, 410, 429, 500, 503]);
  yield status === 0
    ? { kind: 'failed', failure: { kind: 'network', code: 'ECONNRESET', message: 'cut' } }
    : (failed(status) as ListWatchSignal);
}

/** Runs the machine against the server until it is calm and all is told; returns what the store then holds. */
function follow(seed: number): {
  actual: Map<string, unknown>;
  expected: Map<string, unknown>;
  tokens: number;
} {
  const random = seeded(seed);
  const server = modelServer(random);
  const store = new Map<string, KubeObject>();
  const event$ = new Subject<WatchEvent>();
  let tokens = 0;
  event$
    .pipe(
      reflect('widgets', {
        set: (key, value) => void store.set(key, value),
        delete: (key) => void store.delete(key),
        replace: (entries) => {
          const all = [...entries];
          store.clear();
          for (const [key, value] of all) store.set(key, value);
        },
      }),
    )
    .subscribe(() => tokens++);

  let at = 0;
  let state = initialListWatchState({ ...defaultListWatchPolicy, pageSize: 2 });
  let effect: ListWatchEffect | undefined;
  const advance = (signal: ListWatchSignal): boolean => {
    at += Math.floor(random() * 20_000);
    const result = step(state, { ...signal, at, random: random() });
    ({ state } = result);
    for (const event of result.events) event$.next(event);
    if (result.effect === undefined) return false;
    effect = result.effect;
    return true;
  };
  advance({ kind: 'start' });
  for (let round = 0; round < 80; round++) {
    if (round === 40) server.calmDown();
    if (effect === undefined) break;
    const running: ListWatchEffect = effect;
    let replaced = false;
    for (const signal of server.answer(running)) {
      replaced = advance(signal);
      if (replaced) break;
    }
    // The calm server's watch has told everything and stays open.
    if (round >= 40 && !replaced && state.activity.kind === 'watching') break;
    if (!replaced) advance({ kind: 'closed' });
  }
  const actual = new Map(
    [...store].map(([key, { metadata }]) => {
      const { name, namespace, uid, resourceVersion } = metadata;
      return [key, { name, namespace, uid, resourceVersion }] as const;
    }),
  );
  return { actual, expected: server.expected(), tokens };
}

describe('list+watch and reflect, against an API that changes and fails at random', () => {
  it('end with exactly what the API holds', () => {
    let withObjects = 0;
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const { actual, expected, tokens } = follow(seed);
        expect(new Map([...actual].sort())).toEqual(new Map([...expected].sort()));
        expect(tokens).toBeGreaterThan(0);
        if (expected.size > 0) withObjects++;
      }),
      { numRuns: 1500 },
    );
    expect(withObjects).toBeGreaterThan(500);
  });
});
