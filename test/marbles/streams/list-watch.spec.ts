import { marbles } from 'rxjs-marbles';
import { delay, map, NEVER, of, take } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeRequest } from '../../../src/kube/kube-transport.ts';
import { listWatch } from '../../../src/streams/list-watch.ts';
import {
  added,
  bookmark,
  cut,
  deleted,
  errorLine,
  failed,
  line,
  marblePolicy,
  marker,
  modified,
  opened,
  page,
  scriptedApi,
  showEvent,
  text,
  type ScriptedAnswer,
} from '../../fixtures/kube-stream.ts';

const widgets = { apiVersion: 'example.com/v1', resources: 'widgets' };

function eventsOf(...answers: readonly ScriptedAnswer[]) {
  const deps = { open: scriptedApi(answers), random: () => 0.5, policy: marblePolicy };
  return listWatch(deps, widgets).pipe(map(showEvent));
}

/** What answers are made of: `S` is a first state of object a with version 5, `P` the same as a page. */
const items = {
  o: opened,
  S: text(added('a@1'), marker('5')),
  P: page(['a@1'], '5'),
  m: text(modified('a@6')),
  M: text(modified('a@6'), deleted('a@7')),
  b: text(bookmark('9')),
  c: cut,
  e: failed(500),
  f: failed(403, { reason: 'Forbidden' }),
  n: failed(404, { reason: 'NotFound' }),
  u: failed(422, { reason: 'Invalid' }),
  g: failed(410, { reason: 'Expired' }),
  G: text(errorLine(410, 'Expired')),
};
const events = {
  i: 'init',
  s: '+a@1',
  d: 'done@5',
  m: 'apply a@6',
  x: 'delete a@7',
  A: 'absent',
  R: 'recovered',
  F: 'degraded forbidden',
  V: 'degraded vanished',
  U: 'degraded unreachable',
  X: 'degraded refused',
  E: 'empty? had 1',
  '1': 'retry 1 in 10',
  '2': 'retry 2 in 20',
  '3': 'retry 3 in 40',
  '4': 'retry 4 in 40',
  w: 'retry 0 in 30',
};

