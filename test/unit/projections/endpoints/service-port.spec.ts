import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { addressRules } from '../../../../src/projections/endpoints/address-rules.ts';
import type { ExternalNames } from '../../../../src/projections/endpoints/external-names.ts';
import { servicePort } from '../../../../src/projections/endpoints/service-port.ts';
import { service, type ServiceOptions } from '../../../fixtures/kube-objects.ts';
import { collectFaults } from '../collect-faults.ts';

const names: ExternalNames = {
  enabled: true,
  allowedNames: [],
  clusterDomain: 'cluster.local',
  rules: addressRules([]),
};

function find(port: string | number, object: KubeObject | undefined) {
  const { report, lines } = collectFaults();
  const found = servicePort({ port }, object, names, report);
  return { found, lines: lines() };
}

const unnamed = { port: { name: '', others: [], number: 80 }, family: 'IPv4' };

const two = service({
  ports: [
    { name: 'http', port: 80, targetPort: 'web' },
    { name: 'metrics', port: 9090 },
  ],
});

describe('servicePort', () => {
  it('finds a port by number or by name, and gives the name that slices use', () => {
    expect(find(80, two).found).toEqual({
      kind: 'found',
      port: { name: 'http', others: ['metrics'] },
      family: 'IPv4',
    });
    expect(find('metrics', two).found).toEqual({
      kind: 'found',
      port: { name: 'metrics', others: ['http'], number: 9090 },
      family: 'IPv4',
    });
    expect(find(80, service()).found).toEqual({ kind: 'found', ...unnamed });
  });

  it('never takes the number of the pods for that of the Service', () => {
    const mapped = service({ ports: [{ port: 80, targetPort: 8080 }] });
    expect(find(8080, mapped).found).toEqual({ kind: 'no-port', there: ['80'] });
  });

  it('never takes a UDP port for the TCP port of the same number', () => {
    const dns = service({
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53 },
      ],
    });
    expect(find(53, dns).found).toMatchObject({ port: { name: 'dns-tcp', others: [] } });
    expect(find('dns', dns).found).toEqual({ kind: 'no-port', there: ['53 (dns-tcp)'] });
  });

  it('prefers the first family of the Service', () => {
    expect(find(80, service({ ipFamilies: ['IPv6', 'IPv4'] })).found).toMatchObject({ family: 'IPv6' });
    expect(find(80, service({ ipFamilies: ['IPv4', 'IPv6'] })).found).toMatchObject({ family: 'IPv4' });
  });

  it('tells apart what is missing', () => {
    expect(find(80, undefined).found).toEqual({ kind: 'no-service' });
    expect(find(81, two).found).toEqual({ kind: 'no-port', there: ['80 (http)', '9090 (metrics)'] });
    expect(find('web', two).found).toMatchObject({ kind: 'no-port' });
    const many = Array.from({ length: 100 }, (_, i) => ({ name: `p${i}`, port: i + 1 }));
    expect(find('web', service({ ports: many })).found).toMatchObject({ there: { length: 8 } });
    expect(find('web', service({ ports: [{ name: '\n'.repeat(9), port: 80 }] })).found).toMatchObject({
      there: ['80'],
    });
  });

  describe('of an ExternalName Service', () => {
    const external = (ports: ServiceOptions['ports'] & object) =>
      service({ type: 'ExternalName', externalName: 'api.example.com', ports });
    const host = { host: { name: 'api.example.com', isTrusted: false } };

    it('JM#33: needs no port, and no endpoints: the number that a route names is the port there', () => {
      const { spec, ...rest } = external([]);
      expect(find(443, { ...rest, spec }).found).toEqual({ kind: 'external', target: host, port: 443 });
      const { ports: _, ...without } = spec as Record<string, unknown>;
      expect(find(443, { ...rest, spec: without }).found).toMatchObject({ kind: 'external', port: 443 });
    });

    it.each([
      [80, { port: 80 }, 80],
      ['web', { name: 'web', port: 80 }, 80],
      ['web', { name: 'web', port: 80, targetPort: 8443 }, 8443],
      ['web', { name: 'web', port: 80, targetPort: 'of-pods' }, 80],
    ])('leads port %j of %o to %i', (ref, port, number) => {
      expect(find(ref, external([port])).found).toEqual({ kind: 'external', target: host, port: number });
    });

    it('does not make up a port that is not listed', () => {
      expect(find(81, external([{ port: 80 }])).found).toEqual({ kind: 'no-port', there: ['80'] });
      expect(find('web', external([])).found).toEqual({ kind: 'no-port', there: [] });
    });

    it('says why a name is refused', () => {
      const local = service({ type: 'ExternalName', externalName: 'localhost' });
      expect(find(80, local).found).toMatchObject({
        kind: 'refused-name',
        fault: expect.stringContaining('localhost is HAProxy itself') as string,
      });
    });
  });

  it.each([
    ['kubernetes.io/h2c', { protocol: 'h2' }],
    ['grpc', { protocol: 'h2' }],
    ['https', { tls: { verify: 'none' } }],
    ['HTTPS', { tls: { verify: 'none' } }],
    ['kubernetes.io/wss', { tls: { verify: 'none' } }],
    ['kubernetes.io/ws', {}],
    ['http', {}],
    ['', {}],
  ])('takes the appProtocol %j for %o', (appProtocol, protocol) => {
    const { found, lines } = find(80, service({ ports: [{ appProtocol }] }));
    expect(found).toEqual({ kind: 'found', ...unnamed, ...protocol });
    expect(lines).toEqual([]);
  });

  it.each(['redis', 'example.com/custom', 7])(
    'warns of the appProtocol %j, and speaks HTTP/1.1',
    (appProtocol) => {
      const object = service({ ports: [{ name: 'other', port: 81 }, { appProtocol }] });
      const { found, lines } = find(80, object);
      expect(found).toMatchObject({ kind: 'found', port: { name: '', others: ['other'] } });
      expect(lines).toEqual(['AppProtocolUnknown spec.ports[1].appProtocol']);
    },
  );

  it.each([
    [{ ...service(), spec: null }, 'InvalidField spec'],
    [{ ...service(), spec: { ports: 80 } }, 'InvalidField spec.ports'],
  ])('reports a malformed Service and treats the port as missing', (object, line) => {
    expect(find(80, object)).toMatchObject({ found: { kind: 'no-port' }, lines: [line] });
  });

  it('skips malformed ports without losing the others', () => {
    const object = { ...service(), spec: { ports: [null, 80, { port: '80' }, { port: 80, name: 5 }] } };
    expect(find(80, object).found).toMatchObject({ kind: 'found', port: { name: '', others: [''] } });
  });
});
