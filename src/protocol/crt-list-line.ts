import type { CrtListEntry } from './plan.ts';

/** The entry as a line of the file, newline included (configuration manual, `crt-list`). Its words must be safe already. */
export function crtListLine({
  certificate,
  options,
  sniFilters,
}: Pick<CrtListEntry, 'certificate' | 'options' | 'sniFilters'>): string {
  const inBrackets = options.length === 0 ? [] : [`[${options.join(' ')}]`];
  return `${[certificate, ...inBrackets, ...sniFilters].join(' ')}\n`;
}
