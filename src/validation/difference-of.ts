import { createTwoFilesPatch } from 'diff';

const maxLines = 24;

/** Undefined for equal texts, else a unified diff of them, cut short. `names` stand for the two texts. */
export function differenceOf(
  from: string,
  to: string,
  names: { readonly from: string; readonly to: string },
): string | undefined {
  if (from === to) return undefined;
  const patch = createTwoFilesPatch(names.from, names.to, from, to, undefined, undefined, { context: 2 });
  const lines = patch.trimEnd().split('\n').slice(1);
  const rest = lines.length - maxLines;
  return ['differs', ...lines.slice(0, maxLines), ...(rest > 0 ? [`… ${rest} more lines`] : [])].join('\n');
}
