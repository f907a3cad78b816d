import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { appProtocol } from '../../src/projections/endpoints/app-protocol.ts';
import { endpointSlice, ingressClass } from '../fixtures/kube-objects.ts';
import { createIngressWorld } from '../unit/projections/ingress-world.ts';

const root = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/services.md'), 'utf8');

const examples = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) =>
  parseAllDocuments(text ?? '').map((document) => document.toJS() as KubeObject),
);

/** What the examples of the page come to, with an endpoint for each Service that selects some. */
function worldOf(objects: readonly KubeObject[]) {
  const selecting = objects.filter(
    ({ kind, spec }) =>
      kind === 'Service' && (spec as { readonly selector?: unknown }).selector !== undefined,
  );
  const slices = selecting.map(({ metadata: { name } }) =>
    endpointSlice({ service: name, ports: [{}, { name: 'http', port: 8080 }], endpoints: ['10.0.0.1'] }),
  );
  return createIngressWorld([ingressClass(), ...objects, ...slices]);
}

describe('docs/services.md', () => {
  it.each(examples.map((objects) => [objects[0]?.metadata.name ?? '', objects] as const))(
    'has an example that is served without a complaint: %s',
    (_name, objects) => {
      const world = worldOf(objects);
      expect(world.problemLines()).toEqual([]);
      expect(world.routeLines()).toHaveLength(1);
      const [key = ''] = world.backends.keys();
      expect(world.serverLines(key)).toHaveLength(1);
    },
  );

  it('has examples of what it says', () => {
    const world = worldOf(examples.flat());
    const backends = world.backends.keys().map((key) => world.backends.peek(key));
    expect(backends).toHaveLength(5);
    expect(backends.find((backend) => backend?.name.startsWith('shop_greeter'))).toMatchObject({
      protocol: 'h2',
    });
    expect(backends.find((backend) => backend?.name.startsWith('shop_payments'))).toMatchObject({
      external: { name: 'payments.example.net' },
      tls: { verify: 'none' },
    });
    const shapes = world.profiles.keys().map((key) => world.profiles.peek(key)?.shape);
    expect(shapes).toEqual(expect.arrayContaining([{ affinity: 'client-address' }, { external: true }]));
  });

  it('lists the protocols that are known', () => {
    const lines = page.split('\n');
    const start = lines.findIndex((line) => line.startsWith('| `appProtocol`'));
    const rows = lines.slice(start + 2, lines.indexOf('', start));
    const named = rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    );
    expect(named).toHaveLength(6);
    for (const name of named) expect(appProtocol(name), name).toBeDefined();
  });

  it('lists the settings of resolvers with their defaults', () => {
    const library = parse(readFileSync(path.join(root, 'charts/haptic/libraries/ingress.yaml'), 'utf8')) as {
      readonly templatingSettings: {
        readonly extraContext: { readonly resolvers: Readonly<Record<string, unknown>> };
      };
    };
    for (const [key, value] of Object.entries(library.templatingSettings.extraContext.resolvers)) {
      const shown = Array.isArray(value) ? 'none' : `\`${String(value)}\``;
      expect(page).toMatch(new RegExp(`\\| \`resolvers\\.${key}\` +\\| ${shown} +\\|`));
    }
  });
});
