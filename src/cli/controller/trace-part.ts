import { type Observable, Subject, filter, map, merge, share, switchMap } from 'rxjs';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Delta, SourceCollection } from '../../collections/types.ts';
import { recordTrace } from '../../sinks/record-trace.ts';
import { type TurnChanges, traceRevisions } from '../../sinks/trace-revisions.ts';
import type { ControllerPart } from '../../world/controller-runtime.ts';

/** Objects that are named of one turn. */
const named = 10;

/** Follows each change from its arrival to the acknowledgement of every pod: in the log, in metrics, in the history and as a tap. */
export const tracePart: ControllerPart = (runtime) => {
  const { world$, pipeline, deployment$, edit$, taps, metrics, history, log, onFatal } = runtime;
  const event$ = traceRevisions({
    arrival$: edit$,
    // A source, not work: the stores of the configuration at work.
    change$: world$.pipe(
      switchMap(({ stores }) => merge(...[...stores].map(([name, store]) => changesOf(name, store)))),
    ),
    render$: pipeline.render$,
    verdict$: pipeline.verdict$,
    delivery$: pipeline.delivery$,
    deployment$,
    prefix: Date.now().toString(36),
  }).pipe(
    taps.point('trace', (event) => event),
    share({ connector: () => new Subject(), resetOnRefCountZero: true }),
  );
  const recording = recordTrace(event$, { metrics, history, log, onError: onFatal });
  recording.add(
    edit$.subscribe({
      next: ({ resource: type }) => metrics.watchLastEvent.set({ type }, Date.now() / 1_000),
      error: onFatal,
    }),
  );
  return recording;
};

function changesOf(resource: string, store: SourceCollection<KubeObject>): Observable<TurnChanges> {
  return store.deltas$.pipe(
    filter((deltas) => deltas.length > 0),
    map((deltas) => ({ resource, count: deltas.length, objects: deltas.slice(0, named).map(wordsOf) })),
  );
}

function wordsOf({ key, before, after }: Delta<KubeObject>): string {
  return `${before === undefined ? '+' : after === undefined ? '-' : '~'}${key}`;
}
