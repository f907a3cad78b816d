import { Subscription } from 'rxjs';
import type { Observable } from 'rxjs';
import { getEntry, valuesOf } from '../../lib/ordered-map.ts';
import type { Bundle } from '../../protocol/bundle.ts';
import { createCycleBook } from '../../sinks/last-cycle.ts';
import { hidePasswords } from '../../sinks/publish/hide-passwords.ts';
import type { ControllerPart } from '../../world/controller-runtime.ts';

/** Puts what was rendered, accepted and delivered last into `/debug/vars`, under the names that HAPTIC gives it. */
export const varsPart: ControllerPart = ({ pipeline, deployment$, bundle$, vars, history, onFatal }) => {
  const book = createCycleBook(Date.now);
  let out: { readonly bundle: Bundle; readonly at: string } | undefined;
  const running = new Subscription();
  const on = <T>(stream$: Observable<T>, next: (value: T) => void): void =>
    running.add(stream$.subscribe({ next, error: onFatal }));
  on(pipeline.render$, book.onRender);
  on(pipeline.verdict$, book.onVerdict);
  on(pipeline.latch$, book.onLatch);
  on(pipeline.delivery$, book.onDelivery);
  on(deployment$, book.onDeployment);
  on(bundle$, (bundle) => (out = { bundle, at: new Date().toISOString() }));

  Object.assign(vars, {
    pipeline: book.last,
    validated: () => book.last().validated,
    errors: book.errors,
    events: () => history.last(100),
    rendered: () => out && renderedOf(out.bundle, out.at),
    auxfiles: () =>
      out &&
      [...valuesOf(out.bundle.plan.files)].flatMap(({ path, kind, size, digest, owner }) =>
        kind === 'config' ? [] : [{ path, kind, size, digest, ...(owner && { owner }) }],
      ),
  } satisfies typeof vars);
  return running;
};

function renderedOf({ plan, revision, problems }: Bundle, timestamp: string): unknown {
  const config = getEntry(plan.files, 'haproxy.cfg');
  return {
    planId: plan.id,
    revision,
    timestamp,
    problems: problems.length,
    size: config?.size,
    config: config && hidePasswords(Buffer.concat(config.content())).toString('utf8'),
  };
}
