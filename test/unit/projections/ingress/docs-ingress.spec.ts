import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { sandboxConfig } from '../../../../src/sandbox/system-config.ts';
import { endpointSlice, service } from '../../../fixtures/kube-objects.ts';
import { createIngressWorld } from '../ingress-world.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const page = read('docs/ingress.md');

/** First cells of the rows of the table whose header begins so, without backticks. */
function column(header: string): string[] {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${header} `));
  const rows = lines.slice(start + 2, lines.indexOf('', start));
  return rows.map((row) => (row.split('|')[1] ?? '').trim().replaceAll('`', ''));
}

describe('docs/ingress.md', () => {
  it('has examples that are served without a complaint', () => {
    const objects = [...page.matchAll(/```yaml\n(.*?)```/gs)].flatMap(([, text]) =>
      parseAllDocuments(text ?? '').map((document) => document.toJS() as KubeObject),
    );
    expect(objects).toHaveLength(3);
    const world = createIngressWorld([
      ...objects,
      service({ name: 'shop' }),
      endpointSlice({ service: 'shop', endpoints: ['10.0.0.1'] }),
    ]);
    expect(world.problemLines()).toEqual([]);
    expect(world.routeLines()).toEqual([
      '* default  → shop_shop_80',
      'shop.example.com prefix  → shop_shop_80',
    ]);
    expect(world.serverLines('shop_shop_80')).toHaveLength(1);
  });

  it('lists every reason, and none that is not reported', () => {
    const files = readdirSync(path.join(root, 'src/projections'), { recursive: true, encoding: 'utf8' });
    const reasons = files
      // Those of certificates are in docs/tls.md, those of annotations in docs/annotations.md.
      .filter((file) => file.endsWith('.ts') && !/(^tls\/|^policies\/|-tls\.ts$)/.test(file))
      .flatMap((file) => [...read(`src/projections/${file}`).matchAll(/'([A-Z][a-z]+(?:[A-Z][a-z]+)+)'/g)])
      .map((match) => match[1] ?? '')
      .filter(
        (name) => !['ImplementationSpecific', 'IngressClass', 'EndpointSlice', 'ExternalName'].includes(name),
      );
    expect(column('reason')).toEqual([...new Set(reasons)].sort());
  });

  it('lists every extension point of the libraries', () => {
    const libraries = sandboxConfig.libraries
      .map((name) => read(`charts/haptic/libraries/${name}.yaml`))
      .join('\n');
    const points = [...libraries.matchAll(/\{\{snippets "([a-z-]+-\*)"/g)].map((match) => match[1]);
    // These are in docs/tls.md.
    const others = points.filter((point) => point !== 'frontend-https-*' && point !== 'ssl-connections-*');
    expect(column('point').sort()).toEqual([...new Set(others)].sort());
  });

  it('lists every setting of the base library', () => {
    const base = parse(read('charts/haptic/libraries/base.yaml')) as {
      templatingSettings: { extraContext: Record<string, unknown> };
    };
    const { timeouts, ...settings } = base.templatingSettings.extraContext;
    const listed = column('key');
    expect(listed.filter((key) => !key.startsWith('timeouts'))).toEqual(Object.keys(settings));
    const named = listed.filter((key) => key.startsWith('timeouts')).join(', ');
    for (const name of Object.keys(timeouts as object)) expect(named).toContain(`.${name}`);
  });
});