describe('listWatch: the first state', () => {
  it(
    'comes as a streaming list, and the same connection goes on as the watch',
    marbles((m) => {
      const values = {
        o: opened,
        x: text(added('a@1'), added('b@2')),
        y: text(marker('5')),
        z: text(modified('a@6'), deleted('b@7'), added('c@8')),
      };
      const watch = m.cold('   --o-x---y-z----', values);
      const subs = '           ^--------------!';
      const expected = '       --i-(ab)d-(xyz)';
      m.expect(eventsOf(['watch', watch]), subs).toBeObservable(expected, {
        i: 'init',
        a: '+a@1',
        b: '+b@2',
        d: 'done@5',
        x: 'apply a@6',
        y: 'delete b@7',
        z: 'apply c@8',
      });
      m.expect(watch).toHaveSubscriptions(subs);
    }),
  );

  it(
    'takes changes in that arrive before the end of the initial events',
    marbles((m) => {
      const values = {
        o: opened,
        x: text(added('a@1'), modified('a@2'), deleted('a@3')),
        y: text(marker('5')),
      };
      const watch = m.cold('   --o-x----y-', values);
      const subs = '           ^----------!';
      const expected = '       --i-(abc)d-';
      const shown = { i: 'init', a: '+a@1', b: '+a@2', c: 'delete a@3', d: 'done@5' };
      m.expect(eventsOf(['watch', watch]), subs).toBeObservable(expected, shown);
      m.expect(watch).toHaveSubscriptions(subs);
    }),
  );

  it(
    'aborts the request when unsubscribed while it is connecting',
    marbles((m) => {
      const watch = m.cold('   ----------o', items);
      const subs = '           ^----!';
      m.expect(eventsOf(['watch', watch]), subs).toBeObservable('-');
      m.expect(watch).toHaveSubscriptions(subs);
    }),
  );

  it(
    'is asked for once per subscriber, and a subscriber that has enough ends the request within a chunk',
    marbles((m) => {
      const watch = m.cold('   --o-S', items);
      const subs = '           ^---!';
      m.expect(eventsOf(['watch', watch]).pipe(take(2))).toBeObservable('--i-(s|)', events);
      m.expect(watch).toHaveSubscriptions(subs);
    }),
  );

  it(
    'falls back to paged lists where streaming lists are refused, and watches from their version',
    marbles((m) => {
      const values = { ...items, x: page(['a@1', 'b@2'], '5', 'next'), y: page(['c@3'], '5') };
      const refused = m.cold(' --u', values);
      const first = m.cold('     -o-x---|', values);
      const second = m.cold('           -o-y|', values);
      const watch = m.cold('                -o-m-', values);
      const subs = '           ^----------------!';
      const expected = '       ---i-(ab)---cd--m';
      m.expect(
        eventsOf(
          ['watch', refused],
          ['list limit=2', first],
          ['list limit=2 continue=next', second],
          ['watch rv=5', watch],
        ),
        subs,
      ).toBeObservable(expected, { ...events, a: '+a@1', b: '+b@2', c: '+c@3' });
      m.expect(refused).toHaveSubscriptions('^-!');
      m.expect(first).toHaveSubscriptions('  --^------!');
      m.expect(second).toHaveSubscriptions(' ---------^---!');
      m.expect(watch).toHaveSubscriptions('  -------------^---!');
    }),
  );

  it(
    'falls back to paged lists when the end of the initial events does not come',
    marbles((m) => {
      const mute = m.cold('    --o-x------------', { o: opened, x: text(added('a@1')) });
      const list = m.cold('                    -o-P---|', items);
      const watch = m.cold('-');
      const subs = '           ^--------------------------!';
      const expected = '       --i-s------------i-s---d---';
      m.expect(eventsOf(['watch', mute], ['list limit=2', list], ['watch rv=5', watch]), subs).toBeObservable(
        expected,
        events,
      );
      m.expect(mute).toHaveSubscriptions('^---------------!');
      m.expect(list).toHaveSubscriptions('----------------^------!');
      m.expect(watch).toHaveSubscriptions('-----------------------^---!');
    }),
  );

  it(
    'falls back to paged lists when a server sends changes for ever but never that end',
    marbles((m) => {
      const endless = m.cold(' o 9ms x 9ms x 9ms x 9ms x 9ms x', { o: opened, x: text(added('a@1')) });
      const list = m.cold('    -o|', items);
      const subs = '           ^ 54ms !';
      const expected = '       i 9ms s 9ms s 9ms s 9ms s 9ms s i 1';
      m.expect(eventsOf(['watch', endless], ['list limit=2', list]), subs).toBeObservable(expected, events);
      m.expect(endless).toHaveSubscriptions('^ 49ms !');
      m.expect(list).toHaveSubscriptions('50ms ^-!');
    }),
  );

  it(
    'is tried as a paged list after streaming lists broke off twice',
    marbles((m) => {
      const broken1 = m.cold('  -ox|', { ...items, x: text(added('a@1')) });
      const broken2 = m.cold('             -c', items);
      const list = m.cold('  -o-P---|', items);
      const watch = m.cold('-');
      const subs = '           ^ 45ms !';
      const expected = '       -is1 9ms -2 20ms i-s---d';
      m.expect(
        eventsOf(['watch', broken1], ['watch', broken2], ['list limit=2', list], ['watch rv=5', watch]),
        subs,
      ).toBeObservable(expected, events);
      m.expect(broken1).toHaveSubscriptions('^--!');
      m.expect(broken2).toHaveSubscriptions('13ms ^!');
      m.expect(list).toHaveSubscriptions('34ms ^------!');
      m.expect(watch).toHaveSubscriptions('41ms ^----!');
    }),
  );
});

