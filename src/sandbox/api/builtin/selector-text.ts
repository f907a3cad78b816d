import { getIn, isRecord, textOf } from '../json.ts';
import { formatMatchLabels } from '../label-selector.ts';

/** A selector as text, for the wide columns of workloads. */
export function selectorText(selector: unknown): string {
  const labels = getIn(selector, ['matchLabels']) ?? selector;
  if (!isRecord(labels)) return '<none>';
  const text = formatMatchLabels(
    Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, textOf(value)])),
  );
  return text === '' ? '<none>' : text;
}
