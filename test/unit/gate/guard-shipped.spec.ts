import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGuard } from '../../../src/gate/guard/create-guard.ts';
import { knownDirectives } from '../../../src/gate/guard/known-directives.ts';
import { judgeLine } from '../../../src/gate/guard/judge-line.ts';
import { withoutLoading } from '../../../src/gate/guard/without-loading.ts';
import { runSlices } from '../../../src/lib/run-slices.ts';
import { createIngressRenderer } from '../../fixtures/ingress-renderer.ts';
import { endpointSlice, ingress, ingressClass, service } from '../../fixtures/kube-objects.ts';

const root = path.resolve(import.meta.dirname, '../../..');

function filesIn(folder: string, end: string): readonly string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => path.join(folder, name));
}

/** Lines that look like some of a configuration, with a word where templates print something. */
function configLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.replaceAll(/\{\{(#|\/|else).*?\}\}/g, ' '))
    .map((line) => line.replaceAll(/\{\{\{?.*?\}\}\}?/g, 'x').trim())
    .filter(
      (line) => / /.test(line) && !line.includes('{{') && knownDirectives.has(line.split(' ')[0] ?? ''),
    );
}

describe('what HAProxy is given in a check', () => {
  it.each([
    ['the shipped libraries', filesIn('charts/haptic/libraries', '.yaml'), (text: string) => text, 50],
    [
      'the documentation',
      filesIn('docs', '.md'),
      (text: string) => [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map(([, block]) => block).join('\n'),
      30,
    ],
  ])('is every line of %s', (_what, files, blocksOf, least) => {
    const lines = files.flatMap((file) => configLines(blocksOf(readFileSync(path.join(root, file), 'utf8'))));
    expect(lines.length).toBeGreaterThan(least);
    expect(lines.filter((line) => judgeLine(line).risk !== undefined)).toEqual([]);
  });

  it('is every line of a render of the shipped libraries', () => {
    const renderer = createIngressRenderer();
    renderer.put(ingressClass(), ingress(), service(), endpointSlice());
    const { sections } = renderer.bundle().plan;
    expect(sections.size).toBeGreaterThan(3);
    const guard = createGuard({ leavesOut: () => true });
    for (const { leftOut } of [guard, withoutLoading].map((one) => runSlices(one(sections))))
      expect(leftOut).toEqual(new Map());
  });
});