describe('listWatch: resuming', () => {
  it(
    'resumes at once from the last version when the server ends a watch in an orderly way',
    marbles((m) => {
      const first = m.cold('   o-S---m--|', items);
      const second = m.cold('           -o--b-|', items);
      const third = m.cold('                  -o', items);
      const subs = '           ^----------------!';
      const expected = '       i-(sd)m----------';
      m.expect(
        eventsOf(['watch', first], ['watch rv=6', second], ['watch rv=9', third]),
        subs,
      ).toBeObservable(expected, events);
      m.expect(first).toHaveSubscriptions(' ^--------!');
      m.expect(second).toHaveSubscriptions('---------^-----!');
      m.expect(third).toHaveSubscriptions(' ---------------^-!');
    }),
  );

  it(
    'resumes after a backoff when the connection breaks, and forgets a half line',
    marbles((m) => {
      const values = { ...items, h: text(modified('a@7').slice(0, 20)) };
      const first = m.cold('   o-S---m-h-c', values);
      const second = m.cold('  -o-m', items);
      const subs = '           ^-------------------------!';
      const expected = '       i-(sd)m---1------------m--';
      m.expect(eventsOf(['watch', first], ['watch rv=6', second]), subs).toBeObservable(expected, events);
      m.expect(first).toHaveSubscriptions('^---------!');
      m.expect(second).toHaveSubscriptions('--------------------^-----!');
    }),
  );

  it(
    'joins a line that came in pieces',
    marbles((m) => {
      const whole = modified('a@6');
      const values = {
        ...items,
        x: text(whole.slice(0, 9)),
        y: text(whole.slice(9, 30)),
        z: text(whole.slice(30)),
      };
      const watch = m.cold('   o-S---x-y-z-', values);
      const subs = '           ^-----------!';
      const expected = '       i-(sd)----m-';
      m.expect(eventsOf(['watch', watch]), subs).toBeObservable(expected, events);
      m.expect(watch).toHaveSubscriptions(subs);
    }),
  );

  it(
    'counts a watch as dead that is silent for longer than it may last',
    marbles((m) => {
      const first = m.cold('   o-S---m', items);
      const second = m.cold('  -o', items);
      const subs = '           ^ 70ms !';
      const expected = '       i-(sd)m 49ms 1';
      m.expect(eventsOf(['watch', first], ['watch rv=6', second]), subs).toBeObservable(expected, events);
      m.expect(first).toHaveSubscriptions(' ^ 55ms !');
      m.expect(second).toHaveSubscriptions('66ms ^----!');
    }),
  );

  it(
    'counts a connection as dead that never answers',
    marbles((m) => {
      const first = m.cold('   -', items);
      const second = m.cold('  -', items);
      const subs = '           ^ 60ms !';
      m.expect(eventsOf(['watch', first], ['watch', second]), subs).toBeObservable('50ms 1', events);
      m.expect(first).toHaveSubscriptions(' ^ 49ms !');
      m.expect(second).toHaveSubscriptions('60ms ^!');
    }),
  );

  it(
    'backs off when the server ends each watch at once',
    marbles((m) => {
      const first = m.cold('   o-S---|', items);
      const second = m.cold('        -o|', items);
      const third = m.cold('         -o|', items);
      const subs = '           ^ 25ms !';
      const expected = '       i-(sd)--1-----------2';
      m.expect(
        eventsOf(['watch', first], ['watch rv=5', second], ['watch rv=5', third]),
        subs,
      ).toBeObservable(expected, events);
      m.expect(first).toHaveSubscriptions(' ^-----!');
      m.expect(second).toHaveSubscriptions('------^-!');
      m.expect(third).toHaveSubscriptions(' ------------------^-!');
    }),
  );

  it(
    'treats garbage as a broken connection, and lists anew when it comes at the same spot again',
    marbles((m) => {
      const values = {
        ...items,
        x: text(modified('a@6'), 'garbage\n', modified('a@7')),
        y: text('{"type":1}\n'),
      };
      const first = m.cold('   o-S---x', values);
      const second = m.cold('  -oy', values);
      const list = m.cold('    -o', values);
      const subs = '           ^ 46ms !';
      const expected = '       i-(sd)(m1) 8ms 2 20ms i';
      m.expect(
        eventsOf(['watch', first], ['watch rv=6', second], ['list limit=2', list]),
        subs,
      ).toBeObservable(expected, events);
      m.expect(first).toHaveSubscriptions(' ^-----!');
      m.expect(second).toHaveSubscriptions('16ms ^-!');
      m.expect(list).toHaveSubscriptions(' 38ms ^ 8ms !');
    }),
  );

  it(
    'drops a malformed object and says so, and goes on with the next',
    marbles((m) => {
      const bad = line('MODIFIED', { metadata: { namespace: 'ns', resourceVersion: '8' } });
      const first = m.cold('   o-S---x|', { ...items, x: text(bad, modified('a@6')) });
      const second = m.cold('  -', items);
      const subs = '           ^-----------!';
      const expected = '       i-(sd)(zm)---';
      m.expect(eventsOf(['watch', first], ['watch rv=6', second]), subs).toBeObservable(expected, {
        ...events,
        z: 'malformed metadata.name',
      });
      m.expect(first).toHaveSubscriptions(' ^------!');
      m.expect(second).toHaveSubscriptions('-------^----!');
    }),
  );
});

