import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { policyIndex } from '../../../../src/projections/policies/policy-index.ts';
import { readPolicy } from '../../../../src/projections/policies/read-policy.ts';
import { collectFaults } from '../collect-faults.ts';
import { ingressClass } from '../../../fixtures/kube-objects.ts';
import { createIngressWorld } from '../ingress-world.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Blocks of the page that are indented, as objects. */
function examples(page: string): KubeObject[] {
  const blocks = page.match(/(?:^ {4}.*\n|^\n(?= {4}(?!apiVersion:)))+/gm) ?? [];
  return blocks.filter((block) => block.includes('apiVersion:')).map((block) => parse(block) as KubeObject);
}

describe('docs/policies.md', () => {
  it('has examples that are heard, without a complaint', () => {
    const objects = examples(read('docs/policies.md'));
    expect(objects.map(({ kind }) => kind)).toEqual(['Ingress', 'Service']);
    const world = createIngressWorld([ingressClass(), ...objects]);
    expect(world.problemLines()).toEqual([]);
    const [name = ''] = world.profiles.keys();
    expect(world.profiles.peek(name)?.shape).toEqual({ timeouts: true, timeoutServer: '30s', cors: true });
    expect(world.policies.peek('shop_shop')).toMatchObject({
      corsAllowOrigin: ['https://app.example.com'],
    });
  });
});

describe.each(readdirSync(path.join(root, 'docs')).filter((name) => /^policies-.*\.md$/.test(name)))(
  'docs/%s',
  (name) => {
    const objects = examples(read(`docs/${name}`)).filter(
      ({ kind }) => kind === 'Ingress' || kind === 'Service',
    );

    it('has examples', () => {
      expect(objects.length).toBeGreaterThan(0);
    });

    it.each(objects.map((object, i) => [`${i + 1}, ${object.kind}`, object] as const))(
      'has an example %s in which every annotation is heard',
      (_title, object) => {
        const { faults, report } = collectFaults();
        const scopes =
          object.kind === 'Service' ? (['backend'] as const) : (['route', 'backend', 'host'] as const);
        expect(readPolicy(object, { scopes, snippets: true }, report)).toMatchObject({ closed: false });
        expect(faults).toEqual([]);
      },
    );
  },
);

describe('docs/annotations.md', () => {
  it('lists every reason, and none that is not reported', () => {
    const page = read('docs/annotations.md');
    const folder = 'src/projections/policies';
    const said = readdirSync(path.join(root, folder))
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => [...read(`${folder}/${name}`).matchAll(/reason: '([A-Z]\w+)'|, '([A-Z]\w+)'\)/g)])
      .map(([, written, given]) => written ?? given);
    const listed = [...page.matchAll(/^\| `([A-Z][A-Za-z]+)` \|/gm)].map(([, reason]) => reason);
    expect(listed).toEqual([...new Set(said)].sort());
  });

  it('lists every annotation', () => {
    const listed = [...read('docs/annotations.md').matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, key]) => key);
    expect(listed).toEqual(policyIndex.rows.map(({ field }) => field.key));
  });
});
