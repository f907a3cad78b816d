import { marbles } from 'rxjs-marbles';
import { NEVER, type Observable, defer, from, map, merge, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { EventWritten, SeenEvent } from '../../../src/kube/event-objects.ts';
import { type EventChange, eventFact } from '../../../src/sinks/event-fact.ts';
import type { EventEffects, EventLimits, EventReport } from '../../../src/sinks/event-teller.ts';
import { keepEvents } from '../../../src/sinks/keep-events.ts';

const minutes = 60_000;
const limits: EventLimits = {
  object: { burst: 25, interval: 5 * minutes },
  all: { burst: 100, interval: 200, size: 1_000 },
  refresh: 30 * minutes,
  retry: { min: 1_000, max: 30_000 },
};
const factOf = (name: string, lasting = true, note = 'it is wrong') =>
  eventFact({
    about: { kind: 'Ingress', namespace: 'ns', name },
    type: 'Warning',
    reason: 'BackendMissing',
    action: 'Render',
    note,
    lasting,
  });
const begun = (name: string): EventChange => ({ kind: 'begun', fact: factOf(name) });
const ended = (name: string): EventChange => ({ kind: 'ended', key: factOf(name).key });
const happened = (name: string, note: string): EventChange => ({
  kind: 'happened',
  fact: factOf(name, false, note),
});
const changes = {
  a: begun('a'),
  A: ended('a'),
  b: begun('b'),
  h: happened('a', 'hello'),
  g: begun('gone'),
};
const leading = { l: true, s: false };

function createApi(given: Partial<EventEffects> = {}) {
  const asked: string[] = [];
  const names = new Map<string, string>();
  const effects: EventEffects = {
    find: ({ kind, namespace, name }) =>
      name === 'gone' ? undefined : { apiVersion: 'v1', kind, namespace, name, uid: `uid-${name}` },
    known: () => of(new Map()),
    create: ({ name, regarding }) =>
      defer(() => {
        asked.push(`create ${regarding.name}`);
        names.set(regarding.name, name);
        return of<EventWritten>({ kind: 'done' });
      }),
    repeat: ({ regarding }, count) =>
      defer(() => {
        asked.push(`repeat ${regarding.name} ${count}`);
        return of<EventWritten>({ kind: 'done' });
      }),
    ...given,
  };
  return { asked, effects, names };
}
const words = map(({ kind, fact }: EventReport) => `${kind} ${fact.about.name}`);
const run = (
  change$: Observable<EventChange>,
  effects: EventEffects,
  leader$: Observable<boolean> = of(true),
  some: EventLimits = limits,
) => keepEvents(change$, leader$, effects, some).pipe(words);

describe('keepEvents', () => {
  it(
    'tells what begins and what happens, and what begins again as one more of its series',
    marbles((m) => {
      const change$ = m.hot('a-A-a-h--', changes);
      const { effects, asked } = createApi();
      m.expect(run(change$, effects), '^--------!').toBeObservable('c---r-c--', {
        c: 'created a',
        r: 'repeated a',
      });
      m.expect(change$).toHaveSubscriptions('^--------!');
      m.flush();
      expect(asked).toStrictEqual(['create a', 'repeat a 2', 'create a']);
    }),
  );

  it(
    'tells nothing while it does not lead, and what holds when it does',
    marbles((m) => {
      const change$ = m.hot('a-b-A-h---', changes);
      const leader$ = m.hot('s------l-s', leading);
      const { effects } = createApi();
      m.expect(run(change$, effects, leader$), '^---------!').toBeObservable('-------c--', {
        c: 'created b',
      });
      m.expect(leader$).toHaveSubscriptions('^---------!');
      m.expect(change$).toHaveSubscriptions('^---------!');
    }),
  );

  it(
    'does not tell again what a former process told, until it is due or begins anew',
    marbles((m) => {
      const { effects, asked, names } = createApi();
      let known = new Map<string, SeenEvent>();
      const leader$ = m.hot('l-s---l----', leading);
      const change$ = m.hot('a------A-a-', changes);
      const result$ = run(change$, { ...effects, known: () => defer(() => of(known)) }, leader$);
      m.hot('---k').subscribe(() => (known = new Map([[names.get('a') ?? '', { count: 3, lastSeen: 0 }]])));
      m.expect(result$, '^----------!').toBeObservable('c--------r-', { c: 'created a', r: 'repeated a' });
      m.flush();
      expect(asked).toStrictEqual(['create a', 'repeat a 4']);
    }),
  );

  it(
    'tells again what holds on, before it expires',
    marbles((m) => {
      const change$ = m.hot('a', changes);
      const { effects, asked } = createApi();
      m.expect(run(change$, effects), '^ 61m !').toBeObservable('c 1799999ms r 1799999ms r', {
        c: 'created a',
        r: 'repeated a',
      });
      m.flush();
      expect(asked).toStrictEqual(['create a', 'repeat a 2', 'repeat a 3']);
    }),
  );

  it(
    'asks what was told before it tells anything, and loses nothing meanwhile',
    marbles((m) => {
      const change$ = m.hot('-ah--', changes);
      const known$ = m.cold('  ---(k|)', { k: new Map<string, SeenEvent>() });
      const { effects } = createApi({ known: () => known$ });
      m.expect(run(change$, effects), '^------!').toBeObservable('---(cc)', { c: 'created a' });
      m.expect(known$).toHaveSubscriptions('^--!');
    }),
  );

  it(
    'takes any number of facts that wait for that',
    marbles((m) => {
      const known$ = m.cold('-(k|)', { k: new Map<string, SeenEvent>() });
      const { effects, asked } = createApi({ known: () => known$ });
      const many = Array.from({ length: 20_000 }, (_, index) => begun(`n${index}`));
      const some = { ...limits, all: { burst: 30_000, interval: 1, size: 30_000 } };
      const running = run(merge(from(many), NEVER), effects, of(true), some).subscribe();
      m.cold('---(a|)').subscribe(() => {
        running.unsubscribe();
        expect(asked).toHaveLength(20_000);
      });
      m.expect(known$).toHaveSubscriptions('^!');
    }),
  );

  it(
    'drops what is about an object that is gone, or of which there were too many',
    marbles((m) => {
      const change$ = m.hot('(gaAaAaAab)', changes);
      const { effects, asked } = createApi();
      const some = { ...limits, object: { burst: 2, interval: minutes } };
      m.expect(run(change$, effects, of(true), some), '^-----------!').toBeObservable('(gcrxxb)', {
        g: 'dropped gone',
        c: 'created a',
        r: 'repeated a',
        x: 'dropped a',
        b: 'created b',
      });
      m.flush();
      expect(asked).toStrictEqual(['create a', 'repeat a 2', 'create b']);
    }),
  );

  it(
    'lets no more out than all together may, and does not tell what is over when its turn comes',
    marbles((m) => {
      const change$ = m.hot('(hab)A', changes);
      const { effects, asked } = createApi();
      const some = { ...limits, all: { burst: 1, interval: 100, size: 10 } };
      m.expect(run(change$, effects, of(true), some), '^ 500ms !').toBeObservable('h 199ms b', {
        h: 'created a',
        b: 'created b',
      });
      m.flush();
      expect(asked).toHaveLength(2);
    }),
  );

  it(
    'waits for an API that does not answer, and creates anew what has expired',
    marbles((m) => {
      let attempts = 0;
      const away: EventWritten = { kind: 'unavailable', message: '503' };
      const change$ = m.hot('a 3s A a', changes);
      const { effects } = createApi({
        create: () => defer(() => of<EventWritten>(attempts++ < 2 ? away : { kind: 'done' })),
        repeat: () => of<EventWritten>({ kind: 'gone' }),
      });
      m.expect(run(change$, effects), '^ 4s !').toBeObservable('f 999ms f 1999ms c-c', {
        f: 'failed a',
        c: 'created a',
      });
    }),
  );

  it(
    'ends what is under way when it leads no more',
    marbles((m) => {
      const never = m.cold<EventWritten>('-----');
      const change$ = m.hot('a-----', changes);
      const leader$ = m.hot('l--s--', leading);
      const { effects } = createApi({ create: () => never });
      m.expect(run(change$, effects, leader$), '^-----!').toBeObservable('------');
      m.expect(never).toHaveSubscriptions('^--!');
    }),
  );
});
