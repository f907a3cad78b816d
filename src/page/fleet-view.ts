import { type TemplateResult, html, nothing } from 'lit-html';
import { fieldOf, listOf, textOf } from './field-of.ts';
import type { PageActions } from './page-actions.ts';
import type { PageState } from './page-state.ts';
import type { TapEvent } from './tap-event.ts';

/** The HAProxy pods: what each was brought to last and how, what it waits for, why it reloaded; and those that cannot be delivered to. */
export function fleetView(state: PageState, actions: PageActions): TemplateResult {
  const newest = (tap: string): unknown => state.lanes.byTap.get(tap)?.at(-1)?.value;
  const pods = listOf(newest('fleet'));
  const rejected = listOf(fieldOf(newest('pods'), 'rejected'));
  const progress = newest('deployments');
  const reports = state.lanes.byTap.get('deliveries') ?? [];
  return html`
    <section aria-label="Fleet">
      <p>
        ${
          progress === undefined
            ? 'No render is out yet.'
            : html`Render <code>${textOf(fieldOf(progress, 'planId'))}</code> runs on
                ${textOf(fieldOf(progress, 'converged'))} of ${textOf(fieldOf(progress, 'pods'))} pods.`
        }
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Pod</th>
            <th scope="col">Address</th>
            <th scope="col">Brought to</th>
            <th scope="col">By</th>
            <th scope="col">State</th>
            <th scope="col">Why it took a reload</th>
          </tr>
        </thead>
        <tbody>
          ${pods.map((pod) => podRow(pod, reports, progress, actions))}
        </tbody>
      </table>
      ${pods.length === 0 ? html`<p>There are no HAProxy pods that can be delivered to.</p>` : nothing}
      ${
        rejected.length === 0
          ? nothing
          : html`<h2>Not delivered to</h2>
              <ul>
                ${rejected.map(
                  (pod) =>
                    html`<li>
                      <strong>${textOf(fieldOf(pod, 'key'))}</strong>: ${textOf(fieldOf(pod, 'reason'))}
                      ${textOf(fieldOf(pod, 'message'))}
                    </li>`,
                )}
              </ul>`
      }
    </section>
  `;
}

function podRow(
  pod: unknown,
  reports: readonly TapEvent[],
  progress: unknown,
  actions: PageActions,
): TemplateResult {
  const key = textOf(fieldOf(pod, 'key'));
  const own = reports.filter(({ value }) => fieldOf(value, 'pod.key') === key);
  const last = own.at(-1);
  const reload = own.findLast(({ value }) => listOf(fieldOf(value, 'reasons')).length > 0);
  const isPending = listOf(fieldOf(progress, 'pending')).includes(key);
  const isFailed = listOf(fieldOf(progress, 'failed')).includes(key);
  const failure = isFailed ? textOf(fieldOf(last?.value, 'message')) : '';
  return html`
    <tr>
      <th scope="row">${key}</th>
      <td>${textOf(fieldOf(pod, 'address'))}</td>
      <td><code>${textOf(fieldOf(last?.value, 'planId'))}</code></td>
      <td>${textOf(fieldOf(last?.value, 'mode')) || textOf(fieldOf(last?.value, 'kind'))}</td>
      <td class=${isFailed ? 'bad' : isPending ? 'costly' : 'good'}>
        ${isFailed ? `failed: ${failure}` : isPending ? 'waits for its reload' : 'up to date'}
      </td>
      <td>
        ${
          reload === undefined
            ? nothing
            : html`<button type="button" @click=${() => actions.explainReload(reload)}>
                ${textOf(fieldOf(reload.value, 'reasons[0]'))}
              </button>`
        }
      </td>
    </tr>
  `;
}
