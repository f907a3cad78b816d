import { marbles } from 'rxjs-marbles';
import { map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { reflect } from '../../../src/streams/reflect.ts';
import type { ResourceToken } from '../../../src/streams/resource-token.ts';
import type { WatchEvent } from '../../../src/streams/watch-event.ts';
import { object } from '../../fixtures/kube-stream.ts';

/** A store that notes each edit, with all it holds at that time: `set ns/a@2`, `replace ns/a@1 ns/b@1`. */
function notedStore() {
  const edits: string[] = [];
  const show = (key: string, { metadata }: KubeObject): string => `${key}@${metadata.resourceVersion ?? '?'}`;
  return {
    edits,
    set: (key: string, value: KubeObject): void => void edits.push(`set ${show(key, value)}`),
    delete: (key: string): void => void edits.push(`delete ${key}`),
    replace: (entries: Iterable<readonly [string, KubeObject]>): void =>
      void edits.push(['replace', ...[...entries].map((entry) => show(...entry))].join(' ')),
  };
}

/** A token in a few letters: `synced 1`, `degraded 1: no`. */
function showToken({ kind, revision, message }: ResourceToken): string {
  return `${kind} ${revision}${message === undefined ? '' : `: ${message}`}`;
}

const events: Readonly<Record<string, WatchEvent>> = {
  i: { kind: 'init' },
  a: { kind: 'init-apply', object: object('a@1') },
  b: { kind: 'init-apply', object: object('b@1') },
  d: { kind: 'init-done', resourceVersion: '5' },
  A: { kind: 'apply', object: object('a@2') },
  N: { kind: 'apply', object: object('a@9', 'another') },
  X: { kind: 'delete', object: object('a@3') },
  Y: { kind: 'delete', object: object('zzz@3') },
  v: { kind: 'init-apply', object: { apiVersion: 'example.com/v2', ...object('a@1') } },
  '0': { kind: 'absent', message: 'no such kind' },
  D: { kind: 'degraded', reason: 'forbidden', message: 'no' },
  R: { kind: 'recovered' },
  r: { kind: 'retrying', attempt: 1, delayMs: 10, message: 'no' },
  e: { kind: 'empty-unconfirmed', held: 2 },
};

/** Runs a diagram of the events above and compares tokens, subscription and the edits of the store. */
function check(
  name: string,
  diagram: string,
  expected: string,
  tokens: Readonly<Record<string, string>>,
  edits: readonly string[],
): void {
  it(
    name,
    marbles((m) => {
      const store = notedStore();
      const source = m.hot(diagram, events);
      const subs = `^${'-'.repeat(diagram.length - 1)}!`;
      m.expect(source.pipe(reflect('widgets', store), map(showToken)), subs).toBeObservable(expected, tokens);
      m.expect(source).toHaveSubscriptions(subs);
      m.flush();
      expect(store.edits).toEqual(edits);
    }),
  );
}

describe('reflect', () => {
  check(
    'swaps a list in as a whole and says synced then, and not before',
    '-i-a-b-d-',
    '-------s-',
    { s: 'synced 1' },
    ['replace ns/a@1 ns/b@1'],
  );
  check('says synced also of an empty kind', '-i-d-', '---s-', { s: 'synced 1' }, ['replace']);
  check(
    'writes each later change and counts it',
    '-iad-A-X-',
    '---s-A-X-',
    { s: 'synced 1', A: 'changed 2', X: 'changed 3' },
    ['replace ns/a@1', 'set ns/a@2', 'delete ns/a'],
  );
  check(
    'skips a version that it holds already, and the deletion of what it does not hold',
    '-iad-A-A-Y-',
    '---s-A-----',
    { s: 'synced 1', A: 'changed 2' },
    ['replace ns/a@1', 'set ns/a@2'],
  );
  check(
    'takes an object made anew under a name as one change, and the late deletion of the former one as none',
    '-iad-N-X-',
    '---s-N---',
    { s: 'synced 1', N: 'changed 2' },
    ['replace ns/a@1', 'set ns/a@9'],
  );
  check(
    'takes the same object in another version of its kind for a change, though it has the same version',
    '-iad--ivd-ivd-',
    '---s----v-----',
    { s: 'synced 1', v: 'changed 2' },
    ['replace ns/a@1', 'replace ns/a@1'],
  );
  check('starts a list anew that failed midway', '-ia--ib-d-', '--------s-', { s: 'synced 1' }, [
    'replace ns/b@1',
  ]);
  check(
    'takes back what is deleted before the list is complete, but no object made anew meanwhile',
    '-iabX-d-',
    '------s-',
    { s: 'synced 1' },
    ['replace ns/b@1'],
  );
  check(
    'says nothing of a new list that brings nothing new',
    '-iad---iad-',
    '---s-------',
    { s: 'synced 1' },
    ['replace ns/a@1'],
  );
  check(
    'says changed of a new list that lacks something, and keeps the old content until it is complete',
    '-iabd--ia--d-',
    '----s------c-',
    { s: 'synced 1', c: 'changed 2' },
    ['replace ns/a@1 ns/b@1', 'replace ns/a@1'],
  );
  check(
    'says absent as a first word, and synced when the kind comes',
    '-0---iad-',
    '-0-----s-',
    { '0': 'absent 0: no such kind', s: 'synced 1' },
    ['replace ns/a@1'],
  );
  check(
    'tells of trouble once the store can be used, and leaves the store alone',
    '-iad-D-r-e-R-',
    '---s-D-----R-',
    { s: 'synced 1', D: 'degraded 1: no', R: 'recovered 1' },
    ['replace ns/a@1'],
  );
  check(
    'keeps trouble to itself before the first list is complete',
    '-D-r-R-iad-',
    '---------s-',
    { s: 'synced 1' },
    ['replace ns/a@1'],
  );

  it(
    'ends with the source, and passes its error on',
    marbles((m) => {
      const completing = m.cold('-i|', events);
      const failing = m.cold('   -i#', events);
      m.expect(completing.pipe(reflect('widgets', notedStore()))).toBeObservable('--|');
      m.expect(failing.pipe(reflect('widgets', notedStore()))).toBeObservable('   --#');
      m.expect(completing).toHaveSubscriptions('^-!');
      m.expect(failing).toHaveSubscriptions('   ^-!');
    }),
  );
});
