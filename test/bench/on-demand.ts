import { randomBytes } from 'node:crypto';
import { Subject } from 'rxjs';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { referenceTo } from '../../src/api/object-reference.ts';
import { reflect } from '../../src/streams/reflect.ts';
import { normalizeObject } from '../../src/streams/normalize-object.ts';
import type { WatchEvent } from '../../src/streams/watch-event.ts';
import { createLiveStore } from '../../src/world/live-store.ts';

const count = 20_000;
const contentBytes = 4_096;

const secretText = (index: number): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `certificate-of-host-${index}`,
      namespace: `namespace-${index % 100}`,
      uid: `${randomBytes(4).toString('hex')}-${randomBytes(2).toString('hex')}-4000-8000-${randomBytes(6).toString('hex')}`,
      resourceVersion: String(1_000_000 + index),
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { 'app.kubernetes.io/name': `app-${index}` },
    },
    type: 'kubernetes.io/tls',
    data: {
      'tls.crt': randomBytes(contentBytes / 2).toString('base64'),
      'tls.key': randomBytes(contentBytes / 4).toString('base64'),
    },
  });

async function bytesPerObject(shape: (object: KubeObject) => KubeObject): Promise<number> {
  const live = createLiveStore('secrets');
  const events = new Subject<WatchEvent>();
  const subscription = events.pipe(reflect('secrets', live.store)).subscribe();
  const before = await used();
  events.next({ kind: 'init' });
  for (let index = 0; index < count; index++) {
    const normalized = normalizeObject(JSON.parse(secretText(index)), { apiVersion: 'v1', kind: 'Secret' });
    if (!normalized.ok) throw new Error(normalized.problem.message);
    events.next({ kind: 'init-apply', object: shape(normalized.object) });
    // Chunks of a network arrive one after the other.
    if (index % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  events.next({ kind: 'init-done', resourceVersion: '1' });
  live.graph.advance();
  const after = await used();
  subscription.unsubscribe();
  if (live.store.size !== count) throw new Error('the store is not complete');
  return Math.round((after - before) / count);
}

async function used(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Memory of a Secret of 4 KB, as the watch brings it: in a full store, as a reference with the default index, and as one that
 * keeps a label to be found by. Bytes of heap per object, over 20,000 of them; `saved` is the share that references save.
 */
export async function run(): Promise<object> {
  const referenceBytes = await bytesPerObject(referenceTo(['metadata.namespace', 'metadata.name']));
  const labelledBytes = await bytesPerObject(referenceTo(["metadata.labels['app.kubernetes.io/name']"]));
  const fullBytes = await bytesPerObject((object) => object);
  return { count, referenceBytes, labelledBytes, fullBytes, saved: 1 - referenceBytes / fullBytes };
}
