import { marbles } from 'rxjs-marbles';
import { NEVER, type Observable, delay, distinctUntilChanged, map, merge, of, tap, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { epochAnnotation, leaseRecord } from '../../../src/kube/lease-record.ts';
import type { ElectionView } from '../../../src/streams/election-view.ts';
import { leaseApi, leaseOf, leaseTiming, refused } from '../../fixtures/lease-scene.ts';

/**
 * Times are the usual ones: 15 s, 10 s, 2 s. Words: `L7` leads with epoch 7; `s` stands by, `s a` while a leads. A standby is
 * patient for another 100 ms. A request takes 1 ms, and so does what the watch tells.
 */
const wordOf = ({ leadership }: ElectionView) =>
  leadership.kind === 'leading' ? `L${leadership.epoch}` : `s ${leadership.leader ?? ''}`.trim();
const words = (view$: Observable<ElectionView>) => view$.pipe(map(wordOf), distinctUntilChanged());
const troubles = (view$: Observable<ElectionView>) =>
  view$.pipe(
    map(({ trouble }) => trouble ?? ''),
    distinctUntilChanged(),
  );
const values = {
  s: 's',
  a: 's a',
  b: 's b',
  x: 's x',
  o: 's old',
  ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((epoch) => [String(epoch), `L${epoch}`])),
};
const at = (ms: number, work: () => unknown) => timer(ms).pipe(tap(() => void work()));
const held = (lease: KubeObject, holder: string): KubeObject => ({
  ...lease,
  spec: { ...(lease['spec'] as object), holderIdentity: holder },
});
const annotated = (lease: KubeObject, text: string | undefined): KubeObject => {
  const { annotations: _former, ...metadata } = lease.metadata;
  return {
    ...lease,
    metadata: { ...metadata, ...(text === undefined ? {} : { annotations: { [epochAnnotation]: text } }) },
  };
};
const epochOn = (lease: KubeObject | undefined) => lease?.metadata.annotations?.[epochAnnotation];
const down = { kind: 'network', code: 'ECONNREFUSED', message: 'refused' } as const;

describe('who leads', () => {
  it(
    'is who makes the Lease first, and renews it every retry period; the other one tells who that is',
    marbles((m) => {
      const { api, process } = leaseApi();
      const a = process('a');
      const b = process('b');
      const unsub = '                                ^ 9s !';
      m.expect(words(a.view$), unsub).toBeObservable('s-1', values);
      m.expect(words(b.view$), unsub).toBeObservable('s-a', values);
      m.flush();
      expect(api.writes).toEqual(['a#1@1', 'a#1@2001', 'a#1@4001', 'a#1@6001', 'a#1@8001']);
      expect(api.requests.filter((request) => request.startsWith('b'))).toEqual([
        'b read',
        'b create',
        'b read',
      ]);
    }),
  );

  it(
    'is who waited for a lease duration from when it saw the last renewal, whatever time stands in it; a request later',
    marbles((m) => {
      const { process } = leaseApi(leaseOf('old', '7'));
      const watch$ = m.cold('                         (iod)', {
        i: { kind: 'init' as const },
        o: { kind: 'init-apply' as const, object: leaseOf('old', '7') },
        d: { kind: 'init-done' as const, resourceVersion: '1' },
      });
      const unsub = '                                 ^ 20s !';
      const a = process('a', { watch$ });
      m.expect(words(a.view$), unsub).toBeObservable('(so) 15097ms 8', values);
      m.expect(watch$).toHaveSubscriptions(unsub);
    }),
  );

  it(
    'does not change while a look shows renewals, where the watch tells nothing; looks come every retry period',
    marbles((m) => {
      const { api, process } = leaseApi();
      const b = process('b', { isWatched: false });
      const unsub = '                                 ^ 60s !';
      //                                              a dies after 30 s, of which its last renewal is at 28 s
      m.expect(words(process('a').view$), '           ^ 30s !').toBeObservable('s-1', values);
      m.expect(words(b.view$), unsub).toBeObservable('s--a 43114ms 2', values);
      m.flush();
      expect(api.requests.filter((request) => request === 'b read').length).toBeLessThan(30);
    }),
  );

  it(
    'changes within a request when the Lease is given back',
    marbles((m) => {
      const { api, process } = leaseApi();
      const [a, b] = [process('a'), process('b')];
      const stop$ = merge(
        at(5_000, () => a.command.next({ kind: 'retire' })),
        at(5_300, () => a.command.next({ kind: 'release' })),
      );
      const unsub = '                                 ^ 9s !';
      m.expect(words(a.view$), unsub).toBeObservable('s-1 4997ms s 301ms b', values);
      m.expect(words(b.view$), unsub).toBeObservable('s-a 5298ms s2', values);
      m.expect(stop$, unsub).toBeObservable('         5s p 299ms (q|)', { p: 0, q: 0 });
      m.flush();
      expect(leaseRecord(api.current()!)).toMatchObject({ holder: 'b', transitions: 1 });
    }),
  );

  it(
    'comes back to a process that lost the Lease: it campaigns again',
    marbles((m) => {
      const { api, process } = leaseApi();
      const a = process('a');
      const theft$ = at(5_000, () => api.edit((lease) => held(lease, 'x')));
      const unsub = '                                 ^ 30s !';
      m.expect(words(a.view$), unsub).toBeObservable('s-1 4999ms x 15100ms (s2)', values);
      m.expect(theft$, unsub).toBeObservable('        5s (t|)', { t: 0 });
    }),
  );
});