describe('listWatch: 410', () => {
  it(
    'in the stream makes a new list at once',
    marbles((m) => {
      const first = m.cold('   o-S---G', items);
      const second = m.cold('        -o-S-', items);
      const subs = '           ^-----------!';
      const expected = '       i-(sd)-i-(sd)';
      m.expect(eventsOf(['watch', first], ['watch', second]), subs).toBeObservable(expected, events);
      m.expect(first).toHaveSubscriptions(' ^-----!');
      m.expect(second).toHaveSubscriptions('------^-----!');
    }),
  );

  it(
    'as the answer makes a new list at once',
    marbles((m) => {
      const first = m.cold('   o-S-------|', items);
      const second = m.cold('            -g', items);
      const third = m.cold('              -o-S', items);
      const subs = '           ^-----------------!';
      const expected = '       i-(sd)------i-(sd)';
      m.expect(eventsOf(['watch', first], ['watch rv=5', second], ['watch', third]), subs).toBeObservable(
        expected,
        events,
      );
      m.expect(first).toHaveSubscriptions(' ^---------!');
      m.expect(second).toHaveSubscriptions('----------^!');
      m.expect(third).toHaveSubscriptions(' -----------^------!');
    }),
  );

  it(
    'of a list page makes a new list without pages',
    marbles((m) => {
      const values = { ...items, x: page(['a@1'], '3', 'next') };
      const refused = m.cold(' u', values);
      const first = m.cold('   o-x|', values);
      const expired = m.cold('    --g', values);
      const whole = m.cold('        -o-P---|', values);
      const watch = m.cold('               o', values);
      const subs = '           ^-------------!';
      const expected = '       i-s---i-s---d--';
      m.expect(
        eventsOf(
          ['watch', refused],
          ['list limit=2', first],
          ['list limit=2 continue=next', expired],
          ['list', whole],
          ['watch rv=5', watch],
        ),
        subs,
      ).toBeObservable(expected, events);
      m.expect(refused).toHaveSubscriptions('(^!)');
      m.expect(first).toHaveSubscriptions('  ^--!');
      m.expect(expired).toHaveSubscriptions('---^-!');
      m.expect(whole).toHaveSubscriptions('  -----^------!');
      m.expect(watch).toHaveSubscriptions('  ------------^-!');
    }),
  );

  it(
    'again and again is answered with backoff',
    marbles((m) => {
      const first = m.cold('   o-S---G', items);
      const second = m.cold('        -g', items);
      const third = m.cold('  -', items);
      const subs = '           ^ 30ms !';
      const expected = '       i-(sd)-2';
      m.expect(eventsOf(['watch', first], ['watch', second], ['list limit=2', third]), subs).toBeObservable(
        expected,
        events,
      );
      m.expect(first).toHaveSubscriptions(' ^-----!');
      m.expect(second).toHaveSubscriptions('------^!');
      m.expect(third).toHaveSubscriptions(' 27ms ^---!');
    }),
  );
});

