import { marbles } from 'rxjs-marbles';
import { describe, it } from 'vitest';
import { incident } from '../../fixtures/incident.ts';

describe('what happened on 2026-11-30 at 08:43:58', () => {
  it(
    'goes as it went',
    marbles((m) => {
      const { expectLane } = incident(m, new URL('./routes-come-and-go.ndjson', import.meta.url), {
        config: '-- a',
        edits: '4ms (ab) (cde) 7ms f 16ms g 17ms h 105ms i',
        fleet: '- a',
        leadership: '- a',
        verdicts: '8ms (ab)',
        deliveries: '8ms a 137ms b 134ms c',
      });
      expectLane('wanted', '33ms a 21ms b 105ms c', {
        a: 'haptic/haproxy-0 to c68407a32ae7cd17',
        b: 'haptic/haproxy-0 to 2e5fbc9ce5c9e660',
        c: 'haptic/haproxy-0 to 4c6465e6490f7df0',
      });
      expectLane('renders', '8ms a 11ms a 12ms a --- a 17ms b 105ms c', {
        a: 'c68407a32ae7cd17, 0 problems',
        b: '2e5fbc9ce5c9e660, 0 problems',
        c: '4c6465e6490f7df0, 0 problems',
      });
      expectLane('latch', '- a 31ms b 21ms c 105ms d', {
        a: 'pessimistic: nothing is out',
        b: 'optimistic: c68407a32ae7cd17 is out',
        c: 'optimistic: 2e5fbc9ce5c9e660 is out',
        d: 'optimistic: 4c6465e6490f7df0 is out',
      });
    }),
  );
});
