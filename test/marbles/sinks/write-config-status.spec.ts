import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { ConfigJudgement } from '../../../src/sinks/config-status.ts';
import { type StatusWritten, writeConfigStatus } from '../../../src/sinks/write-config-status.ts';

const object: KubeObject = { metadata: { name: 'main', namespace: 'haptic', generation: 3 } };
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
      const sink = writeConfigStatus({ apply: (status) => (applied.push(status['status']), apply), retry });
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
      const sink = writeConfigStatus({ apply: () => (++attempts < 4 ? failing : able), retry });
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
      const said: ConfigJudgement = {
        ...judgement('one'),
        object: {
          ...object,
          status: {
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
          },
        },
      };
      const source = m.hot('   a-------', { a: said });
      m.expect(source.pipe(writeConfigStatus({ apply: () => apply, retry })), '^---!').toBeObservable('----');
      m.expect(apply).toHaveSubscriptions([]);
    }),
  );

  it(
    'ends a write when unsubscribed',
    marbles((m) => {
      const apply = m.cold('   -----(w|)', written);
      const source = m.hot('   a-------', judgements);
      m.expect(source.pipe(writeConfigStatus({ apply: () => apply, retry })), '^--!').toBeObservable('---');
      m.expect(apply).toHaveSubscriptions('^--!');
    }),
  );
});
