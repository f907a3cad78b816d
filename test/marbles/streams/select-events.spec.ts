import { marbles } from 'rxjs-marbles';
import { map } from 'rxjs';
import { describe, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { selectEvents } from '../../../src/streams/select-events.ts';
import type { WatchEvent } from '../../../src/streams/watch-event.ts';
import { showEvent } from '../../fixtures/kube-stream.ts';

/** `a` of class x in version 1. */
const widget = (name: string, version: string, className: string): KubeObject => ({
  kind: 'Widget',
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: version },
  spec: { className },
});

const events: Readonly<Record<string, WatchEvent>> = {
  i: { kind: 'init' },
  a: { kind: 'init-apply', object: widget('a', '1', 'x') },
  b: { kind: 'init-apply', object: widget('b', '1', 'y') },
  d: { kind: 'init-done', resourceVersion: '5' },
  A: { kind: 'apply', object: widget('a', '6', 'y') },
  B: { kind: 'apply', object: widget('b', '7', 'x') },
  X: { kind: 'delete', object: widget('b', '8', 'x') },
  g: { kind: 'degraded', reason: 'forbidden', message: 'no' },
  r: { kind: 'recovered' },
};

const shown = {
  i: 'init',
  a: '+a@1',
  b: 'delete b@1',
  B: '+b@1',
  d: 'done@5',
  A: 'delete a@6',
  Y: 'apply b@7',
  X: 'delete b@8',
  g: 'degraded forbidden',
  r: 'recovered',
};

const isX = (object: KubeObject) => (object['spec'] as { className: string }).className === 'x';
const itself = (object: KubeObject) => object;

describe('selectEvents', () => {
  it(
    'turns coming to match into an apply and ceasing to match into a delete',
    marbles((m) => {
      const source = m.hot(' -iabdABXgr-', events);
      const subs = '         ^---------!';
      const expected = '     -iabdAYXgr-';
      m.expect(source.pipe(selectEvents(isX, itself), map(showEvent)), subs).toBeObservable(expected, shown);
      m.expect(source).toHaveSubscriptions(subs);
    }),
  );

  it(
    'passes everything without a condition',
    marbles((m) => {
      const source = m.hot(' -iabd-|', events);
      const expected = '     -iaBd-|';
      m.expect(source.pipe(selectEvents(undefined, itself), map(showEvent))).toBeObservable(expected, shown);
      m.expect(source).toHaveSubscriptions('^-----!');
    }),
  );

  it(
    'compares the object as it came, and passes it as it is to be stored',
    marbles((m) => {
      const bare = ({ metadata }: KubeObject): KubeObject => ({ metadata });
      const source = m.hot(' -B-X-', events);
      const subs = '         ^----!';
      const expected = '     -p-q-';
      const passed: Readonly<Record<string, WatchEvent>> = {
        p: { kind: 'apply', object: bare(widget('b', '7', 'x')) },
        q: { kind: 'delete', object: bare(widget('b', '8', 'x')) },
      };
      m.expect(source.pipe(selectEvents(isX, bare)), subs).toBeObservable(expected, passed);
      m.expect(source).toHaveSubscriptions(subs);
    }),
  );

  it(
    'passes an error on',
    marbles((m) => {
      const source = m.cold('-i#', events);
      m.expect(source.pipe(selectEvents(isX, itself), map(showEvent))).toBeObservable('-i#', shown);
      m.expect(source).toHaveSubscriptions('^-!');
    }),
  );
});
