import { type TemplateResult, html } from 'lit-html';
import { fieldOf, listOf, textOf } from './field-of.ts';
import type { PageActions } from './page-actions.ts';
import type { PageState } from './page-state.ts';

/** The objects that are held back, with HAProxy's own words. */
export function quarantineView(state: PageState, actions: PageActions): TemplateResult {
  const value = state.lanes.byTap.get('quarantine')?.at(-1)?.value;
  const objects = listOf(fieldOf(value, 'objects'));
  const stuck = textOf(fieldOf(value, 'stuck'));
  const wanted = state.filter.trim().toLowerCase();
  const shown = objects.filter(
    (object) => wanted === '' || JSON.stringify(object).toLowerCase().includes(wanted),
  );
  return html`
    <section aria-label="Quarantine">
      <p>
        ${
          objects.length === 0
            ? 'No object is held back.'
            : `${textOf(fieldOf(value, 'count'))} objects are held back; ${shown.length} shown.`
        }
      </p>
      ${stuck === '' ? '' : html`<p class="bad">Holding objects does not help: ${stuck}</p>`}
      <table ?hidden=${shown.length === 0}>
        <thead>
          <tr>
            <th scope="col">Object</th>
            <th scope="col">Held</th>
            <th scope="col">Since</th>
            <th scope="col">What HAProxy said</th>
          </tr>
        </thead>
        <tbody>
          ${shown.map((object) => {
            const name = ownerName(fieldOf(object, 'owner'));
            return html`<tr>
              <th scope="row">
                <button type="button" @click=${() => actions.explainObject(name)}>${name}</button>
              </th>
              <td>${textOf(fieldOf(object, 'kind'))}, ${textOf(fieldOf(object, 'state'))}</td>
              <td>${textOf(fieldOf(object, 'since'))}</td>
              <td>${textOf(fieldOf(object, 'words'))}</td>
            </tr>`;
          })}
        </tbody>
      </table>
    </section>
  `;
}

/** `Ingress web/shop`, as the controller names objects. */
function ownerName(owner: unknown): string {
  const namespace = textOf(fieldOf(owner, 'namespace'));
  const name = textOf(fieldOf(owner, 'name'));
  return `${textOf(fieldOf(owner, 'kind'))} ${namespace === '' ? name : `${namespace}/${name}`}`;
}
