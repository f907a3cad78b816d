import type { NodeKind, NodeShape } from './node.ts';

const frames: Record<NodeKind, readonly [string, string]> = {
  source: ['[(', ')]'],
  map: ['[', ']'],
  flatMap: ['[/', '/]'],
  group: ['{{', '}}'],
  index: ['>', ']'],
  union: ['([', '])'],
  problems: ['(', ')'],
};

/** A mermaid flowchart: solid edges from sources, dotted ones for tracked reads, one box shape per kind. */
export function printMermaid(shapes: readonly NodeShape[]): string {
  const lines = ['flowchart LR'];
  for (const { index, name, kind } of shapes) {
    const [open, close] = frames[kind];
    const label = kind === 'source' ? name : `${name}<br/><i>${kind}</i>`;
    lines.push(`  n${index}${open}"${escapeLabel(label, name)}"${close}`);
  }
  for (const { index, sources } of shapes)
    for (const from of new Set(sources)) lines.push(`  n${from} --> n${index}`);
  for (const { index, reads } of shapes)
    for (const from of reads) lines.push(`  n${from} -. reads .-> n${index}`);
  return `${lines.join('\n')}\n`;
}

function escapeLabel(label: string, name: string): string {
  const safe = name
    .replaceAll('#', '#35;')
    .replaceAll('"', '#quot;')
    .replaceAll('<', '#lt;')
    .replaceAll('>', '#gt;');
  return label.replace(name, () => safe.replaceAll('\n', ' '));
}