describe('listWatch: backoff', () => {
  it(
    'grows with each failure up to its limit, and says once that the kind is unreachable',
    marbles((m) => {
      const first = m.cold('   o-S---c', items);
      const second = m.cold('  e', items);
      const third = m.cold('   e', items);
      const fourth = m.cold('  e', items);
      const fifth = m.cold('   o', items);
      const subs = '           ^ 120ms !';
      const expected = '       i-(sd)1 9ms 2 19ms (U3) 36ms 4 39ms R';
      m.expect(
        eventsOf(
          ['watch', first],
          ['watch rv=5', second],
          ['watch rv=5', third],
          ['watch rv=5', fourth],
          ['watch rv=5', fifth],
        ),
        subs,
      ).toBeObservable(expected, events);
      m.expect(first).toHaveSubscriptions(' ^-----!');
      m.expect(second).toHaveSubscriptions('16ms (^!)');
      m.expect(third).toHaveSubscriptions(' 36ms (^!)');
      m.expect(fourth).toHaveSubscriptions('76ms (^!)');
      m.expect(fifth).toHaveSubscriptions(' 116ms ^----!');
    }),
  );

  it(
    'is not reset by a success that does not last',
    marbles((m) => {
      const first = m.cold('   o-S---c', items);
      const second = m.cold('  o 20ms c', items);
      const third = m.cold('   o', items);
      const subs = '           ^ 65ms !';
      const expected = '       i-(sd)1 30ms 2';
      m.expect(
        eventsOf(['watch', first], ['watch rv=5', second], ['watch rv=5', third]),
        subs,
      ).toBeObservable(expected, events);
      m.expect(first).toHaveSubscriptions(' ^-----!');
      m.expect(second).toHaveSubscriptions('16ms ^ 20ms !');
      m.expect(third).toHaveSubscriptions(' 57ms ^ 8ms !');
    }),
  );

  it(
    'is reset by a healthy stretch, also one of several watches',
    marbles((m) => {
      const first = m.cold('   o-S---c', items);
      const second = m.cold('  o 29ms b 29ms |', items);
      const third = m.cold('   o 29ms b 29ms c', items);
      const fourth = m.cold('  o', items);
      const subs = '           ^ 150ms !';
      const expected = '       i-(sd)1 129ms 1';
      m.expect(
        eventsOf(['watch', first], ['watch rv=5', second], ['watch rv=9', third], ['watch rv=9', fourth]),
        subs,
      ).toBeObservable(expected, events);
      m.expect(first).toHaveSubscriptions(' ^-----!');
      m.expect(second).toHaveSubscriptions('16ms ^ 59ms !');
      m.expect(third).toHaveSubscriptions(' 76ms ^ 59ms !');
      m.expect(fourth).toHaveSubscriptions('146ms ^----!');
    }),
  );

  it(
    'honours Retry-After when that is longer, and keeps to its own delay when it is shorter',
    marbles((m) => {
      const busy = failed(429, { retryAfterMs: 25 });
      const down = failed(503, { retryAfterMs: 1 });
      const first = m.cold('   x', { x: busy });
      const second = m.cold('  x', { x: down });
      const third = m.cold('   -');
      const subs = '           ^ 50ms !';
      m.expect(eventsOf(['watch', first], ['watch', second], ['list limit=2', third]), subs).toBeObservable(
        'x 24ms 2',
        { ...events, x: 'retry 1 in 25' },
      );
      m.expect(first).toHaveSubscriptions(' (^!)');
      m.expect(second).toHaveSubscriptions('25ms (^!)');
      m.expect(third).toHaveSubscriptions(' 45ms ^-----!');
    }),
  );

  it(
    'goes on with the page that failed',
    marbles((m) => {
      const values = { ...items, x: page(['a@1'], '5', 'next'), y: page(['b@2'], '5') };
      const refused = m.cold(' u', values);
      const first = m.cold('   o-x|', values);
      const busy = m.cold('       -e', values);
      const again = m.cold('   o-y|', values);
      const watch = m.cold('   -', values);
      const subs = '           ^------------------------!';
      const expected = '       i-s-1-----------yd';
      m.expect(
        eventsOf(
          ['watch', refused],
          ['list limit=2', first],
          ['list limit=2 continue=next', busy],
          ['list limit=2 continue=next', again],
          ['watch rv=5', watch],
        ),
        subs,
      ).toBeObservable(expected, { ...events, y: '+b@2' });
      m.expect(busy).toHaveSubscriptions(' ---^!');
      m.expect(again).toHaveSubscriptions('--------------^--!');
      m.expect(watch).toHaveSubscriptions('-----------------^-------!');
    }),
  );
});