describe('a term', () => {
  it(
    'ends when no renewal succeeded for the renew deadline, counted from when the last one left, and another begins when one does',
    marbles((m) => {
      const { api, process } = leaseApi();
      const a = process('a');
      const outage$ = merge(
        at(3_000, () => (api.fault = down)),
        at(60_000, () => (api.fault = undefined)),
      );
      const unsub = '                                 ^ 62s !';
      //                                              the last renewal left at 2001 ms
      m.expect(words(a.view$), unsub).toBeObservable('s-1 11998ms s 48056ms 2', values);
      m.expect(outage$, unsub).toBeObservable('       3s p 56999ms (q|)', { p: 0, q: 0 });
    }),
  );

  it(
    'ends in time though the API does not answer at all, and is not taken up again by an answer that comes late',
    marbles((m) => {
      const { api, process } = leaseApi();
      const late = process('a', { timing$: merge(of({ ...leaseTiming, renewDeadline: 2_500 }), NEVER) });
      const unsub = '                                 ^ 5s !';
      const slow$ = at(1_500, () => (api.delayMs = 800));
      //                                              renewal sent at 2001 is answered at 2801, after 2501
      m.expect(words(late.view$), unsub).toBeObservable('s-1 2498ms s 1099ms 2', values);
      m.expect(slow$, unsub).toBeObservable('         1500ms (t|)', { t: 0 });
    }),
  );

  it(
    'has an epoch of its own: one more than any that was seen on the Lease',
    marbles((m) => {
      const { api, process } = leaseApi(leaseOf('', '41'));
      m.expect(words(process('a').view$), '           ^ 3s !').toBeObservable('s-L', { s: 's', L: 'L42' });
      m.flush();
      expect(epochOn(api.current())).toBe('42');
    }),
  );

  it(
    'has an epoch above what pods have seen, where the counter was lost with its Lease',
    marbles((m) => {
      const { process } = leaseApi(leaseOf('', null));
      const a = process('a', { podEpoch: () => 7 });
      m.expect(words(a.view$), '                      ^ 3s !').toBeObservable('s-8', values);
    }),
  );

  it(
    'is not begun before somebody may have noticed, where the Lease is gone and pods have had a leader',
    marbles((m) => {
      const { process } = leaseApi();
      const a = process('a', { podEpoch: () => 7 });
      m.expect(words(a.view$), '                      ^ 16s !').toBeObservable('s 15100ms 8', values);
    }),
  );
});

