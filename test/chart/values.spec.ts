import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { valueRows } from '../../scripts/reference/values-table.ts';
import { customResources } from '../../src/api/crd/custom-resources.ts';
import { isRecord } from '../../src/lib/is-record.ts';
import { describeChart } from '../fixtures/chart/describe-chart.ts';
import { at, listAt } from '../fixtures/chart/pods-of.ts';
import { chartDir, refusalOf, renderChart } from '../fixtures/chart/render-chart.ts';

const read = (name: string): unknown => parse(readFileSync(path.join(chartDir, name), 'utf8'));

describeChart('values that cannot work', () => {
  it.each([3, 4] as const)(
    'are refused by Helm %i with a sentence that says what to change',
    async (helm) => {
      expect(await refusalOf({ values: { haproxy: { ports: { stats: 5555 } } }, helm })).toContain(
        'haproxy.ports.stats and haproxy.ports.agent are both 5555: on a HAProxy pod there is one of each, change one of them',
      );
      expect(await refusalOf({ values: { haproxy: { replicas: 3 } }, helm })).toContain(
        "additional properties 'replicas' not allowed",
      );
    },
  );
});

describeChart('values that can', () => {
  it.each<[string, object]>([
    [
      'ports of nodes with one pod less meanwhile',
      {
        haproxy: {
          hostPorts: { enabled: true },
          updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
        },
      },
    ],
    [
      'labels that pods have been given',
      {
        haproxy: { podLabels: { app: 'x' } },
        controller: { config: { podSelector: { matchLabels: { app: 'x' } } } },
      },
    ],
    ['no HAProxy at all', { haproxy: { enabled: false } }],
    ['no limit of memory', { haproxy: { resources: { limits: null } } }],
    ['one pod of each', { replicaCount: 1, haproxy: { replicaCount: 1 } }],
  ])('%s', async (_name, values) => {
    expect((await renderChart({ values })).length).toBeGreaterThan(20);
  });
});

describe('Chart.yaml', () => {
  const chart = read('Chart.yaml');
  const annotation = (name: string) =>
    parse(String(at(chart, 'annotations')?.[`artifacthub.io/${name}`])) as unknown;

  it('is of the version of the program', () => {
    const { version } = JSON.parse(readFileSync(path.join(chartDir, '../../package.json'), 'utf8')) as {
      version: string;
    };
    expect(chart).toMatchObject({
      appVersion: version,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
    });
    expect(annotation('images')).toEqual([
      { name: 'haptic', image: `${String(at(read('values.yaml'), 'image')?.['repository'])}:${version}` },
    ]);
  });

  it('names every CRD that is there', () => {
    const named = listAt({ crds: annotation('crds') }, 'crds').map(({ kind, name }) => ({ kind, name }));
    expect(named).toEqual(
      customResources.map(({ kind, plural }) => ({ kind, name: `${plural}.haproxy-haptic.org` })),
    );
  });
});

describe('values.yaml and values.schema.json', () => {
  const schema = read('values.schema.json');
  const described = valueRows().map(({ key }) => key);

  it('describe the same values', () => {
    const inSchema = schemaKeys(schema, schema);
    expect(
      described.filter((key) => !inSchema.some((other) => isWithin(key, other) || isWithin(other, key))),
    ).toEqual([]);
    const open = ['global', 'enabled', 'tags', 'controller.templateLibraries'];
    expect(
      inSchema.filter((key) => !open.includes(key) && !described.some((other) => isWithin(key, other))),
    ).toEqual([]);
  });

  it('take every field of a configuration’s spec, and no other', () => {
    const config = customResources.find(({ kind }) => kind === 'HAProxyTemplateConfig');
    const inConfig = schemaKeys(schema, schema)
      .filter((key) => key.startsWith('controller.config.'))
      .map((key) => key.replace('controller.config.', ''));
    expect(inConfig.sort()).toEqual(Object.keys(config?.spec.properties ?? {}).sort());
  });

  it('name every library that is there', () => {
    const files = readdirSync(path.join(chartDir, 'libraries')).flatMap(
      (name) => /^(.*)\.yaml$/.exec(name)?.slice(1) ?? [],
    );
    expect(
      described
        .flatMap((key) => /^controller\.templateLibraries\.([\w-]+)\.enabled$/.exec(key)?.slice(1) ?? [])
        .sort(),
    ).toEqual(files.sort());
    expect(valueRows().find(({ key }) => key === 'controller.libraryOrder')?.value).toEqual(
      expect.arrayContaining(files),
    );
  });
});

function isWithin(key: string, outer: string): boolean {
  return key === outer || key.startsWith(`${outer}.`);
}

/** Paths of what the schema names: of an object that may have any keys, its own. */
function schemaKeys(root: unknown, node: unknown, before = ''): readonly string[] {
  const resolved = resolve(root, node);
  const properties = isRecord(resolved) ? resolved['properties'] : undefined;
  if (!isRecord(properties)) return [before];
  return Object.entries(properties).flatMap(([key, below]) =>
    schemaKeys(root, below, before === '' ? key : `${before}.${key}`),
  );
}

function resolve(root: unknown, node: unknown): unknown {
  const reference = isRecord(node) ? node['$ref'] : undefined;
  if (typeof reference !== 'string') return node;
  let found = root;
  for (const name of reference.slice(2).split('/')) found = isRecord(found) ? found[name] : undefined;
  return found;
}
