import { marbles } from 'rxjs-marbles';
import { throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createValidator } from '../../../src/gate/create-validator.ts';
import { makePlan } from '../../fixtures/make-plan.ts';

const plan = makePlan({ core: { global: 'global\n' } });
const options = {
  name: 'waf',
  socketPath: '/s',
  files: ['haproxy.cfg'],
  dataFiles: [],
  timeoutMs: 5,
  maxConnections: 1,
};
const yes = JSON.stringify({ id: plan.id, valid: true });
const failure = (words: string) => new Error(`validator waf: ${words}`);

describe('createValidator', () => {
  it(
    'asks on the socket and gives what is said',
    marbles((m) => {
      const answer = m.cold('--(a|)', { a: yes });
      const asked: string[] = [];
      const { check } = createValidator(options, (path) => (asked.push(path), answer));
      m.expect(check(plan)).toBeObservable('--(a|)', { a: [] });
      m.expect(answer).toHaveSubscriptions('^-!');
      m.flush();
      expect(asked).toEqual(['/s']);
    }),
  );

  it(
    'errors when the time is up, and gives up the connection',
    marbles((m) => {
      const answer = m.cold('------(a|)', { a: yes });
      const { check } = createValidator(options, () => answer);
      m.expect(check(plan)).toBeObservable('-----#', undefined, failure('no answer within 5 ms'));
      m.expect(answer).toHaveSubscriptions('^----!');
    }),
  );

  it(
    'errors with its name when it cannot be asked, or answers something else',
    marbles((m) => {
      const down = createValidator(options, () => throwError(() => new Error('connect ENOENT /s')));
      m.expect(down.check(plan)).toBeObservable('#', undefined, failure('connect ENOENT /s'));
      const odd = createValidator(options, () => m.cold('-(a|)', { a: 'yes' }));
      m.expect(odd.check(plan)).toBeObservable('-#', undefined, failure('its answer is no JSON object'));
    }),
  );

  it(
    'asks no more at once than it has connections, and waits without losing time for it',
    marbles((m) => {
      const answer = m.cold('----(a|)', { a: yes });
      const { check } = createValidator(options, () => answer);
      const first = check(plan);
      const second = check(plan);
      m.expect(first).toBeObservable('----(a|)', { a: [] });
      m.expect(second).toBeObservable('--------(a|)', { a: [] });
      m.expect(answer).toHaveSubscriptions(['^---!', '----^---!']);
    }),
  );
});
