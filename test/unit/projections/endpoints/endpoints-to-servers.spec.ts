import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../../src/projections/endpoints/endpoint.ts';
import { endpointsToServers } from '../../../../src/projections/endpoints/endpoints-to-servers.ts';

function endpoint(given: Partial<Endpoint>): Endpoint {
  return {
    family: 'IPv4',
    address: '10.0.0.1',
    port: 8080,
    state: 'ready',
    zones: [],
    name: 'web',
    ...given,
  };
}

function servers(...given: Partial<Endpoint>[]) {
  return endpointsToServers(given.map(endpoint), 'IPv4').map(
    ({ name, address, port, weight, disabled }) =>
      `${name} ${address}:${port} ${weight}${disabled ? ' disabled' : ''}`,
  );
}

describe('endpointsToServers', () => {
  it('orders servers by name and gives ready ones the full weight', () => {
    expect(servers({ name: 'b', address: '10.0.0.1' }, { name: 'a', address: '10.0.0.2' })).toEqual([
      'a 10.0.0.2:8080 100',
      'b 10.0.0.1:8080 100',
    ]);
  });

  it('drains terminating servers while another is ready, and lets them serve when none is', () => {
    const draining = { name: 'old', state: 'draining' } as const;
    const waiting = { name: 'new', address: '10.0.0.2', state: 'waiting' } as const;
    expect(servers(draining, { name: 'ok', address: '10.0.0.3' })).toEqual([
      'ok 10.0.0.3:8080 100',
      'old 10.0.0.1:8080 0',
    ]);
    expect(servers(draining, waiting)).toEqual(['new 10.0.0.2:8080 100 disabled', 'old 10.0.0.1:8080 100']);
  });

  describe('of a zone', () => {
    const at = (zone: string, given: Partial<Endpoint> & { readonly name: string }) => ({
      address: `10.0.0.${given.name.charCodeAt(0)}`,
      zones: zone.split(' ').filter((name) => name !== ''),
      ...given,
    });
    const inZone = (...given: Partial<Endpoint>[]) =>
      endpointsToServers(given.map(endpoint), 'IPv4', 'z1').map(({ name, weight }) => `${name} ${weight}`);

    it('are those that hints are for, with what drains and waits there', () => {
      const given = [
        at('z1', { name: 'a' }),
        at('z2', { name: 'b' }),
        at('z2 z1', { name: 'c' }),
        at('z1', { name: 'd', state: 'draining' }),
        at('z2', { name: 'e', state: 'draining' }),
        at('', { name: 'f', state: 'waiting' }),
      ];
      expect(inZone(...given)).toEqual(['a 100', 'c 100', 'd 0']);
      expect(servers(...given)).toHaveLength(6);
    });

    it('are all of them where a ready one has no hint, or none is for the zone', () => {
      expect(inZone(at('z1', { name: 'a' }), at('', { name: 'b' }))).toEqual(['a 100', 'b 100']);
      expect(inZone(at('z2', { name: 'a' }), at('z3', { name: 'b' }))).toEqual(['a 100', 'b 100']);
      expect(inZone(at('z1', { name: 'a', state: 'waiting' }), at('z2', { name: 'b' }))).toEqual([
        'a 100',
        'b 100',
      ]);
      expect(inZone(at('z2', { name: 'a', state: 'draining' }))).toEqual(['a 100']);
    });
  });

  it('keeps what is not ready, in maintenance', () => {
    expect(servers({ state: 'waiting' })).toEqual(['web 10.0.0.1:8080 100 disabled']);
  });

  it('makes one server of an address that two slices have, the better state winning', () => {
    for (const states of [
      ['ready', 'waiting'],
      ['waiting', 'ready'],
      ['draining', 'ready'],
    ] as const) {
      expect(servers({ state: states[0] }, { state: states[1] })).toEqual(['web 10.0.0.1:8080 100']);
    }
  });

  it('keeps one address with two ports as two servers', () => {
    expect(servers({ port: 8081 }, { port: 8080 })).toEqual([
      'web 10.0.0.1:8080 100',
      'web_2 10.0.0.1:8081 100',
    ]);
  });

  it('numbers equal names by address, never taking the name of another pod', () => {
    expect(
      servers(
        { name: 'web', address: '10.0.0.3' },
        { name: 'web', address: '10.0.0.1' },
        { name: 'web-2', address: '10.0.0.2' },
        { name: 'web', address: '10.0.0.2', port: 1 },
      ),
    ).toEqual([
      'web 10.0.0.1:8080 100',
      'web-2 10.0.0.2:8080 100',
      'web_2 10.0.0.2:1 100',
      'web_3 10.0.0.3:8080 100',
    ]);
  });

  it('uses the other family only if the preferred one has no endpoint at all', () => {
    const v6 = endpoint({ family: 'IPv6', address: 'fd00::1', name: 'six' });
    const v4 = endpoint({ name: 'four', state: 'waiting' });
    expect(endpointsToServers([v6, v4], 'IPv4').map(({ name }) => name)).toEqual(['four']);
    expect(endpointsToServers([v6, v4], 'IPv6').map(({ name }) => name)).toEqual(['six']);
    expect(endpointsToServers([v6], 'IPv4').map(({ name }) => name)).toEqual(['six']);
  });

  it('has unique names and the same result in whatever order the endpoints come', () => {
    const any = fc.record({
      family: fc.constantFrom('IPv4' as const, 'IPv6' as const),
      address: fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.10'),
      port: fc.constantFrom(80, 8080),
      state: fc.constantFrom('ready' as const, 'draining' as const, 'waiting' as const),
      zones: fc.constantFrom<readonly string[]>([], ['z1'], ['z1', 'z2']),
      name: fc.constantFrom('a', 'b', 'b-2'),
    });
    const shuffled = fc
      .array(any)
      .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
    fc.assert(
      fc.property(shuffled, fc.constantFrom('IPv4' as const, 'IPv6' as const), ([list, other], family) => {
        const result = endpointsToServers(list, family);
        expect(endpointsToServers(other, family)).toEqual(result);
        expect(new Set(result.map(({ name }) => name)).size).toBe(result.length);
        expect(new Set(result.map(({ address, port }) => `${address} ${port}`)).size).toBe(result.length);
        if (result.some(({ disabled }) => !disabled)) {
          expect(result.some(({ disabled, weight }) => !disabled && weight > 0)).toBe(true);
        }
      }),
    );
  });
});