describe('an epoch that a pod has seen already', () => {
  it(
    'is raised above it while the Lease is ours',
    marbles((m) => {
      const { api, process } = leaseApi();
      const a = process('a');
      const told$ = at(3_000, () => a.command.next({ kind: 'reclaim', floor: 6 }));
      const unsub = '                                 ^ 5s !';
      m.expect(words(a.view$), unsub).toBeObservable('s-1 2998ms 7', values);
      m.expect(told$, unsub).toBeObservable('         3s (t|)', { t: 0 });
      m.flush();
      expect(epochOn(api.current())).toBe('7');
    }),
  );

  it(
    'ends the term where the Lease has a higher one: another leader is behind it; a term of a higher epoch follows',
    marbles((m) => {
      const { api, process } = leaseApi();
      const a = process('a');
      const told$ = at(3_000, () => {
        api.edit((lease) => annotated(lease, '5'));
        a.command.next({ kind: 'reclaim', floor: 5 });
      });
      const unsub = '                                 ^ 6s !';
      m.expect(words(a.view$), unsub).toBeObservable('s-1 2999ms s 2s 6', values);
      m.expect(told$, unsub).toBeObservable('         3s (t|)', { t: 0 });
    }),
  );
});

describe('a Lease that somebody laid hands on', () => {
  const scene = (
    what: string,
    edit: (lease: KubeObject) => KubeObject | undefined,
    after: object,
    standby = 's-a',
  ) =>
    it(
      what,
      marbles((m) => {
        const { api, process } = leaseApi();
        const [a, b] = [process('a'), process('b')];
        const edit$ = at(5_000, () => api.edit(edit));
        const unsub = '                               ^ 40s !';
        m.expect(words(a.view$), unsub).toBeObservable('s-1', values);
        m.expect(words(b.view$), unsub).toBeObservable(standby, values);
        m.expect(edit$, unsub).toBeObservable('       5s (t|)', { t: 0 });
        m.flush();
        expect(leaseRecord(api.current()!)).toMatchObject(after);
      }),
    );

  scene(
    'is made anew by its leader when it was deleted, and nobody else takes it',
    () => undefined,
    { holder: 'a', epoch: { kind: 'number', value: 1 } },
    's-a 4998ms s a',
  );
  scene('gets its epoch back when that is no number', (lease) => annotated(lease, 'many'), {
    holder: 'a',
    epoch: { kind: 'number', value: 1 },
  });
  scene('gets its epoch back when that was taken away', (lease) => annotated(lease, undefined), {
    holder: 'a',
    epoch: { kind: 'number', value: 1 },
  });
  scene('keeps an epoch that was raised: the counter never falls', (lease) => annotated(lease, '90'), {
    holder: 'a',
    epoch: { kind: 'number', value: 90 },
  });

  it(
    'and whose holder was taken out is as one that was given back: one takes it, the other stands down',
    marbles((m) => {
      const { api, process } = leaseApi();
      const [a, b] = [process('a'), process('b')];
      const edit$ = at(5_000, () => api.edit(({ spec: _spec, ...lease }) => lease));
      const unsub = '                                 ^ 40s !';
      m.expect(words(a.view$), unsub).toBeObservable('s-1 4999ms (sb)', values);
      m.expect(words(b.view$), unsub).toBeObservable('s-a 4998ms s 2', values);
      m.expect(edit$, unsub).toBeObservable('         5s (t|)', { t: 0 });
    }),
  );

  it(
    'is taken over with an epoch that nobody had, though its own is no number; that is told until it is mended',
    marbles((m) => {
      const { api, process } = leaseApi(leaseOf('old', 'many'));
      const a = process('a', { podEpoch: () => 3 });
      const unsub = '                                 ^ 20s !';
      const told = 'annotation haptic.io/leader-epoch of Lease ns/lead is no whole number: "many"';
      m.expect(troubles(a.view$), unsub).toBeObservable('(nt) 15097ms n', { n: '', t: told });
      m.flush();
      expect(epochOn(api.current())).toBe('4');
    }),
  );

  it(
    'is taken over though it claims to be held for a year',
    marbles((m) => {
      const { process } = leaseApi(leaseOf('old', '1', 31_536_000));
      const unsub = '                                 ^ 700s !';
      m.expect(words(process('a').view$), unsub).toBeObservable('(so) 600097ms (s2)', values);
    }),
  );

  it(
    'is not taken over sooner because its labels change',
    marbles((m) => {
      const { api, process } = leaseApi(leaseOf('old', '7'));
      const edit$ = at(9_000, () =>
        api.edit((lease) => ({ ...lease, metadata: { ...lease.metadata, labels: { a: 'b' } } })),
      );
      const unsub = '                                 ^ 20s !';
      m.expect(words(process('a').view$), unsub).toBeObservable('(so) 15097ms (s8)', values);
      m.expect(edit$, unsub).toBeObservable('         9s (t|)', { t: 0 });
    }),
  );
});

