import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/api/kube-object.ts';
import {
  endpointSlice,
  ingress,
  ingressClass,
  service,
  serviceBackend,
} from '../../../fixtures/kube-objects.ts';
import { createIngressWorld, type IngressWorld } from '../ingress-world.ts';

const ready = [ingressClass(), service(), endpointSlice({ endpoints: ['10.0.0.1'] })];

describe('Ingress projections: routes', () => {
  it('turns an Ingress into hosts, routes and one backend per Service port', () => {
    const world = createIngressWorld([
      ...ready,
      ingress({
        rules: [
          { host: 'a.example.com', paths: ['/', '/api'] },
          { host: '*.example.com', paths: [{ path: '/x', pathType: 'Exact' }] },
        ],
      }),
    ]);
    const owner = { kind: 'Ingress', namespace: 'shop', name: 'echo' };
    expect(world.hosts.keys()).toEqual(['*.example.com', 'a.example.com']);
    expect(world.hosts.peek('*.example.com')).toEqual({
      host: 'example.com',
      kind: 'wildcard-one',
      group: '*.example.com',
      owner,
    });
    expect(world.routeLines()).toEqual([
      '*.example.com exact /x → shop_echo_80',
      'a.example.com prefix  → shop_echo_80',
      'a.example.com prefix /api → shop_echo_80',
    ]);
    expect(world.backends.keys()).toEqual(['shop_echo_80']);
    expect(world.backends.peek('shop_echo_80')).toEqual({
      name: 'shop_echo_80',
      profile: 'haptic-http',
      servers: [{ name: 'pod-10-0-0-1', address: '10.0.0.1', port: 8080, weight: 100, disabled: false }],
      owner: { kind: 'Service', namespace: 'shop', name: 'echo' },
    });
    expect(world.problemLines()).toEqual([]);
  });

  it('keeps two ports of one Service apart', () => {
    const world = createIngressWorld([
      ingressClass(),
      service({
        ports: [
          { name: 'http', port: 80 },
          { name: 'metrics', port: 9090 },
        ],
      }),
      endpointSlice({
        ports: [
          { name: 'http', port: 8080 },
          { name: 'metrics', port: 9100 },
        ],
        endpoints: ['10.0.0.1'],
      }),
      ingress({
        rules: [
          {
            paths: [
              { path: '/', port: 'http' },
              { path: '/metrics', port: 9090 },
            ],
          },
        ],
      }),
    ]);
    expect(world.routeLines()).toEqual(['* prefix  → shop_echo_http', '* prefix /metrics → shop_echo_9090']);
    expect(world.serverLines('shop_echo_http')).toEqual(['pod-10-0-0-1 10.0.0.1:8080 100']);
    expect(world.serverLines('shop_echo_9090')).toEqual(['pod-10-0-0-1 10.0.0.1:9100 100']);
  });

  it('keeps "/" Exact beside "/" Prefix', () => {
    const world = createIngressWorld([
      ...ready,
      ingress({ rules: [{ paths: [{ path: '/', pathType: 'Exact', service: 'one' }, '/'] }] }),
    ]);
    expect(world.routeLines()).toEqual(['* exact / → shop_one_80', '* prefix  → shop_echo_80']);
  });

  it('removes everything that a deleted Ingress with two hosts had', () => {
    const object = ingress({
      rules: [
        { host: 'a.example.com', paths: ['/'] },
        { host: 'b.example.com', paths: ['/'] },
      ],
    });
    const world = createIngressWorld(ready);
    const empty = world.snapshot();
    world.put(object);
    expect(world.routes.size).toBe(2);
    world.remove(object);
    expect(world.snapshot()).toEqual(empty);
  });

  it('gives a conflict to the oldest, and to the next when the oldest goes', () => {
    const old = ingress({
      name: 'old',
      created: '2025-01-01T00:00:00Z',
      rules: [{ paths: [{ path: '/', service: 'a' }] }],
    });
    const young = ingress({
      name: 'young',
      created: '2026-01-01T00:00:00Z',
      rules: [{ paths: [{ path: '/', service: 'b' }] }],
    });
    const world = createIngressWorld([...ready, service({ name: 'a' }), service({ name: 'b' }), young, old]);
    expect(world.routeLines()).toEqual(['* prefix  → shop_a_80']);
    expect(world.problemLines()).toEqual(['Ingress shop/young ConflictLost spec.rules[0].http.paths[0]']);
    expect(world.backends.keys()).toEqual(['shop_a_80']);
    world.remove(old);
    expect(world.routeLines()).toEqual(['* prefix  → shop_b_80']);
    expect(world.problemLines()).toEqual([]);
  });

  it('gives the default of every host to the oldest Ingress without rules', () => {
    const world = createIngressWorld([
      ...ready,
      ingress({ name: 'b', created: '2026-02-01T00:00:00Z', defaultBackend: serviceBackend('late') }),
      ingress({ name: 'c', created: '2026-01-01T00:00:00Z', defaultBackend: serviceBackend() }),
    ]);
    expect(world.routeLines()).toEqual(['* default  → shop_echo_80']);
    expect(world.problemLines()).toEqual(['Ingress shop/b ConflictLost spec.defaultBackend']);
  });

  it('gives a host that two Ingresses name to both paths, and keeps it while either does', () => {
    const one = ingress({ name: 'one', rules: [{ host: 'a.example.com', paths: ['/one'] }] });
    const two = ingress({ name: 'two', rules: [{ host: 'a.example.com', paths: ['/two'] }] });
    const world = createIngressWorld([...ready, one, two]);
    expect(world.problemLines()).toEqual([]);
    world.remove(one);
    expect(world.hosts.peek('a.example.com')?.owner.name).toBe('two');
    expect(world.routeLines()).toEqual(['a.example.com prefix /two → shop_echo_80']);
  });
});

