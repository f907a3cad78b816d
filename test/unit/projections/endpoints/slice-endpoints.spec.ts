import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { sliceEndpoints } from '../../../../src/projections/endpoints/slice-endpoints.ts';
import type { SlicePort } from '../../../../src/projections/endpoints/service-port.ts';
import { endpointSlice } from '../../../fixtures/kube-objects.ts';
import { collectFaults } from '../collect-faults.ts';

function read(slice: KubeObject, name = '', port: Partial<SlicePort> = {}) {
  const { report, lines, faults } = collectFaults();
  const short = sliceEndpoints(slice, { name, others: [], ...port }, report).map(
    ({ address, port, state, name }) => `${name} ${address} ${port} ${state}`,
  );
  return { short, lines: lines(), faults };
}

describe('sliceEndpoints', () => {
  it('reads address, port, state and the name of the pod', () => {
    const slice = endpointSlice({
      endpoints: [
        { address: '10.0.0.1', pod: 'web-1' },
        { address: '10.0.0.2', pod: 'web-2', ready: false },
        { address: '10.0.0.3', pod: 'web-3', ready: false, serving: true, terminating: true },
        { address: '10.0.0.4', pod: 'web-4', ready: false, serving: false, terminating: true },
      ],
    });
    expect(read(slice)).toMatchObject({
      short: ['web-1 10.0.0.1 8080 ready', 'web-2 10.0.0.2 8080 waiting', 'web-3 10.0.0.3 8080 draining'],
      lines: [],
    });
  });

  it('reads for which zones an endpoint is meant', () => {
    const zonesOf = (hints: unknown) => {
      const { report, lines } = collectFaults();
      const [endpoint] = sliceEndpoints(
        endpointSlice({ endpoints: [{ address: '10.0.0.1', hints }] }),
        { name: '', others: [] },
        report,
      );
      return [endpoint?.zones, lines()];
    };
    expect(zonesOf({ forZones: [{ name: 'z1' }, { name: 'z2' }] })).toEqual([['z1', 'z2'], []]);
    expect(zonesOf(undefined)).toEqual([[], []]);
    expect(zonesOf(null)).toEqual([[], []]);
    expect(zonesOf({ forNodes: [{ name: 'n1' }] })).toEqual([[], []]);
    expect(zonesOf({ forZones: [null, 'z1', { name: 7 }] })).toEqual([[], []]);
    expect(zonesOf({ forZones: 'z1' })).toEqual([[], ['InvalidField endpoints[0].hints.forZones']]);
    expect(zonesOf('z1')).toEqual([[], ['InvalidField endpoints[0].hints']]);
  });

  it('picks the port by the name of the Service port', () => {
    const slice = endpointSlice({
      ports: [
        { name: 'http', port: 8080 },
        { name: 'metrics', port: 9090 },
      ],
      endpoints: [{ address: '10.0.0.1', pod: 'web' }],
    });
    expect(read(slice, 'metrics').short).toEqual(['web 10.0.0.1 9090 ready']);
    expect(read(slice, 'http').short).toEqual(['web 10.0.0.1 8080 ready']);
  });

  describe('of a Service port that has got another name', () => {
    const kept = (ports: unknown, by = 'endpointslice-controller.k8s.io') => {
      const slice = endpointSlice({ endpoints: [{ address: '10.0.0.1', pod: 'web' }] });
      const labels = { 'endpointslice.kubernetes.io/managed-by': by };
      return { ...slice, metadata: { ...slice.metadata, labels }, ports };
    };
    const http = { name: 'http', port: 8080 };
    const metrics = { name: 'metrics', port: 9090 };

    it.each<[string, unknown[], Partial<SlicePort>, number]>([
      ['the only one', [http], {}, 8080],
      ['the only one, which had no name', [{ port: 8080 }], {}, 8080],
      ['the one of its number', [http, metrics], { others: ['metrics'], number: 8080 }, 8080],
      ['the one of its number, of several names', [http, metrics], { others: ['other'], number: 9090 }, 9090],
      ['no UDP', [{ ...metrics, protocol: 'UDP' }, http], {}, 8080],
    ])('takes %s', (_, ports, port, number) => {
      expect(read(kept(ports), 'web', port)).toMatchObject({
        short: [`web 10.0.0.1 ${number} ready`],
        lines: [],
      });
    });

    it.each<[string, unknown[], Partial<SlicePort>]>([
      ['another number', [http], { number: 9000 }],
      ['one that is another port’s', [http], { others: ['http'], number: 8080 }],
      ['one of several', [http, metrics], {}],
      ['one whose number only pods say, beside others', [http, metrics], { others: ['metrics'] }],
      ['no number', [{ name: 'http', port: null }], {}],
    ])('does not take %s', (_, ports, port) => {
      expect(read(kept(ports), 'web', port)).toMatchObject({
        short: [],
        lines: ['EndpointPortMissing ports'],
      });
    });

    it('takes names as they are in slices that somebody else writes', () => {
      expect(read(kept([http], 'me'), 'web').short).toEqual([]);
    });
  });

  it('takes a port without a name for the unnamed one', () => {
    const slice = { ...endpointSlice({ endpoints: ['10.0.0.1'] }), ports: [{ port: 81 }] };
    expect(read(slice).short).toEqual(['pod-10-0-0-1 10.0.0.1 81 ready']);
  });

  it('names a server after its address where there is no pod', () => {
    const v4 = endpointSlice({ endpoints: [{ address: '10.0.0.1', pod: null }] });
    const v6 = endpointSlice({ addressType: 'IPv6', endpoints: [{ address: 'fd00::1', pod: null }] });
    expect(read(v4).short).toEqual(['10.0.0.1 10.0.0.1 8080 ready']);
    expect(read(v6).short).toEqual(['fd00--1 fd00::1 8080 ready']);
  });

  it.each(['a b', 'web_1', 'web\nserver x', 'x'.repeat(300), '${HOME}', 5, null])(
    'does not name a server %j, whatever the targetRef says',
    (name) => {
      const slice = endpointSlice();
      const endpoints = [{ addresses: ['10.0.0.1'], targetRef: { kind: 'Pod', name } }];
      expect(read({ ...slice, endpoints }).short).toEqual(['10.0.0.1 10.0.0.1 8080 ready']);
    },
  );

  it('counts the first address of an endpoint only', () => {
    const slice = endpointSlice({ endpoints: [{ addresses: ['10.0.0.1', '10.0.0.2'], pod: 'web' }] });
    expect(read(slice).short).toEqual(['web 10.0.0.1 8080 ready']);
  });

  it('says so when a slice with endpoints lacks the port, and not when it is empty', () => {
    for (const ports of [null, [], [{ name: 'other', port: 1 }], [{ port: null }], [{ protocol: 'UDP' }]]) {
      const { short, faults } = read(endpointSlice({ ports, endpoints: ['10.0.0.1'] }));
      expect(short).toEqual([]);
      expect(faults).toEqual([
        expect.objectContaining({ reason: 'EndpointPortMissing', field: 'ports', severity: 'warning' }),
      ]);
      expect(read(endpointSlice({ ports, endpoints: [] })).lines).toEqual([]);
    }
  });

  it.each([0, -1, 65_536, 80.5, '8080', {}, true])('reports the impossible port %j', (port) => {
    const slice = endpointSlice({ ports: [{ name: 'x', port: 1 }, { port }], endpoints: ['10.0.0.1'] });
    expect(read(slice)).toMatchObject({ short: [], lines: ['InvalidPort ports[1].port'] });
  });

  it('reports an address type that has no addresses', () => {
    const slice = endpointSlice({ addressType: 'FQDN', endpoints: [{ address: 'pod.example.com' }] });
    expect(read(slice)).toMatchObject({ short: [], lines: ['AddressTypeUnsupported addressType'] });
  });

  it('leaves out malformed endpoints one by one', () => {
    const good = { addresses: ['10.0.0.9'], targetRef: { kind: 'Pod', name: 'good' } };
    const endpoints = [
      null,
      'text',
      {},
      { addresses: [] },
      { addresses: '10.0.0.1' },
      { addresses: ['not-an-address'] },
      { addresses: ['10.0.0.1'], conditions: { ready: 'yes' } },
      good,
    ];
    expect(read({ ...endpointSlice(), endpoints })).toMatchObject({
      short: ['10.0.0.1 10.0.0.1 8080 ready', 'good 10.0.0.9 8080 ready'],
      lines: [
        'InvalidField endpoints[0]',
        'InvalidField endpoints[1]',
        'InvalidAddress endpoints[2].addresses[0]',
        'InvalidAddress endpoints[3].addresses[0]',
        'InvalidAddress endpoints[5].addresses[0]',
        'InvalidField endpoints[6].conditions',
      ],
    });
  });

  it.each([
    [{ endpoints: 'many' }, 'InvalidField endpoints'],
    [{ endpoints: [{ addresses: ['10.0.0.1'] }], ports: 80 }, 'InvalidField ports'],
  ])('reports the malformed slice %j', (fields, line) => {
    expect(read({ ...endpointSlice(), ...fields }).lines).toEqual([line]);
  });
});