describe('an API that does not do what is asked', () => {
  it(
    'is told, once as long as it says the same, and asked again for minutes',
    marbles((m) => {
      const { api, process } = leaseApi();
      const forbidden = { kind: 'http', status: 403, reason: 'Forbidden', message: 'no' } as const;
      api.fault = forbidden;
      const mended$ = at(300_000, () => (api.fault = undefined));
      const a = process('a', { isWatched: false });
      const unsub = '                                 ^ 302s !';
      m.expect(troubles(a.view$), unsub).toBeObservable('nt 300299ms n', { n: '', t: '403 Forbidden: no' });
      m.expect(mended$, unsub).toBeObservable('       300s (t|)', { t: 0 });
      m.flush();
      expect(api.requests.length).toBeLessThan(700);
      expect(leaseRecord(api.current()!).holder).toBe('a');
    }),
  );

  it(
    'and refuses every write as outdated is not asked without a pause',
    marbles((m) => {
      const { api, process } = leaseApi(leaseOf('', '1'));
      const a = process('a', {
        requests: {
          read: () => of({ ok: true as const, value: leaseOf('', '1') }).pipe(delay(1)),
          create: () => of(refused(409)).pipe(delay(1)),
          replace: () => (api.requests.push('replace'), of(refused(409)).pipe(delay(1))),
        },
      });
      m.expect(words(a.view$), '                      ^ 20s !').toBeObservable('s', values);
      m.flush();
      expect(api.requests.length).toBeLessThan(50);
    }),
  );
});

describe('a process that stops', () => {
  it(
    'has nothing to give back when another one leads, and asks nothing more',
    marbles((m) => {
      const { api, process } = leaseApi(leaseOf('old', '7'));
      const a = process('a');
      const stop$ = at(1_000, () => {
        a.command.next({ kind: 'retire' });
        a.command.next({ kind: 'release' });
      });
      const released$ = a.view$.pipe(
        map(({ isReleased }) => isReleased),
        distinctUntilChanged(),
      );
      const unsub = '                                 ^ 40s !';
      m.expect(released$, unsub).toBeObservable('     n 999ms y', { n: false, y: true });
      m.expect(stop$, unsub).toBeObservable('         1s (t|)', { t: 0 });
      m.flush();
      expect(api.requests).toEqual(['a read']);
      expect(leaseRecord(api.current()!).holder).toBe('old');
    }),
  );

  it(
    'gives back what a request under way brings',
    marbles((m) => {
      const { api, process } = leaseApi();
      const a = process('a');
      const stop$ = at(1, () => {
        a.command.next({ kind: 'retire' });
        a.command.next({ kind: 'release' });
      });
      m.expect(words(a.view$), '                      ^ 40s !').toBeObservable('s', values);
      m.expect(stop$).toBeObservable('                -(t|)', { t: 0 });
      m.flush();
      expect(leaseRecord(api.current()!).holder).toBe('');
    }),
  );
});
