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

/**
 * A mermaid flowchart: solid edges from sources, dotted ones for tracked reads, one box shape per kind. Several parts are graphs
 * on top of each other: a thick edge leads from a collection to its copy above.
 */
export function printMermaid(parts: readonly (() => readonly NodeShape[])[]): string {
  const lines = ['flowchart LR'];
  const below = new Map<string, string>();
  parts.forEach((shapesOf, part) => {
    const id = (index: number): string => (part === 0 ? `n${index}` : `n${part}_${index}`);
    const shapes = shapesOf();
    for (const { index, name, kind } of shapes) {
      const [open, close] = frames[kind];
      const label = kind === 'source' ? name : `${name}<br/><i>${kind}</i>`;
      lines.push(`  ${id(index)}${open}"${escapeLabel(label, name)}"${close}`);
    }
    for (const { index, sources } of shapes)
      for (const from of new Set(sources)) lines.push(`  ${id(from)} --> ${id(index)}`);
    for (const { index, reads } of shapes)
      for (const from of reads) lines.push(`  ${id(from)} -. reads .-> ${id(index)}`);
    for (const { index, name, kind } of shapes) {
      const origin = kind === 'source' ? below.get(name) : undefined;
      if (origin !== undefined) lines.push(`  ${origin} ==> ${id(index)}`);
    }
    for (const { index, name } of shapes) if (!below.has(name)) below.set(name, id(index));
  });
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
