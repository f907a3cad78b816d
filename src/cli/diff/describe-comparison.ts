import { problemLine } from '../../validation/problem-line.ts';
import type { Comparison } from './compare-sides.ts';

const meanings = {
  noop: 'nothing changes',
  file_only: 'files change that HAProxy need not know of',
  runtime: 'runtime commands, no reload',
  reload: 'HAProxy reloads',
} as const;

/** Comparisons for people: a verdict each with its reasons, then what differs in the files; the same difference is shown once. */
export function describeComparisons(comparisons: readonly Comparison[]): string {
  const shown = new Set<string>();
  return comparisons
    .map((comparison) => {
      const files = filesText(comparison);
      const isNew = !shown.has(files);
      shown.add(files);
      return `${headText(comparison)}${isNew ? files : ''}`;
    })
    .join('\n');
}

function headText(comparison: Comparison): string {
  const { from, to, pod, test, verdict, reasons, notes, operations, drifted, problems } = comparison;
  const title = pod ?? `${from} -> ${to}`;
  const counts = Object.entries(operations).map(([kind, count]) => `${count} ${kind}`);
  const lines = [
    `${title}${test === undefined ? '' : ` (test ${test})`}: ${verdict}, ${meanings[verdict]}`,
    ...reasons.map((reason) => `  reason: ${reason}`),
    ...(counts.length > 0
      ? [`  ${verdict === 'reload' ? 'before it' : 'commands'}: ${counts.join(', ')}`]
      : []),
    ...notes.map((note) => `  note: ${note}`),
    ...(drifted.length > 0 ? [`  changed by somebody else: ${drifted.join(', ')}`] : []),
    ...problems.map((problem) => `  problem: ${problemLine(problem)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function filesText({ files }: Comparison): string {
  if (files.length === 0) return '';
  const list = files.map(
    ({ path, change, note }) => `  ${change}: ${path}${note === undefined ? '' : ` (${note})`}\n`,
  );
  const diffs = files.flatMap(({ diff }) => (diff === undefined ? [] : [diff]));
  return `${list.join('')}${diffs.length > 0 ? `\n${diffs.join('')}` : ''}`;
}
