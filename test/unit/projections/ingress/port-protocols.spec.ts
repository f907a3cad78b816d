import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { annotatedIngress } from '../../../fixtures/annotated-ingress.ts';
import { endpointSlice, ingress, ingressClass, service } from '../../../fixtures/kube-objects.ts';
import { createIngressWorld } from '../ingress-world.ts';

const host = 'a.example.com';
const routed = (port: string | number, annotations: Record<string, string> = {}) =>
  ingress({
    name: 'a',
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [`haproxy-haptic.org/${key}`, value]),
    ),
    rules: [{ host, paths: [{ path: '/', service: 'web', port }] }],
  });
const web = (appProtocol: unknown, more: readonly object[] = []) =>
  service({ name: 'web', ports: [{ name: 'main', port: 80, appProtocol }, ...more] });

function worldOf(objects: readonly KubeObject[], movesBackends = true) {
  return createIngressWorld(
    [
      ingressClass(),
      endpointSlice({ service: 'web', ports: [{ name: 'main' }], endpoints: ['10.0.0.1'] }),
      ...objects,
    ],
    { movesBackends },
  );
}
const backendsOf = (objects: readonly KubeObject[], movesBackends?: boolean) => [
  ...worldOf(objects, movesBackends).backends.keys(),
];

describe('what a port speaks, in the names of its backends', () => {
  it.each([
    [undefined, 'shop_web_80'],
    ['http', 'shop_web_80'],
    ['kubernetes.io/ws', 'shop_web_80'],
    ['redis', 'shop_web_80'],
    [7, 'shop_web_80'],
    ['kubernetes.io/h2c', 'shop_web_80_h2'],
    ['grpc', 'shop_web_80_h2'],
    ['https', 'shop_web_80_tls'],
    ['kubernetes.io/wss', 'shop_web_80_tls'],
  ])('is there unless it is HTTP/1.1 in the clear: %j', (appProtocol, name) => {
    expect(backendsOf([routed(80), web(appProtocol)])).toEqual([name]);
  });

  it('is that of the port that is named, be it by its name', () => {
    const others = [
      { name: 'constructor', port: 81, appProtocol: 'https' },
      { name: 'dns', port: 82, protocol: 'UDP', appProtocol: 'grpc' },
      { name: 'dns-tcp', port: 82 },
    ];
    const name = (port: string | number) => backendsOf([routed(port), web('grpc', others)]);
    expect(name('main')).toEqual(['shop_web_main_h2']);
    expect(name('constructor')).toEqual(['shop_web_constructor_tls']);
    expect(name(81)).toEqual(['shop_web_81_tls']);
    expect(name(82)).toEqual(['shop_web_82']);
    expect(backendsOf([routed('constructor'), web('grpc')])).toEqual(['shop_web_constructor']);
  });

  it('is not where HAProxy takes no new backends at runtime: they are reloaded with another line then', () => {
    expect(backendsOf([routed(80), web('grpc')], false)).toEqual(['shop_web_80']);
  });

  it('moves routes to another backend, and leaves others of the Service where they are', () => {
    const metrics = { name: 'metrics', port: 9090 };
    const world = worldOf([
      routed(80),
      annotatedIngress('b.example.com', {}, [{ path: '/', port: 9090 }]),
      web('http', [metrics]),
    ]);
    const changed = world.changesOf(() => world.put(web('grpc', [metrics])));
    expect(world.routeLines()).toContain(`${host} prefix  → shop_web_80_h2`);
    expect(world.backends.peek('shop_web_80_h2')).toMatchObject({
      protocol: 'h2',
      servers: [{ address: '10.0.0.1' }],
    });
    expect(changed).toEqual({
      backends: ['shop_web_80', 'shop_web_80_h2'],
      routes: [`${host} prefix `],
    });
    world.remove(web('grpc'));
    expect(world.routeLines()).toContain(`${host} prefix  → shop_web_80`);
  });

  it.each([
    [{ 'backend-protocol': 'h1' }, 'https', ''],
    [{ 'backend-protocol': 'h2-ssl' }, 'grpc', ''],
    [{ 'secure-backends': 'true' }, 'https', ''],
    [{ 'secure-backends': 'false' }, 'https', ''],
    [{ 'secure-backends': 'true' }, 'grpc', '_h2'],
    [{ 'secure-verify-ca-secret': '@system-ca' }, 'https', ''],
    [{ 'secure-sni': 'host' }, 'https', '_tls'],
    [{ 'proxy-protocol': 'v1' }, 'grpc', '_h2'],
    [{ 'timeout-server': '5s' }, 'grpc', '_h2'],
  ])('is not where something else is said of it: %j with %s', (annotations, appProtocol, expected) => {
    const [name = ''] = backendsOf([routed(80, annotations), web(appProtocol)]);
    expect(name).toMatch(new RegExp(`^shop_web_80${expected}_s?[0-9a-f]{16}`));
    const [plain = ''] = backendsOf([routed(80, annotations), web('http')]);
    expect(plain.replace('shop_web_80', '')).toBe(name.replace(`shop_web_80${expected}`, ''));
  });

  it('is the same for all that lead there: routes, canaries, questions and copies', () => {
    const { backends, problemLines } = worldOf([
      web('grpc'),
      routed(80),
      ingress({
        name: 'canary',
        created: '2026-06-01T00:00:00Z',
        annotations: { 'haproxy-haptic.org/canary': 'true', 'haproxy-haptic.org/canary-weight': '10' },
        rules: [{ host, paths: [{ path: '/', service: 'web' }] }],
      }),
      service({ name: 'echo' }),
      annotatedIngress(
        'b.example.com',
        { 'auth-url': 'svc://web:80/check', 'mirror-target': 'svc://web:80' },
        [{ path: '/', service: 'echo' }],
      ),
    ]);
    expect(problemLines()).toEqual([]);
    expect([...backends.keys()].filter((name) => name.startsWith('shop_web'))).toEqual(['shop_web_80_h2']);
  });

  it('is not in what is handed on as it comes', () => {
    const passed = routed(80, { 'ssl-passthrough': 'true' });
    expect(backendsOf([passed, web('https')])).toEqual(['shop_web_80_tcp']);
  });
});
