import { type Observable, map, merge } from 'rxjs';
import { immediate$ } from '../../render/immediate.ts';
import { recordInputs } from '../../sinks/record-inputs.ts';
import type { RecordingEntry } from '../../sinks/recording.ts';
import type { ControllerRuntime } from '../../world/controller-runtime.ts';
import type { LiveWorld } from '../../world/open-world.ts';
import { version } from '../../lib/version.ts';

export interface RecordRuntimeDeps {
  readonly runtime: Pick<ControllerRuntime, 'pipeline' | 'fleet$' | 'leadership$' | 'edit$'>;
  readonly world$: Observable<LiveWorld>;
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** See {@link recordInputs}. */
  readonly isOptimistic: () => boolean;
}

/** A recording of a running controller, from each subscription on. */
export function recordRuntime({
  runtime,
  world$,
  capabilities,
  isOptimistic,
}: RecordRuntimeDeps): Observable<RecordingEntry> {
  const { pipeline, fleet$, leadership$, edit$ } = runtime;
  return recordInputs({
    version,
    capabilities,
    isOptimistic,
    world$: world$.pipe(
      map(({ config, stores, http }) => ({
        config,
        stores,
        ...(http !== undefined && { contents: http.reads.contents }),
      })),
    ),
    edit$,
    fleet$,
    leadership$,
    verdict$: merge(pipeline.verdict$, pipeline.trial$.pipe(map(({ verdict }) => verdict))),
    delivery$: pipeline.delivery$,
    render$: pipeline.render$,
    pause$: immediate$,
  });
}
