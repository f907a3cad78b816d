import { expect, test } from 'vitest';
import { describeEvent } from '../../../src/page/describe-event.ts';

test.each<[string, unknown, string, string]>([
  [
    'deliveries',
    { kind: 'acked', mode: 'runtime', pod: { key: 'a/b' }, reasons: [] },
    'good',
    'a/b · runtime',
  ],
  [
    'deliveries',
    { kind: 'acked', mode: 'reload', pod: { key: 'a/b' }, reasons: ['backend x: new'] },
    'costly',
    'a/b · reload · backend x: new',
  ],
  [
    'deliveries',
    { kind: 'failed', pod: { key: 'a/b' }, message: 'ECONNREFUSED' },
    'bad',
    'a/b · failed · ECONNREFUSED',
  ],
  ['verdicts', { kind: 'refused', planId: 'p', findings: [{ message: 'no' }] }, 'bad', 'refused · p · no'],
  ['quarantine', { count: 0, objects: [] }, 'good', '0 objects'],
  ['quarantine', { count: 1, objects: [] }, 'bad', '1 object'],
  ['latch', { mode: 'pessimistic', pinned: true, released: 'p' }, 'bad', 'pessimistic · p'],
  ['renders', { kind: 'rendered', planId: 'p', problemCount: 2 }, 'costly', 'p · 2 problems'],
  ['renders', { kind: 'rejected', message: 'no' }, 'bad', 'no · 0 problems'],
  ['deployments', { pods: 2, converged: 1, overdue: true }, 'bad', '1 of 2 pods'],
  [
    'trace',
    { type: 'revision', id: 'x-1', objects: ['ingresses ~a/b'] },
    'good',
    'revision · x-1 · ingresses ~a/b',
  ],
  ['leadership', { kind: 'standby' }, 'costly', 'standby'],
  ['fleet', [1, 2], 'plain', '2 items'],
  ['anything', null, 'plain', 'null'],
  ['anything', { toString: 1 }, 'plain', '{"toString":1}'],
])('%s %j is %s', (tap, value, tone, words) => {
  expect(describeEvent({ tap, seq: 1, at: 0, value, size: 1 })).toStrictEqual({ tone, words });
});
