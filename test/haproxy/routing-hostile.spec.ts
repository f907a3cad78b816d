import { expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { formatOwner } from '../../src/lib/owner.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { bundleFiles } from '../fixtures/ingress-renderer.ts';
import { type EchoPool, startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { endpointSlice, ingress, service, serviceBackend } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

const marker = 'INJECTED';

/** Texts that would mean something to HAProxy, to the shell or to a map file if they came through. */
const hostile: Readonly<Record<string, string>> = {
  quote: `x"${marker}`,
  'single quote': `x'${marker}`,
  space: `x ${marker}`,
  semicolon: `x;${marker}`,
  hash: `x#${marker}`,
  'format expression': `x%[env(HOME)]${marker}`,
  'environment variable': `x\${HOME}${marker}`,
  'line feed': `x\n    use_backend ${marker}`,
  'carriage return': `x\r\n${marker}: y`,
  NUL: `x\0${marker}`,
  backslash: `x\\${marker}`,
  'four kilobytes': `${marker}${'x'.repeat(4096)}`,
  'line separator': `x\u2028${marker}`,
  'lone surrogate': `x\ud800${marker}`,
  markup: `{{${marker}}}`,
};
const texts = Object.entries(hostile);

function deep(levels: number): unknown {
  let value: unknown = marker;
  for (let i = 0; i < levels; i++) value = { value };
  return value;
}

const good = (host: string) => ({ host, paths: [{ path: '/', service: 'a' }] });

/** Ingresses, Services and slices that a hostile or broken client could have written, each beside something good. */
function objects(pool: EchoPool): KubeObject[] {
  const { host: address, port } = pool.at('a');
  const endpoints = [{ address, pod: 'good' }];
  return [
    ...texts.flatMap(([, text], i) => [
      ingress({
        name: `host-${i}`,
        rules: [
          { host: text, paths: ['/'] },
          { host: `${text}.example.com`, paths: ['/'] },
          good(`host-${i}.example.com`),
        ],
      }),
      ingress({
        name: `path-${i}`,
        rules: [
          {
            host: `path-${i}.example.com`,
            paths: [
              { path: `/${text}`, service: 'a' },
              { path: '/', service: 'a' },
            ],
          },
        ],
      }),
      ingress({
        name: `backend-${i}`,
        rules: [
          {
            host: `backend-${i}.example.com`,
            paths: [
              { path: '/', service: 'a' },
              { path: '/s', service: text },
              { path: '/p', service: 'a', port: text },
            ],
          },
        ],
      }),
      ingress({
        name: `annotation-${i}`,
        annotations: {
          [`haproxy-haptic.org/${text}`]: text,
          'haproxy.org/backend-config-snippet': text,
          note: text.repeat(2),
        },
        rules: [good(`annotation-${i}.example.com`)],
      }),
      ingress({ name: `class-${i}`, className: text, rules: [good(`class-${i}.example.com`)] }),
      service({ name: `pod-${i}`, annotations: { text } }),
      endpointSlice({ service: `pod-${i}`, ports: [{ port }], endpoints: [{ address, pod: text }] }),
      ingress({
        name: `pod-${i}`,
        rules: [{ host: `pod-${i}.example.com`, paths: [{ path: '/', service: `pod-${i}` }] }],
      }),
      service({ name: `address-${i}` }),
      endpointSlice({
        name: `address-${i}-bad`,
        service: `address-${i}`,
        ports: [{ port }],
        endpoints: [{ address: text }, ...endpoints],
      }),
      endpointSlice({
        name: `address-${i}-name`,
        service: `address-${i}`,
        ports: [{ name: text, port }],
        endpoints,
      }),
      ingress({
        name: `address-${i}`,
        rules: [{ host: `address-${i}.example.com`, paths: [{ path: '/', service: `address-${i}` }] }],
      }),
    ]),
    ...[
      null,
      7,
      'text',
      [],
      {},
      { rules: 'x' },
      { rules: [7, null, { http: 7 }, { http: { paths: [7, {}] } }] },
      deep(10_000),
    ].map((spec, i) => ({
      ...ingress({ name: `spec-${i}` }),
      spec: typeof spec === 'object' ? { ingressClassName: 'haptic', ...spec } : spec,
    })),
    ...[0, -1, 65_536, 1.5, '80', true, null].map((number, i) =>
      ingress({
        name: `port-${i}`,
        rules: [
          {
            host: `port-${i}.example.com`,
            paths: [
              { path: '/bad', backend: serviceBackend('a', { raw: { number } }) },
              { path: '/', service: 'a' },
            ],
          },
        ],
      }),
    ),
    { ...service({ name: 'broken' }), spec: { ports: 'x' } },
    ingress({
      name: 'broken',
      rules: [
        {
          host: 'broken.example.com',
          paths: [
            { path: '/bad', service: 'broken' },
            { path: '/', service: 'a' },
          ],
        },
      ],
    }),
    { ...endpointSlice({ name: 'deep', service: 'a' }), endpoints: deep(10_000), ports: deep(10_000) },
    {
      ...endpointSlice({ name: 'no-labels' }),
      metadata: { name: 'no-labels', namespace: 'shop', labels: null },
    } as unknown as KubeObject,
  ];
}

describeEachLine('hostile input', (line) => {
  const pool = setUp(() => startEchoPool('a'));
  const world = setUp(() => startIngressTraffic(line, [...pool.objects, ...objects(pool)]));

  const outcome = (host: string, target = '/') => world.outcome({ host: `${host}.example.com`, target });
  const problems = (name: string) =>
    world.started.problems
      .filter(({ owner }) => owner.name === name)
      .map(({ owner, reason, field }) => `${formatOwner(owner)} ${reason} ${field}`);

  it.each(texts)('a %s in a host costs that rule only', async (label) => {
    const i = Object.keys(hostile).indexOf(label);
    expect(await outcome(`host-${i}`)).toBe('a');
    expect(problems(`host-${i}`)).toEqual(
      [0, 1].map((rule) => `Ingress shop/host-${i} InvalidHost spec.rules[${rule}].host`),
    );
  });

  it.each(texts)('a %s in a path costs at most that path', async (label) => {
    const i = Object.keys(hostile).indexOf(label);
    expect(await outcome(`path-${i}`)).toBe('a');
    const literal = ['quote', 'single quote', 'environment variable', 'markup'];
    const found = problems(`path-${i}`).filter((problem) => !problem.includes('PathNotRegex'));
    expect(found).toEqual(
      literal.includes(label) ? [] : [`Ingress shop/path-${i} InvalidPath spec.rules[0].http.paths[0].path`],
    );
  });

  it.each(texts)('a %s in the name of a Service or port is 503 for that path only', async (label) => {
    const i = Object.keys(hostile).indexOf(label);
    expect(await outcome(`backend-${i}`)).toBe('a');
    expect(await outcome(`backend-${i}`, '/s')).toBe('503');
    expect(await outcome(`backend-${i}`, '/p')).toBe('503');
    expect(problems(`backend-${i}`)).toEqual([
      `Ingress shop/backend-${i} InvalidBackend spec.rules[0].http.paths[1].backend.service.name`,
      `Ingress shop/backend-${i} InvalidBackend spec.rules[0].http.paths[2].backend.service.port.name`,
    ]);
  });

  it.each(texts)('a %s in annotations does nothing', async (label) => {
    expect(await outcome(`annotation-${Object.keys(hostile).indexOf(label)}`)).toBe('a');
  });

  it.each(texts)('a %s as the class is nobody’s', async (label) => {
    expect(await outcome(`class-${Object.keys(hostile).indexOf(label)}`)).toBe('404');
  });

  it.each(texts)('a %s as the name of a pod does not name a server', async (label) => {
    expect(await outcome(`pod-${Object.keys(hostile).indexOf(label)}`)).toBe('a');
  });

  it.each(texts)('a %s as an address or a port’s name costs that endpoint only', async (label) => {
    const i = Object.keys(hostile).indexOf(label);
    expect(await outcome(`address-${i}`)).toBe('a');
    expect(problems(`address-${i}-bad`)).toEqual([
      `EndpointSlice shop/address-${i}-bad InvalidAddress endpoints[0].addresses[0]`,
    ]);
    expect(problems(`address-${i}-name`)).toEqual([
      `EndpointSlice shop/address-${i}-name EndpointPortMissing ports`,
    ]);
  });

  it.each([0, 1, 2, 3, 4, 5, 6])('an impossible port (%i) is 503 for its path only', async (i) => {
    expect(await outcome(`port-${i}`, '/bad')).toBe('503');
    expect(await outcome(`port-${i}`)).toBe('a');
    expect(problems(`port-${i}`)).toHaveLength(1);
  });

  it('a malformed Service is reported and costs its own path only', async () => {
    expect(await outcome('broken', '/bad')).toBe('503');
    expect(await outcome('broken')).toBe('a');
    expect(problems('broken')).toEqual(
      expect.arrayContaining([
        'Service shop/broken InvalidField spec.ports',
        expect.stringContaining('Ingress shop/broken PortMissing'),
      ]),
    );
  });

  it('a malformed Ingress is reported by name and field', () => {
    expect(problems('spec-5')).toEqual(['Ingress shop/spec-5 InvalidField spec.rules']);
    expect(problems('spec-6')).toEqual(
      expect.arrayContaining([
        'Ingress shop/spec-6 InvalidField spec.rules[0]',
        'Ingress shop/spec-6 InvalidField spec.rules[2].http',
        'Ingress shop/spec-6 InvalidField spec.rules[3].http.paths[0]',
      ]),
    );
    expect(problems('deep')).toEqual(['EndpointSlice shop/deep InvalidField endpoints']);
  });

  it('nothing of it reaches a file of HAProxy, but for paths that mean themselves', () => {
    const files = bundleFiles(world.started);
    for (const [name, text] of Object.entries(files)) {
      if (name !== 'maps/path.map') expect(text).not.toContain(marker);
    }
    const lines = (files['maps/path.map'] ?? '').split('\n').filter((entry) => entry.includes(marker));
    expect(lines).toHaveLength(4);
    for (const entry of lines) expect(entry).toMatch(/^path-\d+\.example\.com\/\S+\/ shop_a_80$/);
  });

  it('messages about it are of one line and of bounded length', () => {
    expect(world.started.problems.length).toBeGreaterThan(100);
    for (const { message } of world.started.problems) {
      expect(message).toMatch(/^[^\p{Cc}]{1,250}$/u);
    }
  });
});
