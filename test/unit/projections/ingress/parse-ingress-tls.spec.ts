import { describe, expect, it } from 'vitest';
import { parseIngressTls } from '../../../../src/projections/ingress/parse-ingress-tls.ts';
import type { Fault } from '../../../../src/projections/fault.ts';
import { ingress } from '../../../fixtures/kube-objects.ts';

const rules = (count: number) => Array.from({ length: count }, (_, i) => ({ host: `h${i}.example.com` }));

function parse(tls: readonly unknown[], hosts: number) {
  const made = ingress({ name: 'web' });
  const faults: Fault[] = [];
  const object = { ...made, spec: { rules: rules(hosts), tls } };
  return { uses: parseIngressTls(object, undefined, (fault) => faults.push(fault)), faults };
}

describe('spec.tls that is made to be much work', () => {
  it('names all hosts of the rules a few times at most', () => {
    const { uses, faults } = parse(Array(10_000).fill({ secretName: 'web-tls' }), 5_000);
    expect(uses).toHaveLength(8);
    expect(new Set(uses.map(({ hosts }) => hosts)).size).toBe(1);
    expect(faults).toHaveLength(10_000 - 8);
    expect(faults[0]).toMatchObject({ reason: 'InvalidField', field: 'spec.tls[8].hosts' });
  });

  it('names each host a few times at most', () => {
    const entry = { hosts: ['*.example.com', 'h1.example.com', '*.example.com'], secretName: 'web-tls' };
    const { uses, faults } = parse(Array(10_000).fill(entry), 5_000);
    expect(uses.map(({ hosts }) => hosts.length).filter((count) => count > 0)).toEqual(Array(8).fill(2));
    expect(faults).toHaveLength((10_000 - 8) * 3);
    expect(faults[0]).toMatchObject({ reason: 'InvalidHost', field: 'spec.tls[8].hosts[0]' });
  });

  it('looks for the hosts below each wildcard there alone', () => {
    const wildcards = Array.from({ length: 20_000 }, (_, i) => `*.h${i}.example.com`);
    const { uses } = parse([{ hosts: [...wildcards, '*.example.com'], secretName: 'web-tls' }], 20_000);
    expect(uses[0]?.hosts.filter(({ covers }) => covers !== undefined).map(({ host }) => host)).toEqual([
      '*.example.com',
    ]);
  });
});
