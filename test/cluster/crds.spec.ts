import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiGroup } from '../../src/api/api-group.ts';
import { customResources } from '../../src/api/crd/custom-resources.ts';
import type { StructuralSchema } from '../../src/api/structural-schema.ts';
import { configErrorText } from '../../src/config/config-error.ts';
import { resolveConfig } from '../../src/config/resolve-config.ts';
import { isRecord } from '../../src/lib/is-record.ts';
import { badSpecs, goodSpecs, type LibrarySpec } from '../fixtures/config-specs.ts';
import { createNamespace, describeOnCluster } from '../fixtures/control-plane.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { installCrds } from '../fixtures/install-crds.ts';
import type { Kubectl } from '../fixtures/kubectl.ts';

const { apiVersion } = apiGroup;

describeOnCluster('the CRDs on an API server', (cluster) => {
  let kubectl: Kubectl;
  let namespace: string;
  beforeAll(async () => {
    kubectl = await cluster.kubectl();
    await installCrds(kubectl);
    namespace = await createNamespace(kubectl);
    // Discovery follows Established within moments.
    await eventually('the kinds are served', async () => {
      const { code } = await kubectl.run(['get', 'htplcfg', '-n', namespace]);
      return code === 0 ? true : undefined;
    });
  });
  afterAll(async () => {
    await kubectl.run(['delete', 'namespace', namespace, '--wait=false']);
    await kubectl.close();
  });

  const object = (kind: string, name: string, spec: unknown) =>
    JSON.stringify({ apiVersion, kind, metadata: { name, namespace }, spec });
  const config = (name: string, spec: unknown) => object('HAProxyTemplateConfig', name, spec);
  const json = async (
    args: readonly string[],
    stdin?: string,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const content: unknown = JSON.parse(await kubectl.ok([...args, '-o', 'json'], stdin));
    if (!isRecord(content)) throw new Error('kubectl printed no object');
    return content;
  };
  /** What the API server would store. */
  const stored = async (text: string): Promise<unknown> =>
    (await json(['create', '--dry-run=server', '--validate=strict', '-f', '-'], text))['spec'];

  it('are structural and served, and installing them again changes nothing', async () => {
    const generations = () =>
      kubectl.ok([
        'get',
        'crd',
        ...customResources.map(({ plural }) => `${plural}.${apiGroup.group}`),
        '-o',
        'jsonpath={range .items[*]}{.metadata.name} {.metadata.generation} {.status.conditions[*].type}{"\\n"}{end}',
      ]);
    const before = await generations();
    expect(before).not.toContain('NonStructuralSchema');
    expect(before.trim().split('\n')).toHaveLength(customResources.length);
    await installCrds(kubectl);
    expect(await generations()).toBe(before);
  });

  describe('kubectl', () => {
    it('explains every field', async () => {
      const openApi: unknown = JSON.parse(
        await kubectl.ok(['get', '--raw', `/openapi/v3/apis/${apiVersion}`]),
      );
      const components = isRecord(openApi) ? openApi['components'] : undefined;
      const schemas = isRecord(components) ? components['schemas'] : undefined;
      expect(isRecord(schemas)).toBe(true);
      for (const { kind } of customResources) {
        const found = Object.entries(isRecord(schemas) ? schemas : {}).find(([name]) =>
          name.endsWith(`.${kind}`),
        );
        expect(found, kind).toBeDefined();
        const { properties = {} } = found?.[1] as StructuralSchema;
        expect(undescribed('spec', properties['spec']!), kind).toStrictEqual([]);
        expect(undescribed('status', properties['status']!), kind).toStrictEqual([]);
      }
    });

    it.each([
      [
        'htplcfg.spec.watchedResources.indexBy',
        /JSONPaths of the keys by which templates look objects up.*Default:/s,
      ],
      ['haptpl.spec.controller.leaderElection.leaseDuration', /leaseDuration <string>.*Default: 15s/s],
      ['htplcfg.spec.dataplane.sslCertsDir', /Default:\s+\/etc\/haproxy\/ssl/],
      ['htpllib.spec', /revision\s+<string> -required-/],
      ['hpcfg.status.deployedToPods.mode', /ENUM:.*file_only/s],
      ['hpmap.spec', /mapName/],
      ['hpgf.spec', /fileName/],
      ['hpcl.spec', /listName/],
    ])('explains %s', async (field, expected) => {
      expect(await kubectl.ok(['explain', field])).toMatch(expected);
    });

    it('prints the columns of each kind', async () => {
      const columns = async (name: string, ...more: string[]) =>
        (await kubectl.ok(['get', name, '-n', namespace, ...more])).split('\n')[0]?.trim().split(/ {2,}/);
      const checksum = `sha256:${'0'.repeat(64)}`;
      const common = { path: '/etc/haproxy/x', checksum };
      await kubectl.ok(
        ['apply', '--server-side', '-f', '-'],
        config('columns', { haproxyConfig: { template: 'x' } }),
      );
      for (const [kind, spec] of Object.entries({
        HAProxyTemplateLibrary: { revision: '1' },
        HAProxyCfg: { ...common, content: 'x' },
        HAProxyMapFile: { ...common, mapName: 'm', entries: 'a b' },
        HAProxyGeneralFile: { ...common, fileName: 'f', content: 'x' },
        HAProxyCRTListFile: { ...common, listName: 'l', entries: 'a' },
      }))
        await kubectl.ok(['apply', '--server-side', '-f', '-'], object(kind, 'columns', spec));
      expect(await columns('htplcfg')).toStrictEqual(['NAME', 'STATUS', 'AGE']);
      expect(await columns('htplcfg', '-o', 'wide')).toStrictEqual([
        'NAME',
        'STATUS',
        'REASON',
        'MESSAGE',
        'AGE',
      ]);
      expect(await columns('htpllib')).toStrictEqual(['NAME', 'REVISION', 'AGE']);
      expect(await columns('hpcfg')).toStrictEqual(['NAME', 'CHECKSUM', 'SIZE', 'AGE']);
      expect(await columns('hpmap')).toStrictEqual(['NAME', 'MAP NAME', 'PATH', 'AGE']);
      expect(await columns('hpgf')).toStrictEqual(['NAME', 'FILE NAME', 'PATH', 'AGE']);
      expect(await columns('hpcl')).toStrictEqual(['NAME', 'LIST NAME', 'PATH', 'AGE']);
      expect(await kubectl.ok(['get', 'haptic', '-n', namespace, '-o', 'name'])).toContain('haproxycfg');
    });

    it('applies the examples of the reference', async () => {
      const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/crd-reference.md'), 'utf8');
      const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text);
      expect(examples).toHaveLength(2);
      for (const example of examples)
        await kubectl.ok(
          ['apply', '--server-side', '--validate=strict', '-n', namespace, '-f', '-'],
          example,
        );
    });
  });

  describe('a configuration', () => {
    it.each(goodSpecs)(
      'with $what means the same with the defaults of the API server',
      async ({ spec, libraries = [] }) => {
        const meaning = (own: unknown, below: readonly LibrarySpec[]) => {
          const resolved = resolveConfig({ name: 'x', spec: own, libraries: below });
          return resolved.ok ? resolved.config : resolved.errors.map(configErrorText);
        };
        const storedLibraries = await Promise.all(
          libraries.map(async (library) => ({
            ...library,
            spec: (await stored(
              object('HAProxyTemplateLibrary', library.name, { revision: library.revision, ...library.spec }),
            )) as LibrarySpec['spec'],
          })),
        );
        const defaulted = await stored(config('x', spec));
        expect(defaulted).toMatchObject({
          dataplane: { sslCertsDir: expect.stringMatching(/^\//) as string },
        });
        expect(meaning(defaulted, storedLibraries)).toStrictEqual(meaning(spec, libraries));
      },
    );

    it.each(badSpecs)(
      'with $what is refused by the API server, too',
      async ({ spec, field, message, apiMessage }) => {
        const { code, stderr } = await kubectl.run(
          ['create', '--dry-run=server', '--validate=strict', '-f', '-'],
          config('x', spec),
        );
        expect(code).not.toBe(0);
        expect(stderr).toMatch(apiMessage ?? message);
        // A rule over the whole, and a list of named items, are blamed one level up.
        const blamed = field
          .replace(/\[1\]\.name$/, '')
          .replace(/\.resources$/, '')
          .replace(/(?<=^watchedResources)\.w$/, '');
        expect(
          stderr.replaceAll(/\[(\w+)\](?=\.|:)/g, '.$1').replaceAll(/\.(\d+)(?=\.|:)/g, '[$1]'),
        ).toContain(`spec.${blamed}`);
      },
    );

    it('needs neither a selector of pods nor a Secret, which HAPTIC demanded', async () => {
      const spec = await stored(config('x', { haproxyConfig: { template: 'x' } }));
      expect(spec).toMatchObject({
        podSelector: { matchLabels: { 'app.kubernetes.io/component': 'haproxy' } },
        dataplane: { port: 5555, configFile: '/etc/haproxy/haproxy.cfg' },
        controller: { leaderElection: { enabled: true, leaseDuration: '15s' } },
        httpContent: { maxBytes: 10_485_760 },
      });
      expect(spec).not.toHaveProperty('credentialsSecretRef');
    });

    it('gets no default where a library may have a say', async () => {
      const spec = await stored(
        config('x', {
          libraryRefs: [{ name: 'a', revision: '1' }],
          watchedResources: { w: { labelSelector: 'a=b' } },
        }),
      );
      expect(spec).toMatchObject({ watchedResources: { w: { labelSelector: 'a=b' } } });
      expect((spec as { watchedResources: { w: object } }).watchedResources.w).toStrictEqual({
        labelSelector: 'a=b',
      });
      expect(spec).not.toHaveProperty('maps');
      expect(spec).not.toHaveProperty('watchedResourcesIgnoreFields');
    });

    it('may be a megabyte, and no more than the API takes', async () => {
      const big = (snippets: number) =>
        config('big', {
          haproxyConfig: { template: 'x' },
          templateSnippets: Object.fromEntries(
            Array.from({ length: snippets }, (_, i) => [`s-${i}`, { template: 'x'.repeat(10_000) }]),
          ),
        });
      await kubectl.ok(['apply', '--server-side', '-f', '-'], big(100));
      const { spec } = await json(['get', 'htplcfg', 'big', '-n', namespace]);
      expect(resolveConfig({ name: 'big', spec, libraries: [] }).ok).toBe(true);
      const { code, stderr } = await kubectl.run(['apply', '--server-side', '-f', '-'], big(400));
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/too large|limit is|more than/i);
      expect((await json(['get', 'htplcfg', 'big', '-n', namespace]))['spec']).toStrictEqual(spec);
    });
  });

  describe('server-side apply', () => {
    const apply = (manager: string, text: string) =>
      kubectl.run(['apply', '--server-side', `--field-manager=${manager}`, '-f', '-'], text);
    const snippets = (entries: Readonly<Record<string, string>>) => ({
      haproxyConfig: { template: 'x' },
      templateSnippets: Object.fromEntries(
        Object.entries(entries).map(([name, template]) => [name, { template }]),
      ),
    });

    it('lets managers share a configuration, each with its own snippets', async () => {
      expect((await apply('one', config('shared', snippets({ a: '1' })))).code).toBe(0);
      expect(
        (await apply('two', config('shared', { templateSnippets: { b: { template: '2' } } }))).code,
      ).toBe(0);
      expect((await json(['get', 'htplcfg', 'shared', '-n', namespace]))['spec']).toMatchObject({
        templateSnippets: { a: { template: '1' }, b: { template: '2' } },
      });
      const conflict = await apply('two', config('shared', snippets({ a: '3', b: '2' })));
      expect(conflict.code).not.toBe(0);
      expect(conflict.stderr).toMatch(/conflict.*"one".*\.spec\.templateSnippets\.a\.template/s);
      expect((await apply('one', config('shared', snippets({})))).code).toBe(0);
      const { spec } = await json(['get', 'htplcfg', 'shared', '-n', namespace]);
      expect((spec as { templateSnippets: object }).templateSnippets).toStrictEqual({ b: { template: '2' } });
    });

    it('merges references by name and keeps their order', async () => {
      const refs = (...names: string[]) => ({ libraryRefs: names.map((name) => ({ name, revision: '1' })) });
      expect((await apply('one', config('refs', refs('base', 'ingress')))).code).toBe(0);
      expect((await apply('two', config('refs', refs('extra')))).code).toBe(0);
      const { spec } = await json(['get', 'htplcfg', 'refs', '-n', namespace]);
      const names = (spec as { libraryRefs: { name: string }[] }).libraryRefs.map(({ name }) => name);
      expect(names).toStrictEqual(['base', 'ingress', 'extra']);
      const twice = await apply('one', config('refs', refs('base', 'base')));
      expect(twice.code).not.toBe(0);
      expect(twice.stderr).toMatch(/duplicate/i);
    });
  });

  describe('the status', () => {
    const condition = {
      type: 'Validated',
      status: 'True',
      reason: 'ValidationSucceeded',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration: 1,
    };
    const write = (status: object) =>
      kubectl.run(
        ['apply', '--server-side', '--subresource=status', '--field-manager=haptic-status', '-f', '-'],
        JSON.stringify({
          apiVersion,
          kind: 'HAProxyTemplateConfig',
          metadata: { name: 'status', namespace },
          status,
        }),
      );

    it('is written apart: it changes no generation, and a spec write changes no status', async () => {
      await kubectl.ok(
        ['apply', '--server-side', '-f', '-'],
        config('status', { haproxyConfig: { template: 'x' } }),
      );
      expect(
        await write({ observedGeneration: 1, validationStatus: 'Valid', conditions: [condition] }),
      ).toMatchObject({ code: 0 });
      const read = await json(['get', 'htplcfg', 'status', '-n', namespace]);
      expect(read).toMatchObject({
        metadata: { generation: 1 },
        status: { validationStatus: 'Valid', observedGeneration: 1, conditions: [condition] },
      });
      await kubectl.ok(
        ['apply', '--server-side', '-f', '-'],
        config('status', { haproxyConfig: { template: 'y' } }),
      );
      expect(await json(['get', 'htplcfg', 'status', '-n', namespace])).toMatchObject({
        metadata: { generation: 2 },
        status: { observedGeneration: 1, conditions: [condition] },
      });
      expect(await kubectl.ok(['get', 'htplcfg', 'status', '-n', namespace, '-o', 'wide'])).toMatch(
        /Valid +ValidationSucceeded/,
      );
    });

    it.each([
      [
        'an unknown verdict',
        { validationStatus: 'Perhaps' },
        /supported values: "Valid", "Invalid", "Unknown"/,
      ],
      [
        'a condition without a reason',
        { conditions: [{ ...condition, reason: '' }] },
        /conditions\[0\]\.reason/,
      ],
      ['a condition twice', { conditions: [condition, condition] }, /duplicate/i],
    ])('refuses %s', async (_what, status, expected) => {
      const { code, stderr } = await write(status);
      expect(code).not.toBe(0);
      expect(stderr).toMatch(expected);
    });
  });

  it('demands a revision of a library, and lets it have no more than libraries have', async () => {
    const create = (spec: object) =>
      kubectl.run(
        ['create', '--dry-run=server', '--validate=strict', '-f', '-'],
        object('HAProxyTemplateLibrary', 'x', spec),
      );
    expect((await create({ templateSnippets: {} })).stderr).toMatch(/spec\.revision: Required value/);
    expect((await create({ revision: '1', dataplane: { port: 1 } })).stderr).toMatch(
      /unknown field "spec\.dataplane"/,
    );
    expect((await create({ revision: '1', watchedResources: { w: { cacheSize: 3 } } })).code).toBe(0);
  });

  it('refuse what is no checksum in what is published', async () => {
    const { stderr } = await kubectl.run(
      ['create', '--dry-run=server', '-f', '-'],
      object('HAProxyCfg', 'x', { path: '/a', content: 'x', checksum: 'md5:1' }),
    );
    expect(stderr).toMatch(/spec\.checksum.*should match/);
  });
});

/** Paths of fields without a description. */
function undescribed(at: string, schema: StructuralSchema): readonly string[] {
  const { properties = {}, additionalProperties, items } = schema;
  return [
    ...(schema.description === undefined ? [at] : []),
    ...Object.entries(properties).flatMap(([name, property]) => undescribed(`${at}.${name}`, property)),
    // Of the entries of maps and lists of texts there is nothing more to say.
    ...[additionalProperties, items].flatMap((inner) =>
      inner?.properties === undefined
        ? []
        : undescribed(`${at}.*`, { description: '', ...inner }).filter((field) => field !== `${at}.*`),
    ),
  ];
}
