import { marbles } from 'rxjs-marbles';
import { describe } from 'vitest';
import { expect, it } from 'vitest';
import { retryConnection } from '../../../src/fleet/retry-connection.ts';
import { CodedError } from '../../../src/lib/coded-error.ts';

const caused = (code: string): CodedError =>
  new CodedError('HAPTIC_ERR_AGENT_UNREACHABLE', 'agent', {
    cause: Object.assign(new Error('socket'), { code }),
  });
const policy = { attempts: 3, delay: 4 };

describe('retryConnection', () => {
  it(
    'passes an answer on',
    marbles((m) => {
      const request = m.cold('--a|');
      const subs = '          ^--!';
      m.expect(request.pipe(retryConnection(policy))).toBeObservable('--a|');
      m.expect(request).toHaveSubscriptions(subs);
    }),
  );

  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])
    it(
      `sends again after ${code}, three times`,
      marbles((m) => {
        const error = caused(code);
        const request = m.cold('-#', {}, error);
        const expected = '       ----------------#';
        m.expect(request.pipe(retryConnection(policy))).toBeObservable(expected, {}, error);
        m.expect(request).toHaveSubscriptions(['^!', '-----^!', '----------^!', '---------------^!']);
      }),
    );

  for (const code of ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'OTHER'])
    it(
      `does not send again after ${code}`,
      marbles((m) => {
        const error = caused(code);
        const request = m.cold('-#', {}, error);
        m.expect(request.pipe(retryConnection(policy))).toBeObservable('-#', {}, error);
        m.expect(request).toHaveSubscriptions('^!');
      }),
    );

  it(
    'ends with its subscriber, in the pause as well',
    marbles((m) => {
      const request = m.cold('-#', {}, caused('ECONNRESET'));
      m.expect(request.pipe(retryConnection(policy)), '^--!').toBeObservable('----');
      m.expect(request).toHaveSubscriptions('^!');
    }),
  );

  it('takes what is no error for no passing fault', () => {
    let seen: unknown;
    marbles((m) => {
      const request = m.cold('-#', {}, 'just words');
      request.pipe(retryConnection(policy)).subscribe({ error: (error: unknown) => (seen = error) });
      m.flush();
    })();
    expect(seen).toBe('just words');
  });
});
