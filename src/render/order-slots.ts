import type { Slot } from '../templates/run.ts';
import { templateInvalid, type TemplateError } from '../templates/template-error.ts';
import type { LookupUse } from '../templates/vocabulary.ts';

/** A forEach and the collections of the templates' own that it fills and reads. */
export interface SlotUses {
  readonly slot: Slot;
  readonly uses: readonly LookupUse[];
}

const prefix = 'collected.';

/** Names that a slot fills by `collect`. */
function filledBy({ uses }: SlotUses): readonly string[] {
  return uses.flatMap(({ helper, resource }) => (helper === 'collect' ? [resource] : []));
}

/**
 * Fillers before readers, else in the order given. Throws `HAPTIC_ERR_TEMPLATE_INVALID` at each forEach whose collections go round in
 * a circle: what it prints would depend on itself.
 */
export function orderSlots<T extends SlotUses>(slots: readonly T[]): readonly T[] {
  const fillers = new Map<string, T[]>();
  for (const one of slots)
    for (const name of filledBy(one)) fillers.set(name, [...(fillers.get(name) ?? []), one]);
  const ordered = new Set<T>();
  const open = new Set<T>();
  const errors: TemplateError[] = [];
  const visit = (one: T): void => {
    if (ordered.has(one)) return;
    if (open.has(one)) {
      errors.push(circle(one));
      return;
    }
    open.add(one);
    for (const name of readBy(one)) for (const filler of fillers.get(name) ?? []) visit(filler);
    open.delete(one);
    ordered.add(one);
  };
  for (const one of slots) visit(one);
  if (errors.length > 0) throw templateInvalid(errors);
  return [...ordered];
}

function readBy({ slot, uses }: SlotUses): readonly string[] {
  const names = [slot.collection, ...uses.map(({ resource }) => resource)];
  return names.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
}

function circle({ slot, uses }: SlotUses): TemplateError {
  const [, template = '', line, column] = /^(.*):(\d+):(\d+)$/.exec(slot.place) ?? [];
  const names = filledBy({ slot, uses }).join(', ');
  return {
    template,
    line: Number(line ?? 1),
    column: Number(column ?? 1),
    message: `what is collected here (${names}) depends on what is collected here`,
  };
}
