import { marbles } from 'rxjs-marbles';
import { NEVER, defer, delay, map, merge, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { DeploymentIntent } from '../../../src/protocol/deployment-intent.ts';
import { keepIntent } from '../../../src/streams/keep-intent.ts';
import { refused } from '../../fixtures/lease-scene.ts';

const intentOf = (planId: string): DeploymentIntent => ({ planId, checksum: `sha256:${planId}` });
const intents = { a: intentOf('a'), b: intentOf('b'), c: intentOf('c'), n: undefined };
const timing = { pause: 2_000, retry: { min: 1_000, max: 4_000 } };

function scene(fails = 0) {
  const writes: string[] = [];
  const write = ({ planId }: DeploymentIntent) =>
    defer(() => {
      writes.push(planId);
      const result = writes.length <= fails ? refused(500) : ({ ok: true, value: {} } as const);
      return of(result).pipe(delay(1));
    });
  return { writes, write };
}

describe('an intent without an election', () => {
  it(
    'is written at once, then the newest after a pause, and never what stands there already',
    marbles((m) => {
      const { write, writes } = scene();
      const source = m.hot('   aabc 5s n a 3s c', intents);
      const written$ = keepIntent({ intent$: source, write, ...timing });
      const shown$ = written$.pipe(map((one) => (one.kind === 'written' ? one.intent.planId : 'f')));
      const unsub = '          ^ 6s !';
      m.expect(shown$, unsub).toBeObservable('-a 2000ms c 3003ms a');
      m.expect(source).toHaveSubscriptions(unsub);
      m.flush();
      expect(writes).toEqual(['a', 'c', 'a']);
    }),
  );

  it(
    'is tried again with growing pauses, and gives way to a newer one',
    marbles((m) => {
      const { write, writes } = scene(3);
      const source = m.hot('   a 5s b', intents);
      const written$ = keepIntent({ intent$: merge(source, NEVER), write, ...timing });
      const shown$ = written$.pipe(map((one) => (one.kind === 'written' ? one.intent.planId : 'f')));
      m.expect(shown$, '       ^ 9s !').toBeObservable('-f 1000ms f 2000ms f 1998ms b');
      m.flush();
      expect(writes).toEqual(['a', 'a', 'a', 'b']);
    }),
  );
});
