import {
  type Observable,
  type Subscription,
  catchError,
  combineLatest,
  defer,
  distinctUntilChanged,
  map,
  of,
  timer,
} from 'rxjs';
import type { Logger } from 'pino';
import type { KubeObject } from '../api/kube-object.ts';
import { describeFailure, type KubeFailure } from '../kube/kube-failure.ts';
import { errorMessage } from '../lib/error-message.ts';
import { abortable } from '../operators/abortable.ts';
import { coalesce } from '../operators/coalesce.ts';
import { exhaustMapLatest } from '../operators/exhaust-map-latest.ts';

export interface MaintainConfigurationDeps {
  /** The ValidatingWebhookConfiguration as it should be; undefined while there is no certificate. Emits when it may have changed. */
  readonly wanted$: Observable<KubeObject | undefined>;
  readonly apply: (
    object: KubeObject,
    signal: AbortSignal,
  ) => Promise<{ readonly ok: true } | { readonly ok: false; readonly failure: KubeFailure }>;
  /** Milliseconds after which it is applied again, though nothing changed here: others may have changed it there. */
  readonly again: number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly onFatal: (error: unknown) => void;
}

/**
 * Keeps the ValidatingWebhookConfiguration as it is wanted, one write at a time. Loss policy: the newest one wins. A failed write is told once
 * for each reason, and done again at the next turn.
 */
export function maintainConfiguration(deps: MaintainConfigurationDeps): Subscription {
  const { wanted$, apply, again, log } = deps;
  let problem = '';
  let written = '';
  const write = (object: KubeObject): Observable<void> =>
    defer(() => abortable((signal) => apply(object, signal))).pipe(
      map((result) => (result.ok ? '' : describeFailure(result.failure))),
      catchError((error: unknown) => of(errorMessage(error))),
      map((reason) => {
        const content = JSON.stringify(object);
        if (reason === '' && content !== written)
          log.info(
            { name: object.metadata.name, webhooks: countOf(object) },
            'webhook configuration applied',
          );
        if (reason !== '' && reason !== problem)
          log.warn({ name: object.metadata.name, reason }, 'webhook configuration could not be applied');
        problem = reason;
        if (reason === '') written = content;
      }),
    );
  return combineLatest({
    object: wanted$.pipe(distinctUntilChanged((a, b) => JSON.stringify(a) === JSON.stringify(b))),
    turn: timer(0, again),
  })
    .pipe(
      coalesce(),
      exhaustMapLatest(({ object }) => (object === undefined ? of(undefined) : write(object))),
    )
    .subscribe({ error: deps.onFatal });
}

function countOf(object: KubeObject): number {
  const { webhooks } = object;
  return Array.isArray(webhooks) ? webhooks.length : 0;
}
