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
};
const retry = { min: 3, max: 5 };
const silent = new CodedError('HAPTIC_ERR_AGENT_UNREACHABLE', 'refused');
/** Members, then those that are not, with the reason and words. */
const words = map(({ pods, rejected }: Fleet) =>
  [
    ...pods.map(({ key, containerId }) => (containerId === 'new' ? `${key}'` : key)),
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
      const first = m.cold('  --s|');
      const second = m.cold('      ---s|');
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
      const fine = m.cold('                s|');
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
      const former = m.cold(' --------s|');
      const latter = m.cold('    --s|');
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
      const answer = m.cold(' -s|');
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
    'keeps a pod that answered once, though its agent may fall silent',
    marbles((m) => {
      const source = m.hot('  p--x-----------', fleets);
      const answer = m.cold(' -s|');
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