describe('Ingress projections: class selection', () => {
  const rules = [{ paths: ['/'] }];
  const served = (...objects: Parameters<typeof createIngressWorld>[0] & object) =>
    createIngressWorld(objects).routes.size === 1;

  it('serves an Ingress whose class has our controller', () => {
    expect(served(ingressClass({ name: 'any-name' }), ingress({ className: 'any-name', rules }))).toBe(true);
    expect(
      served(ingressClass({ name: 'x', controller: 'k8s.io/nginx' }), ingress({ className: 'x', rules })),
    ).toBe(false);
    expect(served(ingress({ className: 'missing', rules }))).toBe(false);
  });

  it('serves an Ingress without a class if the default class is ours', () => {
    const bare = ingress({ className: null, rules });
    expect(served(ingressClass({ isDefault: true }), bare)).toBe(true);
    expect(served(ingressClass(), bare)).toBe(false);
    expect(served(ingressClass({ isDefault: true, controller: 'k8s.io/nginx' }), bare)).toBe(false);
  });

  it('takes the newest of several default classes', () => {
    const bare = ingress({ className: null, rules });
    const theirs = (created: string) =>
      ingressClass({ name: 'nginx', controller: 'k8s.io/nginx', isDefault: true, created });
    const ours = ingressClass({ isDefault: true, created: '2026-01-02T00:00:00Z' });
    expect(served(ours, theirs('2026-01-01T00:00:00Z'), bare)).toBe(true);
    expect(served(ours, theirs('2026-01-03T00:00:00Z'), bare)).toBe(false);
  });

  it('serves the Ingresses of a class with parameters as without, and says that they are not read', () => {
    const parameters = { apiGroup: 'k8s.example.com', kind: 'IngressParameters', name: 'external-lb' };
    const withParameters = (object: KubeObject) => ({
      ...object,
      spec: { ...(object['spec'] as object), parameters },
    });
    const world = createIngressWorld([
      withParameters(ingressClass()),
      withParameters(ingressClass({ name: 'foreign', controller: 'example.com/other' })),
      ingress({ rules: [{ paths: ['/'] }] }),
      service(),
    ]);
    expect(world.routeLines()).toHaveLength(1);
    expect(world.problemLines()).toEqual(['IngressClass haptic ParametersUnsupported spec.parameters']);
    expect(world.problems()[0]?.message).toContain(
      '"IngressParameters" "external-lb" of API group "k8s.example.com"',
    );
    world.put({ ...ingressClass(), spec: { controller: 'haproxy-haptic.org/controller', parameters: 7 } });
    expect(world.problemLines()).toEqual(['IngressClass haptic ParametersUnsupported spec.parameters']);
  });

  it('reads the old annotation as the name of a class, the field first', () => {
    const annotated = (value: string, className: string | null = null) =>
      ingress({ className, annotations: { 'kubernetes.io/ingress.class': value }, rules });
    expect(served(ingressClass(), annotated('haptic'))).toBe(true);
    expect(served(ingressClass({ isDefault: true }), annotated('nginx'))).toBe(false);
    expect(served(ingressClass(), annotated('nginx', 'haptic'))).toBe(true);
  });

  it('follows an Ingress that changes its class, both ways', () => {
    const world = createIngressWorld([
      ...ready,
      ingressClass({ name: 'nginx', controller: 'k8s.io/nginx' }),
      ingress({ className: 'nginx', rules }),
    ]);
    expect(world.routes.size).toBe(0);
    world.put(ingress({ rules }));
    expect(world.routes.size).toBe(1);
    world.put(ingress({ className: 'nginx', rules }));
    expect(world.snapshot()).toEqual({ hosts: [], routes: [], backends: [], problems: [] });
  });

  it('follows a class that comes late and goes', () => {
    const world = createIngressWorld([ingress({ rules })]);
    world.put(ingressClass());
    expect(world.routes.size).toBe(1);
    world.remove(ingressClass());
    expect(world.routes.size).toBe(0);
  });

  it('says nothing about foreign Ingresses, however malformed', () => {
    const world = createIngressWorld([
      ingressClass({ name: 'x', controller: 'other' }),
      ingress({ className: 'x', rules: [{ host: 'a b' }] }),
    ]);
    expect(world.problemLines()).toEqual([]);
  });

  it.each([5, {}, [], ''])('does not take the class name %j for no name', (name) => {
    const object = ingress({ rules });
    const spec = { ...(object['spec'] as object), ingressClassName: name };
    expect(served(ingressClass({ isDefault: true }), { ...object, spec })).toBe(false);
  });
});

