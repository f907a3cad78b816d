import { marbles } from 'rxjs-marbles';
import { describe, it } from 'vitest';
import { type AgentCredentials, agentCredentials } from '../../../src/streams/agent-credentials.ts';
import {
  line,
  marblePolicy,
  marker,
  opened,
  scriptedApi,
  text,
  type ScriptedAnswer,
} from '../../fixtures/kube-stream.ts';

const base64 = (value: string) => Buffer.from(value).toString('base64');

function secret(version: string, data: Readonly<Record<string, string>>, name = 'login') {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'edge', uid: `uid-${name}`, resourceVersion: version },
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
  };
}

const first = { dataplane_username: 'admin', dataplane_password: 'one' };
const items = {
  o: opened,
  e: text(marker('5')),
  S: text(line('ADDED', secret('1', first)), marker('5')),
  P: text(line('MODIFIED', secret('6', { ...first, dataplane_password: 'two' }))),
  L: text(line('MODIFIED', secret('7', { ...first, other: 'x' }))),
  U: text(line('MODIFIED', secret('8', { dataplane_password: 'one' }))),
  E: text(line('MODIFIED', secret('9', { ...first, dataplane_password: '' }))),
  D: text(line('DELETED', secret('11', first))),
  A: text(line('ADDED', secret('10', first))),
};
const said: Readonly<Record<string, AgentCredentials>> = {
  a: { kind: 'known', username: 'admin', password: 'one' },
  b: { kind: 'known', username: 'admin', password: 'two' },
  n: { kind: 'unusable', message: 'there is no Secret edge/login' },
  u: { kind: 'unusable', message: 'the Secret edge/login has no dataplane_username' },
  p: { kind: 'unusable', message: 'the Secret edge/login has no dataplane_password' },
};

function credentials(...answers: readonly ScriptedAnswer[]) {
  const deps = {
    open: scriptedApi(answers),
    random: () => 0.5,
    policy: { ...marblePolicy, idleMargin: 1_000_000 },
    notice: () => undefined,
  };
  return agentCredentials(deps, { namespace: 'edge', name: 'login' });
}

describe('agentCredentials', () => {
  it(
    'tells what the Secret says, and what it says after a rotation',
    marbles((m) => {
      const watch = m.cold('  o-S---P---', items);
      const subs = '          ^--------!';
      const expected = '      --a---b---';
      m.expect(credentials(['watch', watch]), subs).toBeObservable(expected, said);
      m.expect(watch).toHaveSubscriptions(subs);
    }),
  );

  it(
    'says nothing of a change that is none to it',
    marbles((m) => {
      const watch = m.cold('  o-S-L-P-L-', items);
      const subs = '          ^--------!';
      const expected = '      --a---b-a-';
      m.expect(credentials(['watch', watch]), subs).toBeObservable(expected, said);
      m.expect(watch).toHaveSubscriptions(subs);
    }),
  );

  it(
    'says what is missing, and by name: the Secret, or a key of it',
    marbles((m) => {
      const watch = m.cold('  o-e-A-U-E-D-A-', items);
      const subs = '          ^-------------!';
      const expected = '      --n-a-u-p-n-a-';
      m.expect(credentials(['watch', watch]), subs).toBeObservable(expected, said);
      m.expect(watch).toHaveSubscriptions(subs);
    }),
  );

  it(
    'ends its watch with its subscriber',
    marbles((m) => {
      const watch = m.cold('  o-S-------', items);
      const subs = '          ^--!      ';
      const expected = '      --a-      ';
      m.expect(credentials(['watch', watch]), subs).toBeObservable(expected, said);
      m.expect(watch).toHaveSubscriptions(subs);
    }),
  );
});
