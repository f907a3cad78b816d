import { type Observable, Subscription } from 'rxjs';
import type { GateReport } from '../gate/gate-stage.ts';
import type { LatchVerdict } from '../gate/latch.ts';
import {
  quarantinedObjects,
  type QuarantinedObject,
  type QuarantineState,
} from '../gate/quarantine-state.ts';
import { formatOwner } from '../lib/owner.ts';
import type { PipelineLogger } from './log-pipeline.ts';
import type { Metrics } from './metrics.ts';

export interface QuarantineStreams {
  readonly verdict$: Observable<LatchVerdict>;
  readonly trial$: Observable<GateReport<LatchVerdict>>;
  readonly quarantine$: Observable<QuarantineState>;
}

/**
 * Tells in the log and the metrics who is held: `warn` when an object is found to be refused, with HAProxy's own words, `info` when
 * it is released, `error` when nothing can be released. Ends when unsubscribed; a stream's error is for `onError`: it is a bug.
 */
export function recordQuarantine(
  { verdict$, trial$, quarantine$ }: QuarantineStreams,
  metrics: Pick<Metrics, 'configRejections' | 'quarantined'>,
  log: PipelineLogger,
  onError: (error: unknown) => void,
): Subscription {
  const recording = new Subscription();
  const on = <T>(stream$: Observable<T>, next: (value: T) => void): void =>
    recording.add(stream$.subscribe({ next, error: onError }));
  let known = new Map<string, QuarantinedObject>();
  let stuck: string | undefined;

  metrics.quarantined.set({ kind: 'pinned' }, 0);
  metrics.quarantined.set({ kind: 'excluded' }, 0);
  on(verdict$, (verdict) => {
    if (verdict.kind === 'refused')
      for (const validator of validatorsOf(verdict)) metrics.configRejections.inc({ validator });
  });
  on(trial$, ({ about, verdict, bundle }) =>
    log.debug({ about, planId: bundle.plan.id, verdict: verdict.kind }, 'checked beside the release'),
  );
  on(quarantine$, (state) => {
    const objects = quarantinedObjects(state);
    for (const kind of ['pinned', 'excluded'] as const)
      metrics.quarantined.set({ kind }, objects.filter((object) => object.kind === kind).length);
    tellObjects(objects);
    if (state.stuck !== undefined && state.stuck !== stuck)
      log.error(
        { reason: state.stuck },
        'the configuration is refused whoever is held back: the last accepted one stays',
      );
    stuck = state.stuck;
  });
  return recording;

  function tellObjects(objects: readonly QuarantinedObject[]): void {
    const present = new Map(objects.map((object) => [formatOwner(object.owner), object]));
    for (const [name, { state, kind, words }] of present) {
      const former = known.get(name);
      if (former?.state === state && former.words === words) continue;
      const fields = { object: name, kind, reason: words };
      if (state === 'refused')
        log.warn(
          fields,
          kind === 'pinned'
            ? 'object is refused, its last accepted output stays'
            : 'object is refused and left out',
        );
      else log.info(fields, 'object is held back until it is known who is to blame');
    }
    for (const name of known.keys())
      if (!present.has(name)) log.info({ object: name }, 'object is in effect again');
    known = present;
  }
}

function validatorsOf({ findings = [] }: LatchVerdict): ReadonlySet<string> {
  const names = new Set(findings.map(({ validator }) => validator ?? 'haproxy'));
  return names.size === 0 ? new Set(['haproxy']) : names;
}
