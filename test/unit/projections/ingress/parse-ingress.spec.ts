import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { parseIngress } from '../../../../src/projections/ingress/parse-ingress.ts';
import { ingress, serviceBackend } from '../../../fixtures/kube-objects.ts';
import { collectFaults } from '../collect-faults.ts';

function parse(object: KubeObject) {
  const { report, faults, lines } = collectFaults();
  const claims = parseIngress(object, report);
  const short = claims.map(({ group, match, path, ref }) =>
    [group, match, path, ref === undefined ? '503' : `${ref.service}:${ref.port}`].join(' '),
  );
  return { claims, short, lines: lines(), faults };
}

const withSpec = (spec: unknown): KubeObject => ({ ...ingress(), spec });

describe('parseIngress', () => {
  it('makes one claim of each path, in the order written', () => {
    const { short, lines } = parse(
      ingress({
        rules: [
          {
            host: 'a.example.com',
            paths: ['/', { path: '/x', pathType: 'Exact', service: 'x', port: 'http' }],
          },
          { host: '*.example.com', paths: [{ path: '/y/', port: 8080 }] },
          { paths: [{ pathType: 'ImplementationSpecific' }] },
        ],
      }),
    );
    expect(lines).toEqual([]);
    expect(short).toEqual([
      'a.example.com prefix  echo:80',
      'a.example.com exact /x x:http',
      '*.example.com prefix /y echo:8080',
      '* prefix  echo:80',
    ]);
  });

  it('tells where each claim stands and how old it is', () => {
    const { claims } = parse(
      ingress({ created: '2026-02-03T04:05:06Z', rules: [{ paths: ['/a'] }, { paths: ['/b', '/c'] }] }),
    );
    expect(claims.map(({ field, position }) => `${position} ${field}`)).toEqual([
      '0 spec.rules[0].http.paths[0]',
      '1 spec.rules[1].http.paths[0]',
      '2 spec.rules[1].http.paths[1]',
    ]);
    expect(claims[2]?.backendField).toBe('spec.rules[1].http.paths[1].backend');
    expect(claims[0]?.created).toBe(Date.UTC(2026, 1, 3, 4, 5, 6));
    expect(claims[0]?.owner).toEqual({ kind: 'Ingress', namespace: 'shop', name: 'echo' });
  });

  it('makes a default backend without rules the default of every host', () => {
    expect(parse(ingress({ defaultBackend: serviceBackend('all') })).short).toEqual(['* default  all:80']);
  });

  it('makes a default backend with rules the default of its own hosts, each once', () => {
    const { short } = parse(
      ingress({
        defaultBackend: serviceBackend('rest'),
        rules: [
          { host: 'a.example.com', paths: ['/x'] },
          { host: 'A.example.com', paths: ['/y'] },
          { host: '*.example.com' },
        ],
      }),
    );
    expect(short.filter((claim) => claim.includes('default'))).toEqual([
      'a.example.com default  rest:80',
      '*.example.com default  rest:80',
    ]);
  });

  it('does not widen a default backend to every host because its rules are malformed', () => {
    const defaultBackend = serviceBackend('rest');
    expect(parse(ingress({ defaultBackend, rules: [{ host: 'not a host', paths: ['/'] }] }))).toMatchObject({
      short: [],
      lines: ['InvalidHost spec.rules[0].host'],
    });
    expect(parse(withSpec({ rules: 'all', defaultBackend }))).toMatchObject({
      short: [],
      lines: ['InvalidField spec.rules'],
    });
  });

  it('leaves out the rule with a hostile host and keeps the others', () => {
    const { short, lines, faults } = parse(
      ingress({
        rules: [
          { host: 'good.example.com', paths: ['/'] },
          { host: 'evil.example.com\n  use_backend x', paths: ['/'] },
          { host: 'fine.example.com', paths: ['/'] },
        ],
      }),
    );
    expect(short).toEqual(['good.example.com prefix  echo:80', 'fine.example.com prefix  echo:80']);
    expect(lines).toEqual(['InvalidHost spec.rules[1].host']);
    expect(faults[0]?.message).not.toContain('\n');
  });

  it('leaves out the path with hostile text and keeps the others', () => {
    const { short, lines } = parse(
      ingress({ rules: [{ paths: ['/a', '/b c', { path: '/d', pathType: 'Regex' }, { path: 7 }, '/e'] }] }),
    );
    expect(short).toEqual(['* prefix /a echo:80', '* prefix /e echo:80']);
    expect(lines).toEqual([
      'InvalidPath spec.rules[0].http.paths[1].path',
      'InvalidPathType spec.rules[0].http.paths[2].pathType',
      'InvalidPath spec.rules[0].http.paths[3].path',
    ]);
  });

  it('answers 503 for a path whose backend is malformed rather than letting a wider path serve it', () => {
    const { short, lines } = parse(
      ingress({
        rules: [{ paths: ['/', { path: '/admin', backend: { resource: { kind: 'Bucket', name: 'b' } } }] }],
      }),
    );
    expect(short).toEqual(['* prefix  echo:80', '* prefix /admin 503']);
    expect(lines).toEqual(['ResourceBackendUnsupported spec.rules[0].http.paths[1].backend.resource']);
  });

  it('says that a path is not taken for a regular expression', () => {
    const { short, faults } = parse(
      ingress({ rules: [{ paths: [{ path: '/v[0-9]+', pathType: 'ImplementationSpecific' }] }] }),
    );
    expect(short).toEqual(['* prefix /v[0-9]+ echo:80']);
    expect(faults).toEqual([
      expect.objectContaining({
        reason: 'PathNotRegex',
        severity: 'warning',
        field: 'spec.rules[0].http.paths[0].path',
      }),
    ]);
  });

  it('warns when nothing is served at all', () => {
    expect(parse(ingress()).lines).toEqual(['NothingToServe spec.rules']);
    expect(parse(ingress({ rules: [{ host: 'a.example.com' }] })).lines).toEqual([
      'NothingToServe spec.rules[0].http',
    ]);
    expect(parse(ingress({ rules: [{ paths: [] }] })).lines).toEqual([
      'NothingToServe spec.rules[0].http.paths',
    ]);
  });

  it.each([
    [undefined, 'InvalidField spec'],
    [null, 'InvalidField spec'],
    ['text', 'InvalidField spec'],
    [[], 'InvalidField spec'],
    [{ rules: {} }, 'InvalidField spec.rules'],
    [{ rules: 1 }, 'InvalidField spec.rules'],
    [{ rules: [null] }, 'InvalidField spec.rules[0]'],
    [{ rules: ['a'] }, 'InvalidField spec.rules[0]'],
    [{ rules: [{ host: 5 }] }, 'InvalidHost spec.rules[0].host'],
    [{ rules: [{ http: [] }] }, 'InvalidField spec.rules[0].http'],
    [{ rules: [{ http: { paths: {} } }] }, 'InvalidField spec.rules[0].http.paths'],
    [{ rules: [{ http: { paths: [null] } }] }, 'InvalidField spec.rules[0].http.paths[0]'],
    [
      { rules: [{ http: { paths: [{ path: '/' }] } }] },
      'InvalidPathType spec.rules[0].http.paths[0].pathType',
    ],
    [
      { rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix' }] } }] },
      'InvalidBackend spec.rules[0].http.paths[0].backend',
    ],
    [{ defaultBackend: 'echo' }, 'InvalidBackend spec.defaultBackend'],
  ])('reports the malformed spec %j as %s', (spec, line) => {
    expect(parse(withSpec(spec)).lines).toEqual([line]);
  });

  it('survives nesting of 10,000 levels where a string is expected', () => {
    let deep: unknown = 'end';
    for (let i = 0; i < 10_000; i++) deep = { deep };
    const rules = [
      { host: deep, http: deep },
      { http: { paths: [{ path: deep, pathType: 'Prefix', backend: deep }, deep] } },
      { http: { paths: [{ path: '/', pathType: deep, backend: deep }] } },
      {
        http: { paths: [{ path: '/', pathType: 'Exact', backend: { service: { name: deep, port: deep } } }] },
      },
    ];
    const { lines, faults } = parse(withSpec({ rules, defaultBackend: deep }));
    expect(lines).toContain('InvalidHost spec.rules[0].host');
    expect(lines).toContain('InvalidPath spec.rules[1].http.paths[0].path');
    expect(lines).toContain('InvalidBackend spec.defaultBackend.service');
    expect(Math.max(...faults.map(({ message }) => message.length))).toBeLessThan(200);
  });

  it('refuses an object without a proper namespace: its name would be part of a proxy name', () => {
    const object = ingress({ namespace: 'a b', rules: [{ paths: ['/'] }] });
    expect(parse(object)).toMatchObject({ short: [], lines: ['InvalidField metadata.namespace'] });
  });
});