describe('Ingress projections: backends', () => {
  const route = ingress({ rules: [{ paths: ['/', { path: '/b', port: 'http' }] }] });

  it('has a backend without servers where the Service is missing, and fills it when it comes', () => {
    const world = createIngressWorld([ingressClass(), ingress({ rules: [{ paths: ['/'] }] })]);
    expect(world.serverLines('shop_echo_80')).toEqual([]);
    expect(world.problemLines()).toEqual([
      'Ingress shop/echo BackendMissing spec.rules[0].http.paths[0].backend.service.name',
    ]);
    world.put(service(), endpointSlice({ endpoints: ['10.0.0.1'] }));
    expect(world.serverLines('shop_echo_80')).toEqual(['pod-10-0-0-1 10.0.0.1:8080 100']);
    expect(world.problemLines()).toEqual([]);
  });

  it('leaves one path without servers when its port is missing, not the others', () => {
    const world = createIngressWorld([...ready, route]);
    expect(world.serverLines('shop_echo_80')).toHaveLength(1);
    expect(world.serverLines('shop_echo_http')).toEqual([]);
    expect(world.problemLines()).toEqual([
      'Ingress shop/echo PortMissing spec.rules[0].http.paths[1].backend.service.port.name',
    ]);
  });

  describe('ExternalName Services', () => {
    const routed = [...ready, ingress({ rules: [{ paths: ['/'] }] })];
    const field = 'spec.rules[0].http.paths[0].backend.service';
    const backendOf = (world: IngressWorld) => {
      const [backend] = world.backends.keys().map((key) => world.backends.peek(key));
      return backend;
    };

    it('HT#10: have a server of their own, whatever slices are left from before', () => {
      const world = createIngressWorld(routed);
      world.put(service({ type: 'ExternalName', externalName: 'example.com' }));
      const backend = backendOf(world);
      expect(backend).toMatchObject({
        servers: [{ name: 'external', address: '0.0.0.0', port: 80 }],
        external: { name: 'example.com', isTrusted: false },
      });
      expect(world.routeLines()).toEqual([`* prefix  → ${backend?.name ?? ''}`]);
      expect(backend?.name).toMatch(/^shop_echo_80_[0-9a-f]+$/);
      expect(world.problemLines()).toEqual([]);
      world.put(service());
      expect(backendOf(world)).toMatchObject({ name: 'shop_echo_80', servers: [{ address: '10.0.0.1' }] });
      expect(backendOf(world)).not.toHaveProperty('external');
    });

    it('of one profile share it, and their resolver is there as long as one is', () => {
      const world = createIngressWorld(routed);
      expect(world.resolvers.keys()).toEqual([]);
      const external = service({ type: 'ExternalName', externalName: 'example.com' });
      world.put(external, { ...external, metadata: { ...external.metadata, name: 'other' } });
      world.put(ingress({ name: 'more', rules: [{ paths: [{ path: '/more', service: 'other' }] }] }));
      expect(world.profiles.keys()).toHaveLength(1);
      expect(world.resolvers.keys()).toEqual(['haptic']);
      world.put(service(), service({ name: 'other' }));
      expect(world.profiles.keys()).toEqual([]);
      expect(world.resolvers.keys()).toEqual([]);
    });

    it('NGX#55: of a literal address have an ordinary server', () => {
      const world = createIngressWorld(routed);
      world.put(service({ type: 'ExternalName', externalName: '93.184.215.14' }));
      expect(world.serverLines('shop_echo_80')).toEqual(['93.184.215.14 93.184.215.14:80 100']);
      expect(world.profiles.keys()).toEqual([]);
    });

    it.each(['127.0.0.1', 'localhost', 'vault.other.svc.cluster.local', 'db'])(
      'NGX#55: of a name that is refused have no server: %s',
      (externalName) => {
        const world = createIngressWorld(routed);
        world.put(service({ type: 'ExternalName', externalName }));
        expect(world.serverLines('shop_echo_80')).toEqual([]);
        expect(world.problemLines()).toEqual([`Ingress shop/echo ExternalNameRefused ${field}.name`]);
        const [problem] = world.problems();
        expect(problem?.message).toContain(`spec.externalName of Service shop/echo ${externalName}`);
      },
    );
  });

  it('does not look for names in connections that are passed through, and says so', () => {
    const world = createIngressWorld([
      ingressClass(),
      service({ type: 'ExternalName', externalName: 'api.example.net' }),
      ingress({
        annotations: { 'haproxy-haptic.org/ssl-passthrough': 'true' },
        rules: [{ host: 'a.example.com', paths: ['/'] }],
      }),
    ]);
    for (const key of world.backends.keys()) expect(world.serverLines(key)).toEqual([]);
    const field = 'spec.rules[0].http.paths[0].backend.service.name';
    expect(world.problemLines()).toEqual([`Ingress shop/echo ExternalNameRefused ${field}`]);
  });

  it('chooses endpoints by their hints where all of HAProxy is in one zone', () => {
    const inZone = (address: string, zone: string) => ({ address, hints: { forZones: [{ name: zone }] } });
    const objects = [
      ingressClass(),
      service(),
      endpointSlice({ endpoints: [inZone('10.0.0.1', 'z1'), inZone('10.0.0.2', 'z2')] }),
      ingress({ rules: [{ paths: ['/'] }] }),
    ];
    expect(createIngressWorld(objects).serverLines('shop_echo_80')).toHaveLength(2);
    expect(createIngressWorld(objects, { zone: 'z1' }).serverLines('shop_echo_80')).toEqual([
      'pod-10-0-0-1 10.0.0.1:8080 100',
    ]);
    expect(createIngressWorld(objects, { zone: 'z3' }).serverLines('shop_echo_80')).toHaveLength(2);
  });

  it('takes a Service that keeps clients with one server to a profile that does', () => {
    const world = createIngressWorld([...ready, ingress({ rules: [{ paths: ['/'] }] })]);
    world.put(service({ sessionAffinity: 'ClientIP' }));
    const [name = ''] = world.profiles.keys();
    expect(world.profiles.peek(name)?.shape).toEqual({ affinity: 'client-address' });
    const [key = ''] = world.backends.keys();
    expect(world.backends.peek(key)).toMatchObject({ profile: name, servers: [{ address: '10.0.0.1' }] });
  });

  it('has no problem with a Service that has no endpoints', () => {
    const world = createIngressWorld([ingressClass(), service(), ingress({ rules: [{ paths: ['/'] }] })]);
    expect(world.serverLines('shop_echo_80')).toEqual([]);
    expect(world.problemLines()).toEqual([]);
  });

  it('never mixes the endpoints of Services of one name in two namespaces', () => {
    const world = createIngressWorld([
      ...ready,
      service({ namespace: 'other' }),
      endpointSlice({ namespace: 'other', endpoints: ['10.9.9.9'] }),
      ingress({ rules: [{ paths: ['/'] }] }),
      ingress({ namespace: 'other', rules: [{ host: 'o.example.com', paths: ['/'] }] }),
    ]);
    expect(world.serverLines('shop_echo_80')).toEqual(['pod-10-0-0-1 10.0.0.1:8080 100']);
    expect(world.serverLines('other_echo_80')).toEqual(['pod-10-9-9-9 10.9.9.9:8080 100']);
  });

  it('joins slices by their label, never by their name', () => {
    const world = createIngressWorld([
      ingressClass(),
      service(),
      endpointSlice({ name: 'echo', service: null, endpoints: ['10.0.0.1'] }),
      endpointSlice({ name: 'unlike', service: 'echo', endpoints: ['10.0.0.2'] }),
      ingress({ rules: [{ paths: ['/'] }] }),
    ]);
    expect(world.serverLines('shop_echo_80')).toEqual(['pod-10-0-0-2 10.0.0.2:8080 100']);
  });

  it('uses the port of each slice', () => {
    const world = createIngressWorld([
      ingressClass(),
      service({ ports: [{ name: 'http', targetPort: 'web' }] }),
      endpointSlice({ name: 'a', ports: [{ name: 'http', port: 8080 }], endpoints: ['10.0.0.1'] }),
      endpointSlice({ name: 'b', ports: [{ name: 'http', port: 9090 }], endpoints: ['10.0.0.2'] }),
      ingress({ rules: [{ paths: ['/'] }] }),
    ]);
    expect(world.serverLines('shop_echo_80')).toEqual([
      'pod-10-0-0-1 10.0.0.1:8080 100',
      'pod-10-0-0-2 10.0.0.2:9090 100',
    ]);
  });

  it('serves headless Services and Services without a selector', () => {
    for (const object of [service({ clusterIP: 'None' }), service({ selector: null })]) {
      const world = createIngressWorld([
        ingressClass(),
        object,
        endpointSlice({ endpoints: [{ address: '10.0.0.1', pod: null }] }),
        ingress({ rules: [{ paths: ['/'] }] }),
      ]);
      expect(world.serverLines('shop_echo_80')).toEqual(['10.0.0.1 10.0.0.1:8080 100']);
    }
  });

  it('has all of 1,200 endpoints in 12 slices', () => {
    const slices = Array.from({ length: 12 }, (_, s) =>
      endpointSlice({
        name: `echo-${s}`,
        endpoints: Array.from({ length: 100 }, (_, e) => ({
          address: `10.0.${s}.${e}`,
          pod: `web-${s}-${e}`,
        })),
      }),
    );
    const world = createIngressWorld([
      ingressClass(),
      service(),
      ingress({ rules: [{ paths: ['/'] }] }),
      ...slices,
    ]);
    expect(world.serverLines('shop_echo_80')).toHaveLength(1200);
    expect(new Set(world.serverLines('shop_echo_80')).size).toBe(1200);
  });

  it('reports endpoints that cannot be used to the slice, and only of Services that are served', () => {
    const bad = endpointSlice({ endpoints: ['10.0.0.1', '10.0.0.400'], ports: [{ port: 8080 }] });
    const world = createIngressWorld([ingressClass(), service(), bad]);
    expect(world.problemLines()).toEqual([]);
    world.put(ingress({ rules: [{ paths: ['/'] }] }));
    expect(world.serverLines('shop_echo_80')).toEqual(['pod-10-0-0-1 10.0.0.1:8080 100']);
    expect(world.problemLines()).toEqual([
      'EndpointSlice shop/echo-1 InvalidAddress endpoints[1].addresses[0]',
    ]);
  });
});

