import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load-config.ts';
import { valuesOf } from '../../src/lib/ordered-map.ts';
import { ownershipAnnotation, ownManifest } from '../../src/kube/own-object.ts';
import { buildWorld } from '../../src/world/build-world.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/own-resources.md'), 'utf8');
const blocksOf = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp('```' + language + '\\n([\\s\\S]*?)```', 'g'))].map(([, text = '']) => text);

describe('docs/own-resources.md', () => {
  it('has a template that makes the object that it shows', () => {
    const [templates = ''] = blocksOf('yaml');
    const text = `${templates}\nhaproxyConfig: {template: x}\nwatchedResources: {widgets: {apiVersion: example.com/v1, resources: widgets}}\n`;
    const world = buildWorld({ config: loadConfig([{ name: 'page', text }]), constants: {} });
    world.stores.get('widgets')?.set('web/gadget', {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'gadget', namespace: 'web' },
      spec: { color: 'red', token: 'first' },
    });
    world.graph.advance();
    const { resources, problems } = world.renderer.bundle();
    expect(problems).toStrictEqual([]);
    const [declared] = [...valuesOf(resources!)];
    const manifest = ownManifest(declared!, declared!.reference, { namespace: 'haptic', name: 'main' });
    expect(manifest.createOnly).toStrictEqual([['data', 'token']]);
    const [shown = ''] = blocksOf('object');
    expect(manifest.whole).toMatchObject(parse(shown) as object);
    expect(manifest.kept).not.toHaveProperty('data.token');
  });

  it('names the annotation of a part as it is read', () => {
    const [, part = ''] = blocksOf('yaml');
    const { metadata } = parse(part) as {
      readonly metadata: { readonly annotations: Record<string, string> };
    };
    expect(metadata.annotations).toStrictEqual({ [ownershipAnnotation]: 'partial' });
  });
});
