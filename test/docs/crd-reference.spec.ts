import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedFiles } from '../../scripts/generated-files.ts';
import { apiGroup } from '../../src/api/api-group.ts';
import { customResources } from '../../src/api/crd/custom-resources.ts';
import { createGraph } from '../../src/collections/create-graph.ts';
import { resolveFiles } from '../../src/config/resolve-files.ts';
import { createRenderer } from '../../src/render/create-renderer.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { bundleFile } from '../fixtures/ingress-renderer.ts';

const root = path.join(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/crd-reference.md'), 'utf8');
const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text);

describe('what is generated', () => {
  it.each(generatedFiles.map(({ path: name, content }) => [name, content] as const))(
    '%s is as ./dev generate would write it',
    async (name, content) => {
      expect(readFileSync(path.join(root, name), 'utf8')).toBe(await content());
    },
  );
});

describe('docs/crd-reference.md', () => {
  it('has every kind, and every field of it once', () => {
    for (const { kind } of customResources) expect(page).toContain(`\n## ${kind}\n`);
    const sections = page.split(/^## /m).slice(2);
    expect(sections).toHaveLength(customResources.length);
    for (const section of sections) {
      const fields = [...section.matchAll(/^\| `(\S+)` \|/gm)].map(([, field]) => field);
      expect(fields.length).toBeGreaterThan(10);
      expect(new Set(fields).size).toBe(fields.length);
    }
  });

  it('names the controller as the objects that are served do', () => {
    expect(page).toContain(`\`${apiGroup.controllerName}\``);
  });

  it.each([
    [0, { shop: {}, web: {} }, ['shop.example.com', 'web.example.com'], []],
    [1, {}, ['set-header x-trace', 'string welcome'], ['string hello']],
  ])('has an example %i that renders as it says', (index, ingresses, there, absent) => {
    const resolved = resolveFiles({ values: [{ name: 'example.yaml', text: examples[index] ?? '' }] });
    if (!resolved.ok) throw new Error(JSON.stringify(resolved.errors));
    const graph = createGraph();
    const store = graph.source<KubeObject>('ingresses');
    const renderer = createRenderer({
      graph,
      config: resolved.config,
      resources: { ingresses: store },
      collections: {},
      constants: {},
    });
    for (const name of Object.keys(ingresses))
      store.set(`web/${name}`, { kind: 'Ingress', metadata: { name, namespace: 'web' } });
    graph.advance();
    const text = bundleFile(renderer.bundle(), 'haproxy.cfg');
    for (const part of there) expect(text).toContain(part);
    for (const part of absent) expect(text).not.toContain(part);
  });
});