describe('Ingress projections: what a change touches', () => {
  const many = Array.from({ length: 20 }, (_, i) => [
    service({ name: `s${i}` }),
    endpointSlice({ service: `s${i}`, endpoints: [`10.0.1.${i}`] }),
    ingress({
      name: `i${i}`,
      rules: [{ host: `h${i}.example.com`, paths: [{ path: '/', service: `s${i}` }] }],
    }),
  ]).flat();

  it('changes one backend when an endpoint changes, and nothing else', () => {
    const world = createIngressWorld([ingressClass(), ...many]);
    const changes = world.changesOf(() =>
      world.put(endpointSlice({ service: 's7', endpoints: ['10.0.1.7', '10.0.2.7'] })),
    );
    expect(changes).toEqual({ backends: ['shop_s7_80'] });
  });

  it('changes nothing when a slice or a Service changes in ways that do not matter', () => {
    const world = createIngressWorld([ingressClass(), ...many]);
    const changes = world.changesOf(() => {
      world.put(endpointSlice({ service: 's7', endpoints: ['10.0.1.7'], annotations: { touched: 'yes' } }));
      world.put(service({ name: 's7', annotations: { touched: 'yes' } }));
    });
    expect(changes).toEqual({});
  });

  it('adds one host, route and backend when an Ingress comes', () => {
    const world = createIngressWorld([ingressClass(), ...many, service()]);
    const changes = world.changesOf(() =>
      world.put(ingress({ rules: [{ host: 'new.example.com', paths: ['/'] }] })),
    );
    expect(changes).toEqual({
      hosts: ['new.example.com'],
      routes: ['new.example.com prefix '],
      backends: ['shop_echo_80'],
    });
  });

  it('adds a route only when host and backend are there already', () => {
    const world = createIngressWorld([ingressClass(), ...many]);
    const object = ingress({ rules: [{ host: 'h3.example.com', paths: [{ path: '/new', service: 's3' }] }] });
    expect(world.changesOf(() => world.put(object))['routes']).toEqual(['h3.example.com prefix /new']);
    expect(world.backends.size).toBe(20);
  });

  it('names its collections in the picture of the graph', () => {
    const mermaid = createIngressWorld().mermaid();
    for (const name of ['hosts', 'routes', 'backends', 'ingress.claims']) expect(mermaid).toContain(name);
  });
});
