import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { servicePort } from '../../../../src/projections/endpoints/service-port.ts';
import { service } from '../../../fixtures/kube-objects.ts';
import { collectFaults } from '../collect-faults.ts';

function find(port: string | number, object: KubeObject | undefined) {
  const { report, lines } = collectFaults();
  const found = servicePort({ namespace: 'shop', service: 'echo', port }, object, report);
  return { found, lines: lines() };
}

const two = service({
  ports: [
    { name: 'http', port: 80, targetPort: 'web' },
    { name: 'metrics', port: 9090 },
  ],
});

describe('servicePort', () => {
  it('finds a port by number or by name, and gives the name that slices use', () => {
    expect(find(80, two).found).toEqual({ kind: 'found', portName: 'http', family: 'IPv4' });
    expect(find('metrics', two).found).toEqual({ kind: 'found', portName: 'metrics', family: 'IPv4' });
    expect(find(80, service()).found).toEqual({ kind: 'found', portName: '', family: 'IPv4' });
  });

  it('never takes the number of the pods for that of the Service', () => {
    const mapped = service({ ports: [{ port: 80, targetPort: 8080 }] });
    expect(find(8080, mapped).found).toEqual({ kind: 'no-port' });
  });

  it('never takes a UDP port for the TCP port of the same number', () => {
    const dns = service({
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53 },
      ],
    });
    expect(find(53, dns).found).toMatchObject({ portName: 'dns-tcp' });
    expect(find('dns', dns).found).toEqual({ kind: 'no-port' });
  });

  it('prefers the first family of the Service', () => {
    expect(find(80, service({ ipFamilies: ['IPv6', 'IPv4'] })).found).toMatchObject({ family: 'IPv6' });
    expect(find(80, service({ ipFamilies: ['IPv4', 'IPv6'] })).found).toMatchObject({ family: 'IPv4' });
  });

  it('tells apart what is missing', () => {
    expect(find(80, undefined).found).toEqual({ kind: 'no-service' });
    expect(find(81, two).found).toEqual({ kind: 'no-port' });
    expect(find('web', two).found).toEqual({ kind: 'no-port' });
  });

  it('does not look at the ports of an ExternalName Service: slices left from before would be used', () => {
    const external = service({ type: 'ExternalName', externalName: 'example.com' });
    expect(find(80, external)).toEqual({ found: { kind: 'external-name' }, lines: [] });
  });

  it.each([
    [{ ...service(), spec: null }, 'InvalidField spec'],
    [{ ...service(), spec: { ports: 80 } }, 'InvalidField spec.ports'],
  ])('reports a malformed Service and treats the port as missing', (object, line) => {
    expect(find(80, object)).toEqual({ found: { kind: 'no-port' }, lines: [line] });
  });

  it('skips malformed ports without losing the others', () => {
    const object = { ...service(), spec: { ports: [null, 80, { port: '80' }, { port: 80, name: 5 }] } };
    expect(find(80, object).found).toEqual({ kind: 'found', portName: '', family: 'IPv4' });
  });
});
