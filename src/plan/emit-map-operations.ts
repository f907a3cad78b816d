import { getEntry, valuesOf } from '../lib/ordered-map.ts';
import type { Plan, PlanMap } from '../protocol/plan.ts';
import type { Draft } from './draft.ts';
import type { MapOperations } from './map-operations.ts';

/** How many entries of a map that is replaced as a whole are looked at. */
const looked = 100;

/**
 * Emits a map's operations in the phases that they belong to: an entry that leads requests somewhere comes after all that is said of these requests in other maps, and
 * goes before it, so that nobody is let in by a route whose restrictions are a few commands away. An entry leads if its value begins with the name of a
 * backend, up to a `/`.
 */
export function emitMapOperations(
  draft: Draft,
  { upserts, replace, deletes }: MapOperations,
  map: { readonly before: PlanMap; readonly after: PlanMap },
  { worker, next }: { readonly worker: Plan; readonly next: Plan },
): void {
  const leads = (value: string | undefined): boolean => {
    const name = value?.split('/', 1)[0] ?? '';
    return getEntry(next.backends, name) !== undefined || getEntry(worker.backends, name) !== undefined;
  };
  const upsertsLead = upserts.some((operation) => 'value' in operation && leads(operation.value));
  const deletesLead = deletes.some(
    (operation) => 'key' in operation && leads(getEntry(map.before.entries, operation.key)?.value),
  );
  const replaceLeads = replace.length > 0 && firstValues(map.after).some(leads);
  draft.emit(upsertsLead ? 'routeUpsert' : 'mapUpsert', ...upserts);
  draft.emit(replaceLeads ? 'routeReplace' : 'mapReplace', ...replace);
  draft.emit(deletesLead ? 'routeDelete' : 'mapDelete', ...deletes);
}

function firstValues({ entries }: PlanMap): string[] {
  const values: string[] = [];
  for (const { value } of valuesOf(entries)) {
    if (values.length === looked) break;
    values.push(value);
  }
  return values;
}
