import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { applyCrdsCommand } from '../../../src/cli/apply-crds-command.ts';
import { configViewCommand } from '../../../src/cli/config-view-command.ts';
import { renderedContent } from '../../../src/cli/rendered-content.ts';
import type { ApiServer } from '../../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../../src/sandbox/api/create-api-server.ts';
import { callOf } from './values-of.ts';

let folder: string;
let api: ApiServer;
let kubeconfig: string;
const put = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'haptic-config-'));
  api = await createApiServer({ port: 0 });
  kubeconfig = put('kubeconfig', api.kubeconfig());
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

const applyCrds = (...argv: string[]) => callOf(applyCrdsCommand, ['--kubeconfig', kubeconfig, ...argv]);
const view = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  callOf(configViewCommand, ['--kubeconfig', kubeconfig, ...argv], { env });

const kinds = ['cfgs', 'crtlistfiles', 'generalfiles', 'mapfiles', 'templateconfigs', 'templatelibraries'];

describe('haptic apply-crds', () => {
  it('says what it would do, and does nothing', async () => {
    const { code, out, err } = await applyCrds('--dry-run');
    expect([code, err]).toStrictEqual([0, '']);
    expect(out).toBe(kinds.map((kind) => `haproxy${kind}.haproxy-haptic.org created (dry run)\n`).join(''));
    const none = await lastValueFrom(api.client.list('apiextensions.k8s.io/v1/customresourcedefinitions'));
    expect(none).toHaveLength(0);
  });

  it('creates what is missing and waits until it is served', async () => {
    const { code, out } = await applyCrds('-o', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toStrictEqual(
      kinds.map((kind) => ({ name: `haproxy${kind}.haproxy-haptic.org`, outcome: 'created' })),
    );
    expect((await view(['rendered', '--namespace', 'default'])).err).toContain(
      'there is no HAProxyCfg in default',
    );
  });

  it('leaves alone what is as it should be', async () => {
    expect((await applyCrds()).out).toMatch(/^(\S+ unchanged\n){6}$/);
    expect((await applyCrds('--dry-run')).out).toMatch(/^(\S+ unchanged \(dry run\)\n){6}$/);
  });

  it('prints them without a cluster', async () => {
    const { code, out } = await applyCrds('--print', '--kubeconfig', '/nowhere');
    expect(code).toBe(0);
    const documents = parseAllDocuments(out).map((document) => document.toJS() as { kind: string });
    expect(documents.map(({ kind }) => kind)).toStrictEqual(Array(6).fill('CustomResourceDefinition'));
  });

  it('fails with the words of the API', async () => {
    const { code, out, err } = await applyCrds('--kubeconfig', '/nowhere');
    expect([code, out]).toStrictEqual([1, '']);
    expect(err).toContain('/nowhere');
    expect((await applyCrds('--timeout', 'soon')).err).toContain('--timeout: "soon" is not a duration');
  });
});

describe('haptic config view', () => {
  const objects = [
    {
      apiVersion: 'haproxy-haptic.org/v1alpha1',
      kind: 'HAProxyTemplateLibrary',
      metadata: { name: 'own', namespace: 'default' },
      spec: {
        revision: 'r1',
        templateSnippets: { x: { template: 'from the library' }, y: { template: 'y' } },
      },
    },
    {
      apiVersion: 'haproxy-haptic.org/v1alpha1',
      kind: 'HAProxyTemplateConfig',
      metadata: { name: 'main', namespace: 'default' },
      spec: {
        podSelector: { matchLabels: { app: 'h' } },
        libraryRefs: [{ name: 'own', revision: 'r1' }],
        haproxyConfig: { template: 'global\n' },
        watchedResources: {
          services: { apiVersion: 'v1', resources: 'services', indexBy: ['metadata.name'] },
        },
        templateSnippets: { x: { template: 'own' } },
        templatingSettings: { extraContext: { apiToken: 'planted', color: 'red' } },
      },
    },
  ] as unknown as readonly KubeObject[];
  const cluster = ['--crd-name', 'main', '--namespace', 'default'];

  it('shows a configuration of the cluster with libraries merged, defaults applied and secrets hidden', async () => {
    await lastValueFrom(api.client.createMany(objects));
    const { code, out, err } = await view(cluster);
    expect([code, err]).toStrictEqual([0, '']);
    expect(parse(out)).toMatchObject({
      templateSnippets: { x: { template: 'own' }, y: { template: 'y' } },
      dataplane: { port: 5555 },
      templatingSettings: { extraContext: { apiToken: '[redacted]', color: 'red' } },
    });
    expect(out).not.toContain('planted');
    expect((await view([...cluster, '--show-secrets', '-o', 'json'])).out).toContain('"apiToken": "planted"');
  });

  it('takes the name of the configuration from the environment', async () => {
    expect((await view([], { CRD_NAME: 'main', POD_NAMESPACE: 'default' })).out).toContain('template: own');
  });

  it('tells who has the last word about each part', async () => {
    expect(parse((await view(['sources', ...cluster])).out)).toStrictEqual({
      haproxyConfig: 'spec.haproxyConfig',
      watchedResources: { services: 'spec.watchedResources.services' },
      templateSnippets: { x: 'spec.templateSnippets.x', y: 'library own/snippet y' },
    });
    // What is given as files is shown, whatever the environment says of a cluster.
    const values = put('values.yaml', 'maps: {mine.map: {template: "a b"}}\n');
    expect(
      parse((await view(['sources', '--values', values, '-o', 'json'], { CRD_NAME: 'main' })).out),
    ).toMatchObject({
      maps: { 'mine.map': `${values}/map mine.map` },
    });
  });

  it.each([
    [
      ['--crd-name', 'none', '--namespace', 'default'],
      1,
      'HAProxyTemplateConfig default/none cannot be read: 404',
    ],
    [['--input', 'x'], 2, '--input is for rendered'],
    [['everything'], 2, 'WHAT must be effective, sources or rendered'],
  ])('%j is refused', async (argv, code, message) => {
    const answer = await view(argv);
    expect([answer.code, answer.out]).toStrictEqual([code, '']);
    expect(answer.err).toContain(message);
  });

  it('prints what was rendered, of the cluster or of a file, compressed or not', async () => {
    const text = `global\n${'  # as it is\n'.repeat(50)}`;
    const cfg = (name: string, spec: object, labels = {}) =>
      ({
        apiVersion: 'haproxy-haptic.org/v1alpha1',
        kind: 'HAProxyCfg',
        metadata: { name, namespace: 'default', labels },
        spec: { path: '/etc/haproxy/haproxy.cfg', checksum: `sha256:${'0'.repeat(64)}`, ...spec },
      }) as unknown as KubeObject;
    const compressed = { content: zstdCompressSync(text).toString('base64'), compressed: true };
    await lastValueFrom(api.client.createMany([cfg('main', compressed)]));
    expect(await view(['rendered', '--namespace', 'default'])).toStrictEqual({ code: 0, out: text, err: '' });
    await lastValueFrom(api.client.createMany([cfg('other', { content: 'plain\n' })]));
    expect((await view(['rendered', '--namespace', 'default'])).err).toContain(
      'say with --crd-name which HAProxyCfg of default is meant: main, other',
    );
    expect((await view(['rendered', '--namespace', 'default', '--crd-name', 'other'])).out).toBe('plain\n');
    // As the controller publishes them: what is refused, and what is retained, is beside what runs, and a configuration has its own.
    for (const name of ['main', 'other'])
      await lastValueFrom(
        api.client.delete('haproxy-haptic.org/v1alpha1/haproxycfgs', { namespace: 'default', name }),
        { defaultValue: undefined },
      );
    const published = [
      cfg('web-haproxycfg', { content: 'runs\n' }),
      cfg('web-haproxycfg-invalid', { content: 'refused\n' }),
      cfg('web-retained-1', { content: 'ran\n' }, { 'haproxy-haptic.org/type': 'retained-config' }),
    ];
    await lastValueFrom(api.client.createMany(published));
    expect((await view(['rendered', '--namespace', 'default'])).out).toBe('runs\n');
    const named = (name: string) => view(['rendered', '--namespace', 'default', '--crd-name', name]);
    expect((await named('web')).out).toBe('runs\n');
    expect((await named('web-haproxycfg-invalid')).out).toBe('refused\n');
    expect((await named('none')).err).toContain('HAProxyCfg default/none: 404');
    const file = put('cfg.yaml', JSON.stringify(cfg('x', compressed)));
    expect((await view(['rendered', '--input', file])).out).toBe(text);
    expect((await view(['rendered', '--input', '/nowhere'])).err).toContain(
      '/nowhere: there is no such file or folder',
    );
  });
});

test.each([
  [undefined, 'what was read has no spec.content'],
  [{ kind: 'Pod', spec: {} }, 'Pod has no spec.content'],
  [{ kind: 'HAProxyCfg', spec: { content: 'eA==', compressed: true } }, 'cannot be decompressed'],
])('%j is nothing rendered', (object, message) => {
  expect(() => renderedContent(object)).toThrow(message);
});

test('a map is shown by its entries', () => {
  expect(renderedContent({ kind: 'HAProxyMapFile', spec: { entries: 'a b\n' } })).toBe('a b\n');
});