describe('listWatch: what only a person can mend', () => {
  it(
    'a kind that is not served is absent, said once, and is found when it comes',
    marbles((m) => {
      const first = m.cold('   -n', items);
      const second = m.cold('  -n', items);
      const third = m.cold('   o-S', items);
      const subs = '           ^ 75ms !';
      const expected = '       -(Aw) 27ms w 29ms i-(sd)';
      m.expect(eventsOf(['watch', first], ['watch', second], ['watch', third]), subs).toBeObservable(
        expected,
        events,
      );
      m.expect(first).toHaveSubscriptions(' ^!');
      m.expect(second).toHaveSubscriptions('31ms ^!');
      m.expect(third).toHaveSubscriptions(' 62ms ^ 13ms !');
    }),
  );

  it(
    'a 403 degrades, keeps everything, and the watch resumes from the last version',
    marbles((m) => {
      const first = m.cold('   o-S---m|', items);
      const second = m.cold('  f', items);
      const third = m.cold('   f', items);
      const fourth = m.cold('  -o', items);
      const subs = '           ^ 75ms !';
      const expected = '       i-(sd)m(Fw) 26ms w 30ms R';
      m.expect(
        eventsOf(['watch', first], ['watch rv=6', second], ['watch rv=6', third], ['watch rv=6', fourth]),
        subs,
      ).toBeObservable(expected, events);
      m.expect(first).toHaveSubscriptions(' ^------!');
      m.expect(second).toHaveSubscriptions('7ms  (^!)');
      m.expect(third).toHaveSubscriptions(' 37ms (^!)');
      m.expect(fourth).toHaveSubscriptions('67ms ^ 8ms !');
    }),
  );

  it(
    'a kind that vanishes keeps its objects, and is listed anew when it is back',
    marbles((m) => {
      const first = m.cold('   o-S---m|', items);
      const second = m.cold('  n', items);
      const third = m.cold('   o-S', items);
      const subs = '           ^ 50ms !';
      const expected = '       i-(sd)m(Vw) 26ms i-(sRd)';
      m.expect(eventsOf(['watch', first], ['watch rv=6', second], ['watch', third]), subs).toBeObservable(
        expected,
        events,
      );
      m.expect(first).toHaveSubscriptions(' ^------!');
      m.expect(second).toHaveSubscriptions('7ms  (^!)');
      m.expect(third).toHaveSubscriptions(' 37ms ^ 13ms !');
    }),
  );

  it(
    'a request that the server refuses degrades and is tried again slowly',
    marbles((m) => {
      const first = m.cold('   u', items);
      const list = m.cold('    u', items);
      const again = m.cold('   o-P---|', items);
      const watch = m.cold('   -', items);
      const subs = '           ^ 50ms !';
      const expected = '       (Xw) 26ms i-s---(Rd)';
      m.expect(
        eventsOf(['watch', first], ['list limit=2', list], ['list limit=2', again], ['watch rv=5', watch]),
        subs,
      ).toBeObservable(expected, events);
      m.expect(list).toHaveSubscriptions(' (^!)');
      m.expect(again).toHaveSubscriptions('30ms ^-----!');
      m.expect(watch).toHaveSubscriptions('36ms ^ 14ms !');
    }),
  );
});

