import { type TemplateResult, html, nothing } from 'lit-html';
import { fieldOf, listOf, textOf } from './field-of.ts';
import type { PageActions } from './page-actions.ts';
import type { Answer, PageState } from './page-state.ts';

/** From an object to everything that it has brought about: lines, map entries, files, problems, and what became of its last changes. */
export function explainView(state: PageState, actions: PageActions): TemplateResult {
  return html`
    <section aria-label="Explain an object">
      <label>
        Object
        <input
          id="object"
          type="search"
          list="objects"
          placeholder="Ingress web/shop"
          autocomplete="off"
          .value=${state.search}
          @input=${(event: InputEvent) => actions.search((event.target as HTMLInputElement).value)}
          @change=${(event: Event) => actions.explainObject((event.target as HTMLInputElement).value)}
        />
      </label>
      <datalist id="objects">
        ${state.objects.map((object) => html`<option value=${object}></option>`)}
      </datalist>
      <div aria-live="polite">
        ${state.explained === undefined ? hint : answered(state.explained, actions)}
      </div>
    </section>
  `;
}

const hint = html`<p>Type a part of its kind, namespace or name.</p>`;

function answered({ question, value, error }: Answer, actions: PageActions): TemplateResult {
  if (error !== undefined) return html`<p class="bad">${error}</p>`;
  if (value === undefined) return html`<p>Asking about ${question} …</p>`;
  const held = fieldOf(value, 'held');
  return html`
    <h2>${question}</h2>
    <p>in render <code>${textOf(fieldOf(value, 'planId'))}</code></p>
    ${
      held === undefined
        ? nothing
        : html`<p class="bad">
            Held back (${textOf(fieldOf(held, 'kind'))}, ${textOf(fieldOf(held, 'state'))}) since
            ${textOf(fieldOf(held, 'since'))}: ${textOf(fieldOf(held, 'words'))}
          </p>`
    }
    ${listed('Problems', listOf(fieldOf(value, 'problems')), (problem) => [
      `${textOf(fieldOf(problem, 'severity'))} ${textOf(fieldOf(problem, 'reason'))} ${textOf(fieldOf(problem, 'field'))}`,
      textOf(fieldOf(problem, 'message')),
    ])}
    ${listed('haproxy.cfg', listOf(fieldOf(value, 'sections')), (section) => [
      `lines ${textOf(fieldOf(section, 'firstLine'))}–${textOf(fieldOf(section, 'lastLine'))}, ${textOf(fieldOf(section, 'kind'))} ${textOf(fieldOf(section, 'name'))}, printed by ${textOf(fieldOf(section, 'template'))}`,
      textOf(fieldOf(section, 'text')),
    ])}
    ${listed('Map entries', listOf(fieldOf(value, 'mapEntries')), pathAndLine)}
    ${leads(listOf(fieldOf(value, 'leadsTo')), actions)}
    ${listed('Certificates in lists', listOf(fieldOf(value, 'crtListEntries')), pathAndLine)}
    ${listed('Files', listOf(fieldOf(value, 'files')), (file) => [
      textOf(fieldOf(file, 'path')),
      `${textOf(fieldOf(file, 'kind'))}, ${textOf(fieldOf(file, 'size'))} bytes`,
    ])}
    ${listed(
      'Own objects and statuses',
      [...listOf(fieldOf(value, 'resources')), ...listOf(fieldOf(value, 'statuses'))],
      (name) => [textOf(name), ''],
    )}
    ${listed('Its last changes', listOf(fieldOf(value, 'events')), (event) => [
      `${textOf(fieldOf(event, 'at'))} ${textOf(fieldOf(event, 'type'))} ${textOf(fieldOf(event, 'correlationId'))}`,
      JSON.stringify(event),
    ])}
  `;
}

function leads(backends: readonly unknown[], actions: PageActions): TemplateResult | typeof nothing {
  if (backends.length === 0) return nothing;
  return html`
    <h3>Leads to (${backends.length})</h3>
    <ul class="parts">
      ${backends.map((backend) => {
        const owner = textOf(fieldOf(backend, 'owner'));
        return html`<li>
          backend ${textOf(fieldOf(backend, 'backend'))} from ${textOf(fieldOf(backend, 'profile'))}
          ${
            owner === ''
              ? nothing
              : html`<button type="button" @click=${() => actions.explainObject(owner)}>${owner}</button>`
          }
        </li>`;
      })}
    </ul>
  `;
}

function pathAndLine(entry: unknown): readonly [string, string] {
  return [textOf(fieldOf(entry, 'path')), textOf(fieldOf(entry, 'line'))];
}

function listed(
  title: string,
  items: readonly unknown[],
  describe: (item: unknown) => readonly [head: string, text: string],
): TemplateResult | typeof nothing {
  if (items.length === 0) return nothing;
  return html`
    <h3>${title} (${items.length})</h3>
    <ul class="parts">
      ${items.map((item) => {
        const [head, text] = describe(item);
        return html`<li>
          <span>${head}</span>
          ${text === '' ? nothing : html`<pre>${text}</pre>`}
        </li>`;
      })}
    </ul>
  `;
}
