import { marbles } from 'rxjs-marbles';
import { type Observable, defer, map, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { type JsonObject, referenceKey } from '../../../src/protocol/declared.ts';
import type { StatusWish } from '../../../src/sinks/status-book.ts';
import type { OwnStatuses } from '../../../src/sinks/status-memory.ts';
import type { StatusApplied } from '../../../src/kube/status-objects.ts';
import { type StatusReport, writeStatuses } from '../../../src/sinks/status-writer.ts';

const timing = { retry: { min: 1_000, max: 8_000 }, forbidden: 60_000 };
const targetOf = (name: string) => ({
  apiVersion: 'v1',
  kind: name.startsWith('o') ? 'Other' : 'Widget',
  namespace: 'ns',
  name,
});
const keyOf = (name: string) => referenceKey(targetOf(name));

/** `a r=1 d=2`: of `a`, haptic-rendered says r: 1 and haptic-deployed says d: 2; `-d`: it is not known whether that holds. */
function wish(words: string): StatusWish {
  const [name = '', ...rest] = words.split(' ');
  const managers = { r: 'haptic-rendered', d: 'haptic-deployed', f: 'haptic-validateFailed' } as const;
  const managerOf = (letter: string) => managers[letter as keyof typeof managers];
  if (rest.length === 0) return { key: keyOf(name), parts: [], kept: [] };
  return {
    key: keyOf(name),
    target: targetOf(name),
    parts: rest
      .filter((word) => !word.startsWith('-'))
      .map((word) => {
        const [fields = '', value = ''] = word.split('=');
        const content = Object.fromEntries(
          fields.split('+').map((field) => [field.length > 1 ? field.slice(1) : field, value]),
        );
        return [managerOf(fields.charAt(0)), content] as const;
      }),
    kept: rest.filter((word) => word.startsWith('-')).map((word) => managerOf(word.slice(1))),
  };
}

/** An API that keeps statuses by manager, and a protocol of what was asked. */
function createApi(
  answers: Readonly<Record<string, (attempt: number) => Observable<StatusApplied> | undefined>> = {},
) {
  const asked: string[] = [];
  const statuses = new Map<string, Map<string, JsonObject>>();
  const attempts = new Map<string, number>();
  let version = 100;
  const objectOf = (name: string, uid = `uid-${name}`): KubeObject => ({
    metadata: { name, uid, resourceVersion: String(version) },
    status: Object.assign({}, ...(statuses.get(name)?.values() ?? [])) as JsonObject,
  });
  return {
    asked,
    apply: ({
      target: { name },
      manager,
      status,
      uid,
    }: {
      readonly target: { readonly name: string };
      readonly manager: string;
      readonly status?: JsonObject;
      readonly uid?: string;
    }) =>
      defer(() => {
        const said =
          status === undefined
            ? 'nothing'
            : Object.entries(status)
                .map(([k, v]) => `${k}=${String(v)}`)
                .join('+');
        asked.push(`${name} ${manager.replace('haptic-', '')} ${said}`);
        const attempt = attempts.get(name) ?? 0;
        attempts.set(name, attempt + 1);
        const other = answers[name]?.(attempt);
        if (other !== undefined) return other;
        const kept = statuses.get(name) ?? new Map<string, JsonObject>();
        statuses.set(name, kept);
        if (status === undefined) kept.delete(manager);
        else kept.set(manager, status);
        version += 1;
        return of<StatusApplied>({ kind: 'done', object: objectOf(name, uid) });
      }),
  };
}

type Api = ReturnType<typeof createApi>;
const words = map(({ kind, object, manager }: StatusReport) =>
  [kind, object.split('/').at(-1), manager.replace('haptic-', '')].join(' '),
);
const run = (
  wish$: Observable<StatusWish>,
  api: Api,
  live: (name: string) => KubeObject | 'absent' | undefined = () => undefined,
  own: OwnStatuses = new Map(),
) => writeStatuses(wish$, { apply: api.apply, live: ({ name }) => live(name) }, timing, own).pipe(words);

const live = (name: string, status: JsonObject, version = '50', uid = `uid-${name}`): KubeObject => ({
  metadata: { name, uid, resourceVersion: version },
  status,
});

describe('writeStatuses', () => {
  it(
    'writes what is new, asks nothing of what did not change, and gives up what is wished no more',
    marbles((m) => {
      const wishes = m.hot('a----b-a-c-d----e-', {
        a: wish('a r=1 d=1'),
        b: wish('b r=1'),
        c: wish('a r=2 d=1'),
        d: wish('a d=1'),
        e: wish('a'),
      });
      const api = createApi();
      m.expect(run(wishes, api), '^-----------------!').toBeObservable('(xy)-z---u-v----w', {
        x: 'written a rendered',
        y: 'written a deployed',
        z: 'written b rendered',
        u: 'written a rendered',
        v: 'withdrawn a rendered',
        w: 'withdrawn a deployed',
      });
      m.expect(wishes).toHaveSubscriptions('^-----------------!');
      m.flush();
      expect(api.asked).toStrictEqual([
        'a rendered r=1',
        'a deployed d=1',
        'b rendered r=1',
        'a rendered r=2',
        'a rendered nothing',
        'a deployed nothing',
      ]);
    }),
  );

  it(
    'has the later of two that say the same field, and writes it before the other gives it up',
    marbles((m) => {
      const wishes = m.hot('a----b------c-', {
        a: wish('a rphase=1'),
        b: wish('a rphase=1 fphase=bad'),
        c: wish('a rphase=1'),
      });
      const api = createApi();
      m.expect(run(wishes, api)).toBeObservable('x----(fw)---(xg)', {
        x: 'written a rendered',
        f: 'written a validateFailed',
        w: 'withdrawn a rendered',
        g: 'withdrawn a validateFailed',
      });
    }),
  );

  it(
    'writes nothing that stands there already, and can give it up even so',
    marbles((m) => {
      const wishes = m.hot('a-b', { a: wish('a r=1'), b: wish('a') });
      const api = createApi();
      m.expect(run(wishes, api, (name) => live(name, { r: '1', others: 'x' }))).toBeObservable('--w', {
        w: 'withdrawn a rendered',
      });
    }),
  );

  it(
    'gives up what a former process wrote and nobody wishes, and what it wrote beside what is wished',
    marbles((m) => {
      const own: OwnStatuses = new Map(
        ['a', 'b', 'c'].map((name) => [
          keyOf(name),
          {
            target: targetOf(name),
            uid: `uid-${name}`,
            fields: new Map([
              ['haptic-rendered', name === 'b' ? { 'f:r': {}, 'f:old': {} } : { 'f:r': {} }],
            ] as const),
          },
        ]),
      );
      const wishes = m.hot('abc', { a: wish('a'), b: wish('b r=1'), c: wish('c r=1') });
      const api = createApi();
      m.expect(run(wishes, api, (name) => live(name, { r: '1', old: 'x' }), own)).toBeObservable('xy-', {
        x: 'withdrawn a rendered',
        y: 'written b rendered',
      });
      m.flush();
      expect(own.size).toBe(0);
    }),
  );

  it(
    'leaves what it does not know of, and asks nothing of what is not there',
    marbles((m) => {
      const wishes = m.hot('a--b-c-d', {
        a: wish('a r=1 d=1'),
        b: wish('a r=1 -d'),
        c: wish('gone r=1'),
        d: wish('gone'),
      });
      const api = createApi();
      m.expect(run(wishes, api, (name) => (name === 'gone' ? 'absent' : undefined))).toBeObservable(
        '(xy)----',
        {
          x: 'written a rendered',
          y: 'written a deployed',
        },
      );
      m.flush();
      expect(api.asked).toHaveLength(2);
    }),
  );

  it(
    'applies a part anew of which a field goes',
    marbles((m) => {
      const wishes = m.hot('a-b', { a: wish('a r+rmore=1'), b: wish('a r=1') });
      const api = createApi();
      m.expect(run(wishes, api, (name) => live(name, { r: '1', more: '1' }))).toBeObservable('--y', {
        y: 'written a rendered',
      });
    }),
  );

  it(
    'writes one at a time of an object, the newest of what came meanwhile',
    marbles((m) => {
      const slow = m.cold('---(d|)', {
        d: {
          kind: 'done',
          object: { metadata: { name: 'a', uid: 'uid-a', resourceVersion: '7' }, status: { r: '1' } },
        },
      } as const);
      const wishes = m.hot('ab-c----', { a: wish('a r=1'), b: wish('a r=2'), c: wish('a r=3') });
      const api = createApi({ a: (attempt) => (attempt === 0 ? slow : undefined) });
      m.expect(run(wishes, api)).toBeObservable('---(xx)-', { x: 'written a rendered' });
      m.expect(slow).toHaveSubscriptions('^--!');
      m.flush();
      expect(api.asked).toStrictEqual(['a rendered r=1', 'a rendered r=3']);
    }),
  );

  it(
    'writes eight objects at once',
    marbles((m) => {
      const slow = m.cold('--(g|)', { g: { kind: 'gone' } } as const);
      const names = 'abcdefghij'.split('');
      const wishes = m.hot(
        '(abcdefghij)',
        Object.fromEntries(names.map((name) => [name, wish(`${name} r=1`)])),
      );
      const api = createApi(Object.fromEntries(names.map((name) => [name, () => slow])));
      run(wishes, api).subscribe();
      const subs = [...Array.from({ length: 8 }, () => '^-!'), '--^-!', '--^-!'];
      m.expect(slow).toHaveSubscriptions(subs);
    }),
  );

  it(
    'tries again after a conflict, with growing pauses, and lets go for what is newer',
    marbles((m) => {
      const conflict = { kind: 'conflict', message: 'changed' } as const;
      const wishes = m.hot('a 3999ms b', { a: wish('a r=1'), b: wish('a r=2') });
      const api = createApi({ a: (attempt) => (attempt < 3 ? of<StatusApplied>(conflict) : undefined) });
      m.expect(run(wishes, api)).toBeObservable('c 999ms c 1999ms c 999ms (x)', {
        c: 'conflict a rendered',
        x: 'written a rendered',
      });
      m.flush();
      expect(api.asked.at(-1)).toBe('a rendered r=2');
    }),
  );

  it(
    'goes on with other kinds while one is forbidden, and has one object of it try now and then',
    marbles((m) => {
      const forbidden = { kind: 'forbidden', message: 'no' } as const;
      const wishes = m.hot('(abo)', { a: wish('a r=1'), b: wish('b r=1'), o: wish('o r=1') });
      let attempts = 0;
      const denied = () => (attempts++ < 2 ? of<StatusApplied>(forbidden) : undefined);
      const api = createApi({ a: denied, b: denied });
      m.expect(run(wishes, api)).toBeObservable('(fo) 59996ms g 59999ms (ab)', {
        f: 'forbidden a rendered',
        g: 'forbidden b rendered',
        o: 'written o rendered',
        a: 'written a rendered',
        b: 'written b rendered',
      });
      m.flush();
      expect(api.asked.filter((words) => !words.startsWith('o'))).toHaveLength(4);
    }),
  );

  it(
    'asks a server that does not answer less and less often, for all objects together, and loses nothing',
    marbles((m) => {
      let isUp = false;
      const away: StatusApplied = { kind: 'unavailable', message: 'ECONNREFUSED' };
      const answer = () => (isUp ? undefined : of(away));
      const api = createApi({ a: answer, b: answer, c: answer });
      const wishes = m.hot('(abc) 299994ms u', {
        a: wish('a r=1'),
        b: wish('b r=1'),
        c: wish('c r=1'),
        u: wish('c r=2'),
      });
      const reports: string[] = [];
      run(wishes, api).subscribe((words) => reports.push(words));
      m.cold('300s u').subscribe(() => (isUp = true));
      m.cold('320s u').subscribe(() => undefined);
      m.flush();
      const failed = reports.filter((words) => words.startsWith('failed'));
      expect(failed.length).toBeLessThan(50);
      expect(reports.slice(failed.length).sort()).toStrictEqual([
        'written a rendered',
        'written b rendered',
        'written c rendered',
      ]);
      expect(api.asked.filter((words) => words === 'c rendered r=1').length).toBeLessThan(45);
    }),
  );

  it(
    'waits as long as the server says',
    marbles((m) => {
      const busy: StatusApplied = { kind: 'unavailable', message: '429', retryAfterMs: 5_000 };
      const wishes = m.hot('a', { a: wish('a r=1') });
      const api = createApi({ a: (attempt) => (attempt === 0 ? of(busy) : undefined) });
      m.expect(run(wishes, api)).toBeObservable('f 4999ms x', {
        f: 'failed a rendered',
        x: 'written a rendered',
      });
    }),
  );

  it(
    'tries what is refused again only after the longest pause, or when something else is wished',
    marbles((m) => {
      const refused: StatusApplied = { kind: 'refused', message: '422' };
      const wishes = m.hot('a', { a: wish('a r=1') });
      const api = createApi({ a: (attempt) => (attempt === 0 ? of(refused) : undefined) });
      m.expect(run(wishes, api)).toBeObservable('f 7999ms x', {
        f: 'refused a rendered',
        x: 'written a rendered',
      });
    }),
  );

  it(
    'tells of a status that the API does not keep, once',
    marbles((m) => {
      const pruned: StatusApplied = {
        kind: 'done',
        object: { metadata: { name: 'a', uid: 'u', resourceVersion: '2' } },
      };
      const wishes = m.hot('a-a', { a: wish('a r=1') });
      const api = createApi({ a: () => of(pruned) });
      m.expect(run(wishes, api, () => live('a', {}, '9', 'u'))).toBeObservable('f--', {
        f: 'refused a rendered',
      });
    }),
  );

  it(
    'does not take an older version for a change, and writes again what somebody overwrote, later each time',
    marbles((m) => {
      let seen = live('a', {}, '50');
      const wishes = m.hot('a-a-a', { a: wish('a r=1') });
      const api = createApi();
      const written = () => (seen = live('a', { r: 'theirs' }, '900'));
      m.cold('---w').subscribe(written);
      m.expect(run(wishes, api, () => seen)).toBeObservable('x--- 1s x 1999ms x', {
        x: 'written a rendered',
      });
      m.cold('6s w').subscribe(() => (seen = live('a', { r: '1' }, '901')));
      m.flush();
      expect(api.asked.length).toBeGreaterThan(2);
    }),
  );

  it(
    'writes to an object that was made anew under the same name',
    marbles((m) => {
      let seen = live('a', {}, '50');
      const wishes = m.hot('a--a', { a: wish('a r=1') });
      const api = createApi();
      m.cold('-w').subscribe(() => (seen = live('a', {}, '60', 'other')));
      m.expect(run(wishes, api, () => seen)).toBeObservable('x--x', { x: 'written a rendered' });
    }),
  );

  it(
    'ends what is under way when it is unsubscribed',
    marbles((m) => {
      const never = m.cold<StatusApplied>('-----');
      const wishes = m.hot('a----', { a: wish('a r=1') });
      const api = createApi({ a: () => never });
      m.expect(run(wishes, api), '^--!').toBeObservable('---');
      m.expect(never).toHaveSubscriptions('^--!');
      m.expect(wishes).toHaveSubscriptions('^--!');
    }),
  );
});
