import { describe, expect, it } from 'vitest';
import { backendKey } from '../../../../src/projections/backend-key.ts';
import { parseBackend } from '../../../../src/projections/ingress/parse-backend.ts';
import { serviceBackend } from '../../../fixtures/kube-objects.ts';
import { collectFaults } from '../collect-faults.ts';

function parse(backend: unknown) {
  const { report, lines } = collectFaults();
  const ref = parseBackend(backend, 'shop', 'b', report);
  return { ref, faults: lines() };
}

describe('parseBackend', () => {
  it('reads a Service port by number or by name', () => {
    expect(parse(serviceBackend('echo', 80))).toEqual({
      ref: { namespace: 'shop', service: 'echo', port: 80 },
      faults: [],
    });
    expect(parse(serviceBackend('echo', 'http'))).toEqual({
      ref: { namespace: 'shop', service: 'echo', port: 'http' },
      faults: [],
    });
  });

  it('takes number 0 and an empty name for unset, as the API leaves them out', () => {
    expect(parse(serviceBackend('echo', { raw: { name: 'http', number: 0 } })).ref?.port).toBe('http');
    expect(parse(serviceBackend('echo', { raw: { name: '', number: 80 } })).ref?.port).toBe(80);
  });

  it('reports a resource backend by its own reason', () => {
    const resource = { apiGroup: 'k8s.example.com', kind: 'StorageBucket', name: 'static' };
    expect(parse({ resource }).faults).toEqual(['ResourceBackendUnsupported b.resource']);
    expect(parse({ resource, ...(serviceBackend() as object) }).ref).toBeUndefined();
  });

  it.each([
    [undefined, 'b'],
    [null, 'b'],
    ['echo', 'b'],
    [[], 'b'],
    [{}, 'b.service'],
    [{ service: 'echo' }, 'b.service'],
    [{ service: {} }, 'b.service.name'],
    [serviceBackend(1), 'b.service.name'],
    [serviceBackend('a_b'), 'b.service.name'],
    [serviceBackend('a b'), 'b.service.name'],
    [serviceBackend('a\nserver evil 1.2.3.4'), 'b.service.name'],
    [serviceBackend('A'), 'b.service.name'],
    [serviceBackend('x'.repeat(4096)), 'b.service.name'],
    [{ service: { name: 'echo' } }, 'b.service.port'],
    [serviceBackend('echo', { raw: 80 }), 'b.service.port'],
    [serviceBackend('echo', { raw: {} }), 'b.service.port'],
    [serviceBackend('echo', { raw: { name: 'http', number: 80 } }), 'b.service.port'],
    [serviceBackend('echo', { raw: { number: '80' } }), 'b.service.port.number'],
    [serviceBackend('echo', { raw: { number: 65_536 } }), 'b.service.port.number'],
    [serviceBackend('echo', { raw: { number: -1 } }), 'b.service.port.number'],
    [serviceBackend('echo', { raw: { number: 1.5 } }), 'b.service.port.number'],
    [serviceBackend('echo', { raw: { name: '80' } }), 'b.service.port.name'],
    [serviceBackend('echo', { raw: { name: 'a_b' } }), 'b.service.port.name'],
    [serviceBackend('echo', { raw: { name: 'a;b' } }), 'b.service.port.name'],
    [serviceBackend('echo', { raw: { name: {} } }), 'b.service.port.name'],
  ])('refuses %j at %s', (backend, field) => {
    expect(parse(backend)).toEqual({ ref: undefined, faults: [`InvalidBackend ${field}`] });
  });
});

describe('backendKey', () => {
  it('keeps apart what dashes alone would not', () => {
    const keys = [
      backendKey({ namespace: 'a-b', service: 'c', port: 80 }),
      backendKey({ namespace: 'a', service: 'b-c', port: 80 }),
      backendKey({ namespace: 'a', service: 'b', port: 'c-80' }),
    ];
    expect(keys).toEqual(['a-b_c_80', 'a_b-c_80', 'a_b_c-80']);
  });
});
