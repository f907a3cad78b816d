import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { type EchoServer, startEcho } from '../fixtures/echo-server.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { endpointSlice, ingress, service } from '../fixtures/kube-objects.ts';
import { type SandboxTraffic, startSandboxTraffic } from '../fixtures/sandbox-traffic.ts';

const haproxy = newestHaproxyLine();

/** Text that means something to one of the languages it passes through. */
const hostileTexts = {
  'a double quote': 'a"b',
  'a single quote': "a'b",
  'a blank': 'a b',
  'a semicolon': 'a;b',
  'a comment sign': 'a#b',
  'a sample fetch': '%[src]',
  'a variable of the environment': '${HOME}',
  'a line feed and a directive': 'a\n  http-request deny',
  'a carriage return': 'a\rb',
  'a NUL': 'a\0b',
  'a backslash': 'a\\b',
  'a template': '{{fail "x"}}',
  'four kilobytes': 'x'.repeat(4096),
} as const;

interface BadCase {
  readonly what: string;
  readonly objects: (name: string) => readonly KubeObject[];
  /** Owner of the problem: kind and, if it is not the case's own name, the object's. */
  readonly kind: string;
  readonly field: string | RegExp;
  readonly namedAs?: (name: string) => string;
}

describe.skipIf(haproxy === undefined)('bad input', () => {
  let traffic: SandboxTraffic;
  let echo: EchoServer;
  let count = 0;

  const slice = (name: string) =>
    endpointSlice({
      service: name,
      ports: [{ port: echo.port }],
      endpoints: [{ address: echo.host, pod: 'good', ready: true }],
    });
  const route = (name: string, path: Record<string, unknown> = {}, host: unknown = `${name}.test`) =>
    ingress({ name, rules: [{ host, paths: [{ path: '/', service: name, ...path }] }] });
  const backing = (name: string) => [service({ name, selector: null }), slice(name)];
  const withField = (object: KubeObject, fields: Record<string, unknown>): KubeObject => ({
    ...object,
    ...fields,
  });
  const withMetadata = (object: KubeObject, fields: Record<string, unknown>): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, ...fields },
  });

  const textCases: readonly BadCase[] = Object.entries(hostileTexts).flatMap(([what, text]): BadCase[] => [
    {
      what: `${what} in a host`,
      objects: (name) => [...backing(name), route(name, {}, text)],
      kind: 'Ingress',
      field: 'spec.rules[0].host',
    },
    {
      what: `${what} in the name of a Service`,
      objects: (name) => [route(name, { service: text })],
      kind: 'Ingress',
      field: /^spec\.rules\[0\]\.http\.paths\[0\]\.backend/,
    },
    {
      what: `${what} in the name of a port`,
      objects: (name) => [...backing(name), route(name, { port: text })],
      kind: 'Ingress',
      field: /^spec\.rules\[0\]\.http\.paths\[0\]\.backend/,
    },
  ]);
  const pathCases: readonly BadCase[] = (
    ['a blank', 'a comment sign', 'a line feed and a directive', 'a NUL', 'four kilobytes'] as const
  ).map((what) => ({
    what: `${what} in a path`,
    objects: (name) => [...backing(name), route(name, { path: `/${hostileTexts[what]}` })],
    kind: 'Ingress',
    field: 'spec.rules[0].http.paths[0].path',
  }));
  const portCases: readonly BadCase[] = [0, 65536, -1, 1.5].map((port) => ({
    what: `port ${port}`,
    objects: (name) => [...backing(name), route(name, { port: { raw: { number: port } } })],
    kind: 'Ingress',
    field: /^spec\.rules\[0\]\.http\.paths\[0\]\.backend/,
  }));
  const shapeCases: readonly BadCase[] = [
    {
      what: 'a port number that is text',
      objects: (name) => [...backing(name), route(name, { port: { raw: { number: 'http' } } })],
      kind: 'Ingress',
      field: /^spec\.rules\[0\]\.http\.paths\[0\]\.backend/,
    },
    {
      what: 'rules that are no list',
      objects: (name) => [
        withField(ingress({ name }), { spec: { ingressClassName: 'haptic', rules: { a: 1 } } }),
      ],
      kind: 'Ingress',
      field: 'spec.rules',
    },
    {
      what: 'a resource for a backend',
      objects: (name) => [
        route(name, { backend: { resource: { apiGroup: 'x', kind: 'Bucket', name: 'b' } } }),
      ],
      kind: 'Ingress',
      field: /^spec\.rules\[0\]\.http\.paths\[0\]\.backend/,
    },
    {
      what: 'a Service that is missing',
      objects: (name) => [route(name)],
      kind: 'Ingress',
      field: /^spec\.rules\[0\]\.http\.paths\[0\]\.backend/,
    },
    {
      what: 'a slice without ports',
      objects: (name) => [
        backing(name)[0] as KubeObject,
        withField(slice(name), { ports: null }),
        route(name),
      ],
      kind: 'EndpointSlice',
      namedAs: (name) => `${name}-1`,
      field: 'ports',
    },
    {
      what: 'a slice with a port of 65536',
      objects: (name) => [
        backing(name)[0] as KubeObject,
        withField(slice(name), { ports: [{ name: '', port: 65536, protocol: 'TCP' }] }),
        route(name),
      ],
      kind: 'EndpointSlice',
      namedAs: (name) => `${name}-1`,
      field: 'ports[0].port',
    },
    {
      what: 'an endpoint whose address is a hostname',
      objects: (name) => [
        backing(name)[0] as KubeObject,
        withField(slice(name), { endpoints: [{ addresses: ['example.com'], conditions: { ready: true } }] }),
        route(name),
      ],
      kind: 'EndpointSlice',
      namedAs: (name) => `${name}-1`,
      field: 'endpoints[0].addresses[0]',
    },
  ];
  /** Bad in a way that costs nobody anything: the route is served, and nothing needs to be said. */
  const harmless: readonly [what: string, (name: string) => readonly KubeObject[]][] = [
    ...Object.entries(hostileTexts).map(([what, text]): (typeof harmless)[number] => [
      `${what} in an annotation`,
      (name) => [...backing(name), withMetadata(route(name), { annotations: { 'example.org/text': text } })],
    ]),
    [
      'metadata maps that are null',
      (name) => [
        ...backing(name),
        withMetadata(route(name), {
          annotations: null,
          labels: null,
          finalizers: null,
          ownerReferences: null,
        }),
      ],
    ],
    [
      'another slice whose endpoints are null',
      (name) => [
        ...backing(name),
        withMetadata(withField(slice(name), { endpoints: null }), { name: `${name}-2` }),
        route(name),
      ],
    ],
    ...(
      [
        'a double quote',
        'a single quote',
        'a semicolon',
        'a sample fetch',
        'a variable of the environment',
        'a backslash',
      ] as const
    ).map((what): (typeof harmless)[number] => [
      `${what} in a path of its own`,
      (name) => [
        ...backing(name),
        ingress({
          name,
          rules: [
            {
              host: `${name}.test`,
              paths: [
                { path: '/', service: name },
                { path: `/${hostileTexts[what]}`, service: name },
              ],
            },
          ],
        }),
      ],
    ]),
  ];

  const verdict = () => traffic.tap<{ readonly kind: string; readonly planId: string }>('verdicts');
  const accepted = () =>
    eventually('HAProxy accepts the newest configuration', async () => {
      const { planId } = await traffic.settled();
      const newest = await verdict();
      return newest?.planId === planId && newest.kind === 'accepted' ? true : undefined;
    });
  /** The others are served, a new one comes up, and HAProxy never reloaded for it. */
  const hurtsNobody = async (reloads: number) => {
    expect((await traffic.ask('good.test')).server).toBe('good');
    const name = `fine-${count++}`;
    await traffic.put(...backing(name), route(name));
    await traffic.served(`${name}.test`, 'good');
    expect(await traffic.reloads()).toBe(reloads);
  };

  beforeAll(async () => {
    echo = await startEcho('good');
    traffic = await startSandboxTraffic({ haproxy: haproxy?.path ?? '' });
    traffic.sandbox.api.faults.allowInvalid = true;
    await traffic.put(...backing('good'), route('good'));
    await traffic.served('good.test', 'good');
    await traffic.settled();
  });
  afterAll(async () => {
    await traffic.stop();
    await echo.stop();
  });

  test.each(
    [...textCases, ...pathCases, ...portCases, ...shapeCases].map((given) => [given.what, given] as const),
  )('%s is reported by object and field, and hurts nobody', async (_, { objects, kind, field, namedAs }) => {
    const name = `bad-${count++}`;
    const reloads = await traffic.reloads();
    await traffic.put(...objects(name));
    const isField = (text: unknown) =>
      typeof field === 'string' ? text === field : field.test(String(text));
    const owner = namedAs?.(name) ?? name;
    await eventually(
      `${kind} ${owner} is in the tap`,
      async () => {
        const found = (await traffic.problems()).filter((problem) => problem.owner.name === owner);
        if (found.some((problem) => problem.owner.kind === kind && isField(problem.field))) return true;
        throw new Error(`problems: ${JSON.stringify(found)}`);
      },
      15_000,
    );
    await eventually(`${kind} ${owner} is in the log`, async () => {
      const told = (await traffic.log()).filter(
        (line) => line['msg'] === 'problem' && String(line['object']).endsWith(`/${owner}`),
      );
      return told.some((line) => isField(line['field'])) ? true : undefined;
    });
    await hurtsNobody(reloads);
    for (const object of objects(name)) {
      const resource =
        traffic.sandbox.api.client.resourceOf(object.apiVersion ?? '', object.kind ?? '') ?? '';
      await traffic.remove(resource, object.metadata.name);
    }
    await eventually(`${owner} is no problem any more`, async () =>
      (await traffic.problems()).some((problem) => problem.owner.name === owner) ? undefined : true,
    );
  });

  test.each(harmless)('%s is served all the same', async (_, objects) => {
    const name = `odd-${count++}`;
    const reloads = await traffic.reloads();
    await traffic.put(...objects(name));
    await traffic.served(`${name}.test`, 'good');
    await hurtsNobody(reloads);
  });

  test('after all of it HAProxy accepts the configuration, and no process was started again', async () => {
    await accepted();
    const refused = (await traffic.log()).filter(({ msg }) => String(msg).includes('refuses'));
    expect(refused).toStrictEqual([]);
    expect(traffic.restarts()).toStrictEqual({ haproxy: 0, agent: 0, controller: 0 });
  });

  describe('a template that is wrong', () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'haptic-values-'));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    test.each([
      ['an unclosed block', '\n  {{#if extraContext.x}}\n', /frontend-filters-900-mine.*\d+:\d+/s],
      [
        'a helper that is unknown',
        '\n  {{nosuchhelper extraContext}}\n',
        /frontend-filters-900-mine.*2:\d+/s,
      ],
    ])(
      '%s ends haptic run, names template, line and column, and leaves HAProxy alone',
      async (_, template, words) => {
        const reloads = await traffic.reloads();
        const values = join(folder, 'values.yaml');
        const snippets = { 'frontend-filters-900-mine': { template } };
        await writeFile(values, JSON.stringify({ templateSnippets: snippets }));
        const { code, output } = await haptic([
          ...['run', '--kubeconfig', traffic.sandbox.kubeconfigPath, '--namespace', 'haptic'],
          ...['--haproxy', haproxy?.path ?? '', '--values', values],
          ...['--health-listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0'],
        ]);
        expect({ code, output }).toMatchObject({ code: 1, output: expect.stringMatching(words) as string });
        await hurtsNobody(reloads);
      },
    );
  });
});

/** Runs the program to its end. */
function haptic(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const main = resolve(import.meta.dirname, '../../src/main.ts');
  const env = { ...process.env, DATAPLANE_USERNAME: 'u', DATAPLANE_PASSWORD: 'p' };
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [main, ...args],
      { env, timeout: 60_000 },
      (_error, stdout, stderr) => done({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}
