import { marbles } from 'rxjs-marbles';
import { type Observable, ReplaySubject, map, share } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../src/lib/coded-error.ts';
import type { Fleet } from '../../../src/protocol/fleet.ts';
import { answeringPods } from '../../../src/streams/answering-pods.ts';
import { podOf } from '../../fixtures/delivery-reports.ts';

const fleets: Record<string, Fleet> = {
  n: { pods: [], rejected: [] },
  p: { pods: [podOf('p')], rejected: [] },
  b: { pods: [podOf('p'), podOf('q')], rejected: [] },
  x: { pods: [podOf('p')], rejected: [{ key: 'a', reason: 'no_address' }] },
  r: { pods: [podOf('p', { containerId: 'new' })], rejected: [] },
  l: { pods: [podOf('q')], leaving: [podOf('p')], rejected: [] },
  m: { pods: [podOf('q')], rejected: [] },
};
/** `s`: an agent that leaves a HAProxy alone that ends; `o`: one that does not. */
const answers = { s: { refusesWhenEnding: true }, o: { refusesWhenEnding: false } };
const retry = { min: 3, max: 5 };
const silent = new CodedError('HAPTIC_ERR_AGENT_UNREACHABLE', 'refused');
/** Members, then those that are not, with the reason and words. */
const words = map(({ pods, leaving = [], rejected }: Fleet) =>
  [
    ...pods.map(({ key, containerId }) => (containerId === 'new' ? `${key}'` : key)),
    ...leaving.map(({ key }) => `~${key}`),
    ...rejected.map(({ key, reason, message = '' }) => `-${key} ${reason} ${message}`.trim()),
  ].join(', '),
);
/** As `haproxyPods` is shared. */
const found = (source$: Observable<Fleet>) =>
  source$.pipe(share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true }));

describe('answeringPods', () => {
  it(
    'takes a pod in when its agent answers, and never asks it again',
    marbles((m) => {
      const source = m.hot('  p----b---------', fleets);
      const first = m.cold('  --s|', answers);
      const second = m.cold('      ---s|', answers);
      const expected = '      z-p-----b------';
      const unsub = '         ^-------------!';
      const probe = ({ key }: { key: string }) => (key === 'p' ? first : second);
      m.expect(answeringPods(found(source), { probe, retry }).pipe(words), unsub).toBeObservable(expected, {
        z: '',
        p: 'p',
        b: 'p, q',
      });
      m.expect(source).toHaveSubscriptions(unsub);
      m.expect(first).toHaveSubscriptions('^-!');
      m.expect(second).toHaveSubscriptions('-----^--!');
    }),
  );

  it(
    'rejects a pod whose agent does not answer, with its words, and asks it again with growing delays',
    marbles((m) => {
      const source = m.hot('  p------------------', fleets);
      const lost = m.cold('   -#', {}, silent);
      const fine = m.cold('                s|', answers);
      let asked = 0;
      const probe = () => (++asked < 4 ? lost : fine);
      const expected = '      zx--------------p--';
      const unsub = '         ^-----------------!';
      m.expect(answeringPods(found(source), { probe, retry }).pipe(words), unsub).toBeObservable(expected, {
        z: '',
        x: '-p agent_not_answering refused',
        p: 'p',
      });
      m.expect(lost).toHaveSubscriptions(['^!', '----^!', '----------^!']);
      m.expect(fine).toHaveSubscriptions('----------------(^!)');
    }),
  );

  it(
    'asks another pod under the same name anew, and ends the question to the former one',
    marbles((m) => {
      const source = m.hot('  p--r-----------', fleets);
      const former = m.cold(' --------s|', answers);
      const latter = m.cold('    --s|', answers);
      const expected = '      z----r---------';
      const unsub = '         ^-------------!';
      const probe = ({ containerId }: { containerId: string }) => (containerId === 'new' ? latter : former);
      m.expect(answeringPods(found(source), { probe, retry }).pipe(words), unsub).toBeObservable(expected, {
        z: '',
        r: "p'",
      });
      m.expect(former).toHaveSubscriptions('^--!');
      m.expect(latter).toHaveSubscriptions('---^-!');
    }),
  );

  it(
    'passes on whom the API rejects already, and forgets pods that are gone',
    marbles((m) => {
      const source = m.hot('  x----n---p-----', fleets);
      const answer = m.cold(' -s|', answers);
      const expected = '      xp---n----q----';
      const unsub = '         ^-------------!';
      m.expect(
        answeringPods(found(source), { probe: () => answer, retry }).pipe(words),
        unsub,
      ).toBeObservable(expected, {
        x: '-a no_address',
        p: 'p, -a no_address',
        n: '',
        q: 'p',
      });
      m.expect(answer).toHaveSubscriptions(['^!', '---------^!']);
    }),
  );

  it(
    'keeps a pod that ends until it is gone, without asking it again, if its agent leaves HAProxy alone then',
    marbles((m) => {
      const source = m.hot('  b---l---m------', fleets);
      const both = m.cold('   -s|', answers);
      const expected = '      zb--l---m------';
      const unsub = '         ^-------------!';
      const members = answeringPods(found(source), { probe: () => both, retry }).pipe(words);
      m.expect(members, unsub).toBeObservable(expected, { z: '', b: 'p, q', l: 'q, ~p', m: 'q' });
      m.expect(both).toHaveSubscriptions(['^!', '^!']);
    }),
  );

  it(
    'drops a pod that ends if its agent would reload HAProxy then, or does not answer',
    marbles((m) => {
      const source = m.hot('  b---l---m------', fleets);
      const older = m.cold('  -o|', answers);
      const fine = m.cold('   -s|', answers);
      const expected = '      zb--m----------';
      const unsub = '         ^-------------!';
      const probe = ({ key }: { key: string }) => (key === 'p' ? older : fine);
      m.expect(answeringPods(found(source), { probe, retry }).pipe(words), unsub).toBeObservable(expected, {
        z: '',
        b: 'p, q',
        m: 'q',
      });
      m.expect(source).toHaveSubscriptions(unsub);
    }),
  );

  it(
    'takes in a pod that ends when it is first seen, once its agent answers; until then nothing is said of it',
    marbles((m) => {
      const source = m.hot('  l--------------', fleets);
      const lost = m.cold('   -#', {}, silent);
      const fine = m.cold('   -s|', answers);
      let asked = 0;
      const probe = ({ key }: { key: string }) => (key === 'p' && asked++ === 0 ? lost : fine);
      const expected = '      zm---l---------';
      const unsub = '         ^-------------!';
      m.expect(answeringPods(found(source), { probe, retry }).pipe(words), unsub).toBeObservable(expected, {
        z: '',
        m: 'q',
        l: 'q, ~p',
      });
      m.expect(lost).toHaveSubscriptions('^!');
    }),
  );

  it(
    'keeps a pod that answered once, though its agent may fall silent',
    marbles((m) => {
      const source = m.hot('  p--x-----------', fleets);
      const answer = m.cold(' -s|', answers);
      let asked = 0;
      const probe = () => (asked++, answer);
      m.expect(
        answeringPods(found(source), { probe, retry }).pipe(words),
        '                     ^-------------!',
      ).toBeObservable('      zp-x-----------', { z: '', p: 'p', x: 'p, -a no_address' });
      m.flush();
      expect(asked).toBe(1);
    }),
  );
});
