import { distinctUntilChanged, map } from 'rxjs';
import type { TemplateConfig } from '../../api/template-config.ts';
import { publishedObjects } from '../../kube/published-objects.ts';
import { parseDuration } from '../../lib/duration.ts';
import { abortable } from '../../operators/abortable.ts';
import { encodeContent } from '../../sinks/publish/encode-content.ts';
import type { PublishEffects, PublishReport } from '../../sinks/publish/publish-effects.ts';
import { publishRenders } from '../../sinks/publish/publish-renders.ts';
import type { PublishOptions } from '../../sinks/publish/publish-state.ts';
import { publishStates } from '../../sinks/publish/publish-states.ts';
import { publishedNames } from '../../sinks/publish/published-names.ts';
import { recordPublishing } from '../../sinks/publish/record-publishing.ts';
import type { ControllerPart, ControllerRuntime } from '../../world/controller-runtime.ts';

const timing = { retry: { min: 1_000, max: 30_000, refused: 300_000 }, resync: 300_000, deadline: 30_000 };
const refusalDelay = 3_000;

/** Shows what HAProxy accepted last, and what runs on the pods, as HAProxyCfg and companions. Only the leader does. */
export const publishPart: ControllerPart = (runtime) => {
  const { identity, pipeline, found$, leadership$, world$, taps, metrics, log, onFatal } = runtime;
  const names = publishedNames(identity.name);
  const state$ = publishStates({
    options$: world$.pipe(
      map(({ config }) => optionsOf(config)),
      distinctUntilChanged((a, b) => JSON.stringify(a) === JSON.stringify(b)),
    ),
    latch$: pipeline.latch$,
    verdict$: pipeline.verdict$,
    fleet$: found$,
    retained$: runtime.retained.kept,
    names,
    refusalDelay,
  });
  const report$ = publishRenders(
    {
      state$,
      delivery$: pipeline.delivery$,
      leader$: leadership$.pipe(map(({ kind }) => kind === 'leading')),
    },
    { effects: effectsOf(runtime, names), names, namespace: identity.namespace, timing },
  ).pipe(taps.point<PublishReport>('published', (report) => report));
  return recordPublishing(report$, metrics, log, onFatal);
};

function optionsOf({ controller, dataplane }: TemplateConfig): PublishOptions {
  const { enabled, compressionThreshold } = controller.configPublishing;
  return {
    enabled,
    compressionThreshold,
    configFile: dataplane.configFile,
    interval: parseDuration(dataplane.configPublishInterval, 'dataplane.configPublishInterval'),
  };
}

function effectsOf(
  { identity, leaderTransport }: Pick<ControllerRuntime, 'identity' | 'leaderTransport'>,
  { main, twin }: Pick<ReturnType<typeof publishedNames>, 'main' | 'twin'>,
): PublishEffects {
  const objects = publishedObjects(leaderTransport, identity);
  return {
    stock: (isUnread) => abortable((signal) => objects.stock({ main, twin }, isUnread, signal)),
    encode: (file, threshold) => abortable((signal) => encodeContent(file, threshold, signal)),
    apply: (object, options) => abortable((signal) => objects.apply(object, options, signal)),
    applyStatus: (known, status) => abortable((signal) => objects.applyStatus(known, status, signal)),
    remove: (known) => abortable((signal) => objects.remove(known, signal)),
  };
}
