import fc from 'fast-check';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { mergeNamespaces } from '../../../src/streams/merge-namespaces.ts';
import { reflect } from '../../../src/streams/reflect.ts';
import type { WatchEvent } from '../../../src/streams/watch-event.ts';

const namespaces = ['x', 'y', 'z'];
const names = ['a', 'b', 'c'];

type Step =
  | { readonly kind: 'select'; readonly namespaces: readonly string[] }
  | {
      readonly kind: 'list';
      readonly namespace: string;
      readonly names: readonly string[];
      readonly broken: boolean;
    }
  | { readonly kind: 'apply' | 'delete'; readonly namespace: string; readonly name: string };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('select' as const), namespaces: fc.subarray(namespaces) }),
  fc.record({
    kind: fc.constant('list' as const),
    namespace: fc.constantFrom(...namespaces),
    names: fc.subarray(names),
    broken: fc.boolean(),
  }),
  fc.record({
    kind: fc.constantFrom('apply' as const, 'delete' as const),
    namespace: fc.constantFrom(...namespaces),
    name: fc.constantFrom(...names),
  }),
);

/** What the store has to hold: the listed namespaces that are selected, once all of a moment were listed. */
function setUp() {
  let version = 0;
  const object = (namespace: string, name: string): KubeObject => ({
    metadata: { namespace, name, uid: `${namespace}-${name}`, resourceVersion: String(++version) },
  });
  const selected = new Subject<ReadonlySet<string>>();
  const watches = new Map<string, Subject<WatchEvent>>();
  const store = new Map<string, KubeObject>();
  const model = new Map<string, Map<string, KubeObject> | undefined>();
  let complete = false;

  mergeNamespaces(selected, (namespace) => {
    const events = new Subject<WatchEvent>();
    watches.set(namespace, events);
    return events;
  })
    .pipe(
      reflect('test', {
        set: (key, value) => void store.set(key, value),
        delete: (key) => void store.delete(key),
        replace: (entries) => {
          store.clear();
          for (const [key, value] of entries) store.set(key, value);
        },
      }),
    )
    .subscribe();

  const judge = () => {
    complete ||= selectedOnce && [...model.values()].every((objects) => objects !== undefined);
    const wanted = complete ? [...model.values()].flatMap((objects) => [...(objects?.values() ?? [])]) : [];
    const shown = (objects: Iterable<KubeObject>) =>
      [...objects]
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name}@${metadata.resourceVersion}`)
        .sort();
    expect(shown(store.values())).toStrictEqual(shown(wanted));
  };
  let selectedOnce = false;

  return (next: Step): void => {
    switch (next.kind) {
      case 'select':
        selectedOnce = true;
        for (const namespace of [...model.keys()])
          if (!next.namespaces.includes(namespace)) model.delete(namespace);
        for (const namespace of next.namespaces) if (!model.has(namespace)) model.set(namespace, undefined);
        selected.next(new Set(next.namespaces));
        break;
      case 'list': {
        if (!model.has(next.namespace)) return;
        const events = watches.get(next.namespace);
        const objects = next.names.map((name) => object(next.namespace, name));
        events?.next({ kind: 'init' });
        for (const one of objects) events?.next({ kind: 'init-apply', object: one });
        if (next.broken) break;
        model.set(next.namespace, new Map(objects.map((one) => [one.metadata.name, one])));
        events?.next({ kind: 'init-done', resourceVersion: '1' });
        break;
      }
      default: {
        const objects = model.get(next.namespace);
        if (objects === undefined) return;
        const one = object(next.namespace, next.name);
        if (next.kind === 'apply') objects.set(next.name, one);
        else objects.delete(next.name);
        // A watch goes on after a list that broke off only with a new list.
        watches.get(next.namespace)?.next({ kind: 'init' });
        for (const held of objects.values())
          watches.get(next.namespace)?.next({ kind: 'init-apply', object: held });
        watches.get(next.namespace)?.next({ kind: 'init-done', resourceVersion: '2' });
        if (next.kind === 'apply') watches.get(next.namespace)?.next({ kind: 'apply', object: one });
        else watches.get(next.namespace)?.next({ kind: 'delete', object: one });
      }
    }
    judge();
  };
}

describe('mergeNamespaces into a store', () => {
  it('holds exactly what the selected namespaces hold, whatever happens in which order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const act = setUp();
        steps.forEach(act);
      }),
      { numRuns: 300 },
    );
  });
});
