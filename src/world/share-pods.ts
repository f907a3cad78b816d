import { type Observable, Subject, type Subscription, combineLatest, map, startWith } from 'rxjs';
import { createGraph } from '../collections/create-graph.ts';
import type { HaproxyPod } from '../protocol/pod.ts';
import type { WorldOptions } from './build-world.ts';

/** A HAProxy pod as templates see it, in `controller.haproxyPods`. */
interface PodFacts {
  readonly namespace: string;
  readonly name: string;
  readonly address: string;
}

/** The HAProxy pods as a collection that every configuration can read. */
export interface SharedPods {
  readonly pods: NonNullable<WorldOptions['pods']>;
  /** Changes of a configuration, those of the pods included. */
  readonly withPods: <W>(world: W, changes$: Observable<unknown>) => Observable<W>;
  /** Keeps the collection equal to the fleet. */
  readonly follow: (
    fleet$: Observable<readonly HaproxyPod[]>,
    onFatal: (error: unknown) => void,
  ) => Subscription;
}

export function sharePods(): SharedPods {
  const graph = createGraph();
  const collection = graph.source<PodFacts>('controller.haproxyPods', { equal: isSame });
  const changed$ = new Subject<void>();
  return {
    pods: { graph, collection },
    withPods: (world, changes$) =>
      combineLatest([changes$, changed$.pipe(startWith(undefined))]).pipe(map(() => world)),
    follow: (fleet$, onFatal) =>
      fleet$.subscribe({
        next: (fleet) => {
          collection.replace(fleet.map((pod) => [pod.key, factsOf(pod)] as const));
          if (graph.dirty) changed$.next();
        },
        error: onFatal,
      }),
  };
}

function factsOf({ key, address }: HaproxyPod): PodFacts {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name, address };
}

function isSame(a: PodFacts, b: PodFacts): boolean {
  return a.namespace === b.namespace && a.name === b.name && a.address === b.address;
}
