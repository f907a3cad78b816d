import { marbles } from 'rxjs-marbles';
import { type Observable, distinctUntilChanged, map, tap, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { intentAnnotation, leaseIntent } from '../../../src/kube/lease-intent.ts';
import type { DeploymentIntent } from '../../../src/protocol/deployment-intent.ts';
import type { ElectionView } from '../../../src/streams/election-view.ts';
import { leaseApi, leaseOf } from '../../fixtures/lease-scene.ts';

const intentOf = (digit: string): DeploymentIntent => ({
  planId: digit.repeat(16),
  checksum: `sha256:${digit.repeat(64)}`,
});
const at = (ms: number, work: () => unknown) => timer(ms).pipe(tap(() => void work()));
/** The digit that stands on the Lease, `-` for none. */
const shown = (view$: Observable<ElectionView>) =>
  view$.pipe(
    map(({ intent }) => intent?.planId.slice(0, 1) ?? '-'),
    distinctUntilChanged(),
  );
const onLease = (lease: KubeObject | undefined) => lease && leaseIntent(lease)?.planId.slice(0, 1);
const marked = (lease: KubeObject, text: string): KubeObject => ({
  ...lease,
  metadata: { ...lease.metadata, annotations: { ...lease.metadata.annotations, [intentAnnotation]: text } },
});
const values = { n: '-', 1: '1', 2: '2', 3: '3' };

describe('what goes out to HAProxy pods', () => {
  it(
    'is written down with the next renewal, in the same write and no other',
    marbles((m) => {
      const { api, process } = leaseApi();
      let intent: DeploymentIntent | undefined;
      const a = process('a', { intent: () => intent });
      const many$ = at(2_500, () => (intent = intentOf('1')));
      const last$ = at(3_000, () => (intent = intentOf('2')));
      const unsub = '                        ^ 9s !';
      m.expect(shown(a.view$), unsub).toBeObservable('n 4001ms 2', values);
      m.expect(many$, unsub).toBeObservable(' 2500ms (t|)', { t: 0 });
      m.expect(last$, unsub).toBeObservable(' 3s (t|)', { t: 0 });
      m.flush();
      expect(api.writes).toEqual(['a#1@1', 'a#1@2001', 'a#1@4001', 'a#1@6001', 'a#1@8001']);
      expect(onLease(api.current())).toBe('2');
    }),
  );

  it(
    'is not written by who only begins to lead: what stands there stays until something is let out',
    marbles((m) => {
      const { process } = leaseApi(marked(leaseOf(''), `${'1'.repeat(16)} sha256:${'1'.repeat(64)}`));
      let intent: DeploymentIntent | undefined = intentOf('2');
      const a = process('a', { intent: () => intent });
      const begun$ = at(2, () => (intent = undefined));
      const out$ = at(5_000, () => (intent = intentOf('3')));
      const unsub = '                        ^ 9s !';
      m.expect(shown(a.view$), unsub).toBeObservable('(n1) 5998ms 3', values);
      m.expect(begun$, unsub).toBeObservable('--(t|)', { t: 0 });
      m.expect(out$, unsub).toBeObservable(' 5s (t|)', { t: 0 });
      m.flush();
    }),
  );

  it(
    'is written after a conflict, on what was read anew',
    marbles((m) => {
      const { api, process } = leaseApi();
      let intent: DeploymentIntent | undefined;
      const a = process('a', { intent: () => intent, isWatched: false });
      const out$ = at(3_000, () => {
        intent = intentOf('1');
        api.edit((lease) => ({ ...lease, metadata: { ...lease.metadata, labels: { by: 'hand' } } }));
      });
      const unsub = '                        ^ 5s !';
      m.expect(shown(a.view$), unsub).toBeObservable('n 4003ms 1', values);
      m.expect(out$, unsub).toBeObservable(' 3s (t|)', { t: 0 });
      m.flush();
      expect(api.requests.slice(-3)).toEqual(['a replace', 'a read', 'a replace']);
      expect(api.current()?.metadata.labels).toEqual({ by: 'hand' });
    }),
  );

  it(
    'goes along when the Lease is given back, and the next leader keeps it',
    marbles((m) => {
      const { api, process } = leaseApi();
      let intent: DeploymentIntent | undefined;
      const a = process('a', { intent: () => intent });
      const b = process('b');
      const stop$ = at(3_000, () => {
        intent = intentOf('1');
        a.command.next({ kind: 'retire' });
        a.command.next({ kind: 'release' });
      });
      const unsub = '                        ^ 9s !';
      m.expect(shown(a.view$), unsub).toBeObservable('n 3000ms 1', values);
      m.expect(shown(b.view$), unsub).toBeObservable('n 3000ms 1', values);
      m.expect(stop$, unsub).toBeObservable('3s (t|)', { t: 0 });
      m.flush();
      expect(onLease(api.current())).toBe('1');
      expect(api.writes.at(-1)).toMatch(/^b#2/);
    }),
  );

  it(
    'goes along only with the Lease of the term in which it went out: who stops while it is about to lead again leaves what others wrote',
    marbles((m) => {
      const { api, process } = leaseApi();
      // Of its first term; nobody asks it for another.
      const a = process('a', { intent: () => intentOf('1') });
      const taken$ = at(5_000, () =>
        api.edit(() => marked(leaseOf('b', '2'), `${'2'.repeat(16)} sha256:${'2'.repeat(64)}`)),
      );
      const back$ = at(6_000, () => {
        api.delayMs = 10;
        api.edit((lease) => ({ ...lease, ...leaseOf('', '2'), metadata: lease.metadata }));
      });
      // Its request for the Lease is under way.
      const stop$ = at(6_005, () => {
        a.command.next({ kind: 'retire' });
        a.command.next({ kind: 'release' });
      });
      const unsub = '                          ^ 9s !';
      m.expect(shown(a.view$), unsub).toBeObservable('n 2001ms 1 2998ms n2', values);
      m.expect(taken$, unsub).toBeObservable('5s (t|)', { t: 0 });
      m.expect(back$, unsub).toBeObservable('6s (t|)', { t: 0 });
      m.expect(stop$, unsub).toBeObservable('6005ms (t|)', { t: 0 });
      m.flush();
      expect(api.writes.slice(-2)).toEqual(['a#3@6001', '#3@6011']);
      expect(onLease(api.current())).toBe('2');
    }),
  );

  it(
    'is nothing where what stands there cannot be understood',
    marbles((m) => {
      const { process } = leaseApi(marked(leaseOf('old'), 'something else'));
      m.expect(shown(process('a').view$), '     ^ 9s !').toBeObservable('n', values);
    }),
  );
});