describe('listWatch: an empty list for a kind that had objects', () => {
  const values = { ...items, Z: text(marker('7')), z: page([], '8'), p: page(['a@6'], '8') };
  const shown = { ...events, D: 'done@8', p: '+a@6' };

  it(
    'takes effect when a second list says the same',
    marbles((m) => {
      const first = m.cold('   o-S---G', values);
      const empty = m.cold('         o-Z', values);
      const second = m.cold('               o-z|', values);
      const watch = m.cold('   -', values);
      const subs = '           ^---------------------!';
      const expected = '       i-(sd)i-E----i--D-----';
      m.expect(
        eventsOf(['watch', first], ['watch', empty], ['list limit=2', second], ['watch rv=8', watch]),
        subs,
      ).toBeObservable(expected, shown);
      m.expect(empty).toHaveSubscriptions(' ------^-!');
      m.expect(second).toHaveSubscriptions('-------------^--!');
      m.expect(watch).toHaveSubscriptions(' ----------------^-----!');
    }),
  );

  it(
    'is forgotten when the second list has objects',
    marbles((m) => {
      const first = m.cold('   o-S---G', values);
      const empty = m.cold('         o-Z', values);
      const second = m.cold('               o-p|', values);
      const watch = m.cold('   -', values);
      const subs = '           ^---------------------!';
      const expected = '       i-(sd)i-E----i-pD-----';
      m.expect(
        eventsOf(['watch', first], ['watch', empty], ['list limit=2', second], ['watch rv=8', watch]),
        subs,
      ).toBeObservable(expected, shown);
      m.expect(second).toHaveSubscriptions('-------------^--!');
      m.expect(watch).toHaveSubscriptions(' ----------------^-----!');
    }),
  );

  it(
    'is asked for again when the second list fails',
    marbles((m) => {
      const first = m.cold('   o-S---G', values);
      const empty = m.cold('         o-Z', values);
      const second = m.cold('               e', values);
      const third = m.cold('  o-z|', values);
      const fourth = m.cold(' o-z|', values);
      const watch = m.cold('   -', values);
      const subs = '           ^ 60ms !';
      const expected = '       i-(sd)i-E----2 19ms i--E----i--D';
      m.expect(
        eventsOf(
          ['watch', first],
          ['watch', empty],
          ['list limit=2', second],
          ['list limit=2', third],
          ['list limit=2', fourth],
          ['watch rv=8', watch],
        ),
        subs,
      ).toBeObservable(expected, shown);
      m.expect(third).toHaveSubscriptions(' 33ms ^--!');
      m.expect(fourth).toHaveSubscriptions('41ms ^--!');
      m.expect(watch).toHaveSubscriptions(' 44ms ^ 16ms !');
    }),
  );

  it(
    'is no list: deletions that the watch tells take effect at once, and then nothing is left to protect',
    marbles((m) => {
      const first = m.cold('   o-S---M---G', values);
      const empty = m.cold('             o-Z', values);
      const subs = '           ^----------------!';
      const expected = '       i-(sd)(mx)i-Y----';
      m.expect(eventsOf(['watch', first], ['watch', empty]), subs).toBeObservable(expected, {
        ...shown,
        Y: 'done@7',
      });
      m.expect(empty).toHaveSubscriptions('----------^------!');
    }),
  );
});

describe('listWatch: requests', () => {
  it(
    'that were replaced are not listened to any more, even when they had answered all at once',
    marbles((m) => {
      const first = of(items.o, items.S, items.G, items.m);
      const second = m.cold('  -o-S', items);
      const subs = '           ^------!';
      const expected = '       (isd)--';
      m.expect(eventsOf(['watch', first], ['watch', second.pipe(delay(6))]), subs).toBeObservable(
        expected,
        events,
      );
      m.expect(second).toHaveSubscriptions(subs);
    }),
  );

  it('say what Kubernetes wants to hear', () => {
    const requests: unknown[] = [];
    const answers = [failed(422), page(['a@1'], '5')];
    const open = (request: Omit<KubeRequest, 'signal'>) => {
      requests.push(request);
      const answer = answers.shift();
      return answer === undefined ? NEVER : of(answer);
    };
    const resource = { ...widgets, namespace: 'ns', labelSelector: 'a=b', fieldSelector: 'c=d' };
    listWatch({ open, random: () => 0 }, resource)
      .subscribe({ error: (error: unknown) => expect.fail(String(error)) })
      .unsubscribe();
    const path = '/apis/example.com/v1/namespaces/ns/widgets';
    const selectors = { labelSelector: 'a=b', fieldSelector: 'c=d' };
    const watch = { ...selectors, watch: 1, allowWatchBookmarks: true, timeoutSeconds: 240 };
    expect(requests).toEqual([
      {
        path,
        query: { ...watch, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' },
        bodyTimeout: 246_000,
      },
      { path, query: { ...selectors, limit: 500, continue: undefined } },
      { path, query: { ...watch, resourceVersion: '5' }, bodyTimeout: 246_000 },
    ]);
  });
});
