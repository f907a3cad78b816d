import { describe, expect, it } from 'vitest';
import { endpointSlice, ingress, ingressClass, service } from '../../../fixtures/kube-objects.ts';
import { createIngressWorld } from '../ingress-world.ts';

const of = (annotations: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`haproxy-haptic.org/${key}`, value]));

const shop = (annotations: Readonly<Record<string, string>> = {}, name = 'shop', host = 'shop.example.com') =>
  ingress({ name, annotations: of(annotations), rules: [{ host, paths: [{ path: '/', service: 'shop' }] }] });

function world(...objects: Parameters<typeof createIngressWorld>[0] & object) {
  return createIngressWorld([
    ingressClass(),
    service({ name: 'shop' }),
    endpointSlice({ service: 'shop', endpoints: ['10.0.0.1'] }),
    ...objects,
  ]);
}

const profileNames = ({ profiles }: ReturnType<typeof world>) => profiles.keys();

describe('policies', () => {
  it('leave routes without any as they are', () => {
    const { routeLines, profiles, policies } = world(shop());
    expect(routeLines()).toEqual(['shop.example.com prefix  → shop_shop_80']);
    expect([profiles.size, policies.size]).toEqual([0, 0]);
  });

  it('share a profile and a backend where the shape is the same, whatever the values', () => {
    const one = shop({ 'cors-enable': 'true' }, 'one', 'one.example.com');
    const two = shop({ 'cors-enable': 'true', 'cors-max-age': '5' }, 'two', 'two.example.com');
    const w = world(one, two);
    const [name = ''] = profileNames(w);
    expect(profileNames(w)).toEqual([expect.stringMatching(/^haptic-http-[0-9a-f]{16}$/)]);
    expect(w.backends.keys()).toEqual([`shop_shop_80_${name.slice(-16)}`]);
    expect(w.policies.keys()).toEqual(['shop_one', 'shop_two']);
    expect(w.routes.peek('one.example.com prefix ')).toMatchObject({ rule: 'shop_one' });
    expect(w.routes.peek('two.example.com prefix ')).toMatchObject({ rule: 'shop_two' });
  });

  it('change nothing but their values where the shape stays', () => {
    const w = world(shop({ 'cors-enable': 'true' }));
    const before = w.routeLines();
    expect(w.changesOf(() => w.put(shop({ 'cors-enable': 'true', 'cors-max-age': '5' })))).toEqual({});
    expect(w.routeLines()).toEqual(before);
    expect(w.policies.peek('shop_shop')).toMatchObject({ corsMaxAge: 5 });
  });

  it('make another backend where what is printed changes, and leave nothing behind', () => {
    const w = world(shop({ 'timeout-server': '5s' }));
    const [before] = w.backends.keys();
    w.put(shop({ 'timeout-server': '6s' }));
    const [after] = w.backends.keys();
    expect(after).not.toBe(before);
    expect([w.backends.size, w.profiles.size, w.policies.size]).toEqual([1, 1, 0]);
    w.put(shop());
    expect(w.backends.keys()).toEqual(['shop_shop_80']);
    expect([w.profiles.size, w.policies.size]).toEqual([0, 0]);
  });

  it('hear the Service before those who route to it', () => {
    const annotations = of({ 'timeout-server': '9s', 'cors-enable': 'true' });
    const w = world(shop({ 'timeout-server': '5s', 'timeout-tunnel': '1s' }));
    w.put(service({ name: 'shop', annotations }));
    const [name = ''] = profileNames(w);
    expect(w.profiles.peek(name)?.shape).toEqual({
      timeouts: true,
      timeoutServer: '9s',
      timeoutTunnel: '1s',
    });
    expect(w.problemLines()).toEqual([
      'Service shop/shop AnnotationMisplaced metadata.annotations["haproxy-haptic.org/cors-enable"]',
    ]);
  });

  it('are not heard of an Ingress of another class', () => {
    const w = world(ingress({ name: 'foreign', className: 'nginx', annotations: of({ nonsense: 'x' }) }));
    expect(w.problemLines()).toEqual([]);
  });
});
