import { type TemplateResult, html } from 'lit-html';
import { describeEvent } from './describe-event.ts';
import { explainView } from './explain-view.ts';
import { fieldOf, listOf, textOf } from './field-of.ts';
import { fleetView } from './fleet-view.ts';
import type { PageActions } from './page-actions.ts';
import { type PageState, type View, views } from './page-state.ts';
import { quarantineView } from './quarantine-view.ts';
import type { TapEvent } from './tap-event.ts';

const titles: Readonly<Record<View, string>> = {
  streams: 'Streams',
  fleet: 'Fleet',
  quarantine: 'Quarantine',
  explain: 'Explain an object',
};

/** The whole page. The canvas of the streams is drawn by itself, with every frame. */
export function pageView(state: PageState, actions: PageActions): TemplateResult {
  return html`
    <header>
      <h1>HAPTIC</h1>
      <nav aria-label="Views">
        ${views.map(
          (view, index) =>
            html`<button
              type="button"
              aria-current=${state.view === view ? 'page' : 'false'}
              title=${`${titles[view]} (${index + 1})`}
              @click=${() => actions.show(view)}
            >
              ${titles[view]}
            </button>`,
        )}
      </nav>
      ${status(state)}
    </header>
    <main>
      <div ?hidden=${state.view !== 'streams'}>${streamsView(state, actions)}</div>
      ${state.view === 'fleet' ? fleetView(state, actions) : ''}
      ${state.view === 'quarantine' ? quarantineView(state, actions) : ''}
      ${state.view === 'explain' ? explainView(state, actions) : ''} ${detailsView(state, actions)}
    </main>
  `;
}

function status(state: PageState): TemplateResult {
  const newest = (tap: string): unknown => state.lanes.byTap.get(tap)?.at(-1)?.value;
  const leadership = textOf(fieldOf(newest('leadership'), 'kind'));
  const held = textOf(fieldOf(newest('quarantine'), 'count'));
  const pods = newest('deployments');
  return html`
    <p id="status" role="status">
      <span class=${state.isConnected ? 'good' : 'bad'}
        >${state.isConnected ? 'connected' : 'not connected'}</span
      >
      ${leadership === '' ? '' : html`<span>${leadership}</span>`}
      ${
        pods === undefined
          ? ''
          : html`<span
              >${textOf(fieldOf(pods, 'converged'))} of ${textOf(fieldOf(pods, 'pods'))} pods up to date</span
            >`
      }
      ${held === '' || held === '0' ? '' : html`<span class="bad">${held} held back</span>`}
      ${state.dropped === 0 ? '' : html`<span class="costly">${state.dropped} values lost on the way here</span>`}
    </p>
  `;
}

function streamsView(state: PageState, actions: PageActions): TemplateResult {
  return html`
    <section aria-label="Streams">
      <div class="tools">
        <button type="button" aria-pressed=${state.pausedAt !== undefined} @click=${() => actions.pause()}>
          ${state.pausedAt === undefined ? 'Pause' : 'Go on'}
        </button>
        <button type="button" aria-label="Show less time" @click=${() => actions.zoom(-1)}>+</button>
        <button type="button" aria-label="Show more time" @click=${() => actions.zoom(1)}>−</button>
        <label>
          Only with
          <input
            id="filter"
            type="search"
            placeholder="web/shop"
            .value=${state.filter}
            @input=${(event: InputEvent) => actions.filter((event.target as HTMLInputElement).value)}
          />
        </label>
        <details>
          <summary>Lanes</summary>
          <fieldset>
            <legend>Shown</legend>
            ${state.taps.map(
              (tap) =>
                html`<label>
                  <input
                    type="checkbox"
                    .checked=${!state.hidden.has(tap)}
                    @change=${() => actions.toggle(tap)}
                  />
                  ${tap}
                </label>`,
            )}
          </fieldset>
        </details>
      </div>
      <canvas
        id="streams"
        tabindex="0"
        role="application"
        aria-label="Marble diagrams of the pipeline. Arrow keys go from value to value, Enter shows it, P pauses, plus and minus zoom."
      ></canvas>
    </section>
  `;
}

function detailsView({ selected, chain }: PageState, actions: PageActions): TemplateResult {
  if (selected === undefined) return html`<aside aria-live="polite" hidden></aside>`;
  return html`
    <aside aria-live="polite" aria-label="Value">
      <button type="button" class="close" aria-label="Close" @click=${() => actions.select(undefined)}>
        ×
      </button>
      <h2>${selected.tap} ${selected.seq}</h2>
      <p>${new Date(selected.at).toISOString()} · ${describeEvent(selected).words}</p>
      ${
        planOf(selected) === ''
          ? ''
          : html`<button type="button" @click=${() => actions.explainReload(selected)}>
              What led to it
            </button>`
      }
      ${chain === undefined ? '' : chainView(chain.value, chain.error)}
      <pre>${JSON.stringify(selected.value, undefined, 2)}</pre>
    </aside>
  `;
}

/** The plan that an event is about; empty: none. */
export function planOf({ value }: TapEvent): string {
  return textOf(fieldOf(value, 'planId')) || textOf(fieldOf(value, 'released'));
}

function chainView(value: unknown, error: string | undefined): TemplateResult {
  if (error !== undefined) return html`<p class="bad">${error}</p>`;
  if (value === undefined) return html`<p>Asking …</p>`;
  const events = listOf(value);
  if (events.length === 0) return html`<p>It is longer ago than the controller remembers.</p>`;
  return html`<ol class="chain">
    ${events.map(
      (event) =>
        html`<li>
          <span>${textOf(fieldOf(event, 'at')).slice(11, 23)} ${textOf(fieldOf(event, 'type'))}</span>
          ${wordsOf(event)}
        </li>`,
    )}
  </ol>`;
}

function wordsOf(event: unknown): string {
  const of = (path: string) => textOf(fieldOf(event, path));
  const lists = ['objects', 'reasons', 'reloads'].flatMap((name) => listOf(fieldOf(event, name)).map(textOf));
  return [of('resource'), of('pod'), of('mode'), of('verdict'), of('message'), ...lists]
    .filter((word) => word !== '')
    .join(' · ');
}
