import { ignoreElements, merge, tap } from 'rxjs';
import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { ConfigJudgement } from '../../../src/sinks/config-status.ts';
import { type StatusWritten, writeConfigStatus } from '../../../src/sinks/write-config-status.ts';

const object: KubeObject = { metadata: { name: 'main', namespace: 'haptic', uid: 'u', generation: 3 } };
const seen = () => object;
const judgement = (message: string): ConfigJudgement => ({
  object,
  status: 'Invalid',
  reason: 'ConfigInvalid',
  message,
  errors: [message],
});
const judgements = { a: judgement('one'), b: judgement('two'), c: judgement('three') };
const written: Record<string, StatusWritten> = {
  w: { kind: 'written' },
  f: { kind: 'failed', message: 'conflict' },
  g: { kind: 'gone' },
};
const retry = { min: 4, max: 8 };

describe('writeConfigStatus', () => {
  it(
    'writes one judgement at a time, and of those that come meanwhile the newest',
    marbles((m) => {
      const applied: unknown[] = [];
      const apply = m.cold('   ---(w|)', written);
      const source = m.hot('   abc-----------', judgements);
      const expected = '       ---w--w-------';
      const sink = writeConfigStatus({
        apply: (status) => (applied.push(status['status']), apply),
        seen,
        retry,
      });
      m.expect(source.pipe(sink), '^-----------!').toBeObservable(expected, written);
      m.expect(apply).toHaveSubscriptions(['^--!', '---^--!']);
      m.expect(source).toHaveSubscriptions('^-----------!');
      m.flush();
      expect(applied).toMatchObject([{ validationMessage: 'one' }, { validationMessage: 'three' }]);
    }),
  );

  it(
    'tries again with growing delays what failed',
    marbles((m) => {
      const failing = m.cold(' (f|)', written);
      const able = m.cold('    (w|)', written);
      let attempts = 0;
      const source = m.hot('   a-----------------------', judgements);
      const expected = '       f---f-------f-------w---';
      const sink = writeConfigStatus({ apply: () => (++attempts < 4 ? failing : able), seen, retry });
      m.expect(source.pipe(sink), '^----------------------!').toBeObservable(expected, written);
      m.expect(failing).toHaveSubscriptions(['(^!)', '----(^!)', '------------(^!)']);
      m.expect(able).toHaveSubscriptions('--------------------(^!)');
    }),
  );

  it(
    'gives up what failed for a newer judgement, and what is gone at once',
    marbles((m) => {
      const applied: string[] = [];
      const source = m.hot('   a-b------------', judgements);
      const expected = '       f-g------------';
      const sink = writeConfigStatus({
        apply: (status) => {
          const { validationMessage } = status['status'] as { validationMessage: string };
          applied.push(validationMessage);
          return m.cold(validationMessage === 'one' ? '(f|)' : '(g|)', written);
        },
        seen,
        retry,
      });
      m.expect(source.pipe(sink), '^-------------!').toBeObservable(expected, written);
      m.flush();
      expect(applied).toEqual(['one', 'two']);
    }),
  );

  it(
    'writes nothing that stands there already',
    marbles((m) => {
      const apply = m.cold('   (w|)', written);
      const status = {
        observedGeneration: 3,
        validationStatus: 'Invalid',
        validationMessage: 'one',
        validationErrors: ['one'],
        conditions: [
          {
            type: 'Validated',
            status: 'False',
            reason: 'ConfigInvalid',
            message: 'one',
            lastTransitionTime: '2026-01-01T00:00:00Z',
            observedGeneration: 3,
          },
        ],
      };
      const source = m.hot('   a-------', judgements);
      const sink = writeConfigStatus({ apply: () => apply, seen: () => ({ ...object, status }), retry });
      m.expect(source.pipe(sink), '^---!').toBeObservable('----');
      m.expect(apply).toHaveSubscriptions([]);
    }),
  );

  it(
    'takes what it wrote itself for what stands there, though the object was seen before',
    marbles((m) => {
      const applied: unknown[] = [];
      // As a former process left it.
      let now: KubeObject = object;
      const apply = (status: KubeObject) => {
        const { validationMessage } = status['status'] as { validationMessage: string };
        applied.push(validationMessage);
        // The second one is not seen yet.
        if (applied.length === 1) now = { ...object, status: status['status'] };
        return m.cold<StatusWritten>('(w|)', written);
      };
      const source = m.hot('   a--b--b--a--', judgements);
      const expected = '       w--w-----w--';
      const sink = writeConfigStatus({ apply, seen: () => now, retry });
      m.expect(source.pipe(sink), '^----------!').toBeObservable(expected, written);
      m.flush();
      expect(applied).toEqual(['one', 'two', 'one']);
    }),
  );

  it(
    'writes again what somebody else has overwritten',
    marbles((m) => {
      let now: KubeObject = object;
      const apply = m.cold('   (w|)', written);
      const source = m.hot('   a--a--', judgements);
      const foreign = m.cold(' -x    ').pipe(
        tap(() => (now = { ...object, status: { validationMessage: 'by hand' } })),
        ignoreElements(),
      );
      const sink = writeConfigStatus({ apply: () => apply, seen: () => now, retry });
      const out$ = merge(source.pipe(sink), foreign);
      m.expect(out$, '         ^----!').toBeObservable('w--w--', written);
      m.expect(apply).toHaveSubscriptions(['(^!)', '---(^!)']);
    }),
  );

  it(
    'writes nothing to an object that is gone, or was made anew since it was judged',
    marbles((m) => {
      const apply = m.cold('   (f|)', written);
      let now: KubeObject | undefined = object;
      const source = m.hot('   a-----------', judgements);
      const replaced = m.cold('-----x      ').pipe(
        tap(() => (now = { ...object, metadata: { ...object.metadata, uid: 'v' } })),
        ignoreElements(),
      );
      const sink = writeConfigStatus({ apply: () => apply, seen: () => now, retry });
      m.expect(merge(source.pipe(sink), replaced), '^--------------!').toBeObservable('f---f---', written);
      m.expect(apply).toHaveSubscriptions(['(^!)', '----(^!)']);
    }),
  );

  it(
    'ends a write when unsubscribed',
    marbles((m) => {
      const apply = m.cold('   -----(w|)', written);
      const source = m.hot('   a-------', judgements);
      m.expect(source.pipe(writeConfigStatus({ apply: () => apply, seen, retry })), '^--!').toBeObservable(
        '---',
      );
      m.expect(apply).toHaveSubscriptions('^--!');
    }),
  );
});
