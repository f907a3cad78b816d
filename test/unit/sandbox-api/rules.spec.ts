import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../../src/sandbox/api/api-object.ts';
import type { Cause } from '../../../src/sandbox/api/api-status.ts';
import { checkSchema } from '../../../src/sandbox/api/check-schema.ts';
import { builtinSchema } from '../../../src/sandbox/api/builtin/builtin-schemas.ts';
import { duplicateFields } from '../../../src/sandbox/api/duplicate-fields.ts';
import { validateConfigMap, validateSecret } from '../../../src/sandbox/api/rules/data-rules.ts';
import { validateIngress, validateIngressClass } from '../../../src/sandbox/api/rules/ingress-rules.ts';
import { validateEndpointSlice, validateService } from '../../../src/sandbox/api/rules/service-validation.ts';
import { validateWorkload } from '../../../src/sandbox/api/rules/workload-rules.ts';
import { validateMetadata } from '../../../src/sandbox/api/validate-metadata.ts';

const object = (kind: string, fields: object): ApiObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'x' },
  ...fields,
});
const texts = (causes: readonly Cause[]) => causes.map((cause) => `${cause.field}: ${cause.message}`);
const fields = (causes: readonly Cause[]) => causes.map((cause) => cause.field);

describe('Ingress rules', () => {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const withHost = (host: string) =>
    object('Ingress', {
      spec: { rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] },
    });
  const withPath = (path: unknown, pathType: unknown, target: unknown = backend) =>
    object('Ingress', { spec: { rules: [{ http: { paths: [{ path, pathType, backend: target }] } }] } });

  it.each(['a.example.com', 'localhost', '*.example.com', 'xn--bcher-kva.example', '1.2.3.x'])(
    'takes the host %s',
    (host) => {
      expect(validateIngress(withHost(host))).toEqual([]);
    },
  );

  it.each([
    'A.example.com',
    'a_b.example.com',
    'a.example.com.',
    '*.*.com',
    'a.*.com',
    '*',
    '*.',
    '127.0.0.1',
    '::1',
    'a b',
    'a"b',
    'a;b',
    'a#b',
    '%[src]',
    'a\nb',
    'a..b',
    '-a.com',
    `${'a'.repeat(64)}.${'b'.repeat(250)}`,
  ])('refuses the host %j', (host) => {
    expect(fields(validateIngress(withHost(host)))).toEqual(['spec.rules[0].host']);
  });

  it.each([
    ['/', 'Exact'],
    ['/a/b', 'Prefix'],
    ['/a b"#;%[x]', 'Prefix'],
    ['', 'ImplementationSpecific'],
    ['/[a-z]+//x', 'ImplementationSpecific'],
  ])('takes the path %j of type %s', (path, type) => {
    expect(validateIngress(withPath(path, type))).toEqual([]);
  });

  it.each([
    ['', 'Exact'],
    ['a', 'Prefix'],
    ['a', 'ImplementationSpecific'],
    ['/a//b', 'Prefix'],
    ['/a/../b', 'Exact'],
    ['/a/./b', 'Exact'],
    ['/a%2fb', 'Exact'],
    ['/a/..', 'Prefix'],
    ['/a/.', 'Prefix'],
  ])('refuses the path %j of type %s', (path, type) => {
    const found = fields(validateIngress(withPath(path, type)));
    expect(new Set(found)).toEqual(new Set(['spec.rules[0].http.paths[0].path']));
  });

  it('requires a path type it knows', () => {
    const at = 'spec.rules[0].http.paths[0].pathType';
    expect(texts(validateIngress(withPath('/', undefined)))).toEqual([
      `${at}: Required value: pathType must be specified`,
    ]);
    expect(texts(validateIngress(withPath('/', 'Regex')))).toEqual([
      `${at}: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"`,
    ]);
  });

  it.each([
    [{}, ''],
    [{ service: { name: '', port: { number: 80 } } }, '.service.name'],
    [{ service: { name: 'Web', port: { number: 80 } } }, '.service.name'],
    [{ service: { name: 'web', port: {} } }, '.service.port'],
    [{ service: { name: 'web', port: { number: 65536 } } }, '.service.port.number'],
    [{ service: { name: 'web', port: { number: 80, name: 'http' } } }, '.service.port'],
    [{ service: { name: 'web', port: { name: 'Not_a_port' } } }, '.service.port.name'],
    [{ ...backend, resource: { kind: 'Bucket', name: 'b' } }, ''],
  ])('refuses the backend %j', (target, field) => {
    expect(fields(validateIngress(withPath('/', 'Prefix', target)))).toEqual([
      `spec.rules[0].http.paths[0].backend${field}`,
    ]);
  });

  it('requires rules or a default backend, and checks both as well as TLS', () => {
    expect(fields(validateIngress(object('Ingress', { spec: {} })))).toEqual(['spec']);
    expect(validateIngress(object('Ingress', { spec: { defaultBackend: backend } }))).toEqual([]);
    const spec = {
      defaultBackend: {},
      tls: [{ hosts: ['a', 'B'], secretName: 'No!' }],
      ingressClassName: 'A B',
    };
    expect(fields(validateIngress(object('Ingress', { spec })))).toEqual([
      'spec.defaultBackend',
      'spec.tls[0].hosts[1]',
      'spec.tls[0].secretName',
      'spec.ingressClassName',
    ]);
  });

  it('reports, and never throws, whatever the specification is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (spec) => {
        expect(Array.isArray(validateIngress(object('Ingress', { spec })))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the controller of a class', () => {
    const cls = (controller: string) => object('IngressClass', { spec: { controller } });
    expect(validateIngressClass(cls('haproxy-haptic.org/controller'), undefined)).toEqual([]);
    expect(fields(validateIngressClass(cls('controller'), undefined))).toEqual(['spec.controller']);
    expect(texts(validateIngressClass(cls('b.io/x'), cls('a.io/x')))[0]).toContain('field is immutable');
  });
});

describe('Service rules', () => {
  const service = (spec: object) => object('Service', { spec: { type: 'ClusterIP', ...spec } });

  it('takes one nameless port, several named ones, a headless Service without any, and an external name', () => {
    expect(
      validateService(service({ ports: [{ port: 80, protocol: 'TCP', targetPort: 'http' }] }), undefined),
    ).toEqual([]);
    expect(
      validateService(
        service({
          ports: [
            { name: 'a', port: 80 },
            { name: 'b', port: 81 },
          ],
        }),
        undefined,
      ),
    ).toEqual([]);
    expect(validateService(service({ clusterIP: 'None' }), undefined)).toEqual([]);
    expect(
      validateService(service({ type: 'ExternalName', externalName: 'a.example.com.' }), undefined),
    ).toEqual([]);
  });

  it('names each wrong port', () => {
    const ports = [
      { port: 0 },
      { name: 'a', port: 80, targetPort: 70000 },
      { name: 'a', port: 80, protocol: 'ICMP' },
      { name: 'A_B', port: 81, targetPort: 'Bad_Name' },
    ];
    expect(fields(validateService(service({ ports }), undefined))).toEqual([
      'spec.ports[0].name',
      'spec.ports[0].port',
      'spec.ports[1].targetPort',
      'spec.ports[2].name',
      'spec.ports[2].protocol',
      'spec.ports[3].name',
      'spec.ports[3].targetPort',
    ]);
  });

  it('keeps the cluster IP', () => {
    const before = service({ clusterIP: '10.96.0.1', ports: [{ port: 80 }] });
    expect(
      fields(validateService(service({ clusterIP: '10.96.0.2', ports: [{ port: 80 }] }), before)),
    ).toEqual(['spec.clusterIP']);
  });
});

describe('EndpointSlice rules', () => {
  const slice = (more: object) =>
    object('EndpointSlice', { addressType: 'IPv4', endpoints: [], ports: [], ...more });

  it('takes loopback addresses and ports without a number', () => {
    expect(
      validateEndpointSlice(
        slice({ endpoints: [{ addresses: ['127.0.0.1'] }], ports: [{ name: 'a' }, { name: '', port: 80 }] }),
        undefined,
      ),
    ).toEqual([]);
    expect(
      validateEndpointSlice(slice({ addressType: 'IPv6', endpoints: [{ addresses: ['::1'] }] }), undefined),
    ).toEqual([]);
  });

  it('names wrong addresses, ports and a change of the address type', () => {
    const wrong = slice({
      endpoints: [{ addresses: [] }, { addresses: ['::1'], hostname: 'A_B' }],
      ports: [
        { name: 'a', port: 70000 },
        { name: 'a', protocol: 'X' },
      ],
    });
    expect(fields(validateEndpointSlice(wrong, slice({ addressType: 'IPv6' })))).toEqual([
      'addressType',
      'endpoints[0].addresses',
      'endpoints[1].addresses[0]',
      'endpoints[1].hostname',
      'ports[0].port',
      'ports[1].name',
      'ports[1].protocol',
    ]);
  });

  it('takes a thousand endpoints and no more', () => {
    const endpoints = Array.from({ length: 1001 }, () => ({ addresses: ['127.0.0.1'] }));
    expect(validateEndpointSlice(slice({ endpoints: endpoints.slice(1) }), undefined)).toEqual([]);
    expect(fields(validateEndpointSlice(slice({ endpoints }), undefined))).toEqual(['endpoints']);
  });
});

describe('workload, data and metadata rules', () => {
  const container = { name: 'c', image: 'i' };
  const deployment = (spec: object) =>
    object('Deployment', {
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'a' } },
        template: { metadata: { labels: { app: 'a' } }, spec: { containers: [container] } },
        ...spec,
      },
    });

  it('checks replicas, selector, template and containers', () => {
    expect(validateWorkload(deployment({}), undefined)).toEqual([]);
    expect(
      fields(
        validateWorkload(deployment({ replicas: -1, selector: { matchLabels: { app: 'b' } } }), undefined),
      ),
    ).toEqual(['spec.replicas', 'spec.template.metadata.labels']);
    const template = {
      metadata: { labels: { app: 'a' } },
      spec: {
        containers: [container, { name: 'c', image: '', ports: [{ containerPort: 0 }] }, { name: 'C' }],
      },
    };
    expect(fields(validateWorkload(deployment({ template }), undefined))).toEqual([
      'spec.template.spec.containers[1].name',
      'spec.template.spec.containers[1].image',
      'spec.template.spec.containers[1].ports[0].containerPort',
      'spec.template.spec.containers[2].name',
      'spec.template.spec.containers[2].image',
    ]);
    expect(fields(validateWorkload(deployment({ selector: { matchLabels: {} } }), deployment({})))).toEqual([
      'spec.selector',
    ]);
  });

  it('never tells a secret in an error', () => {
    const secret = object('Secret', {
      type: 'kubernetes.io/tls',
      data: { 'tls.crt': 'hunter2!', 'bad key': 'aGk=' },
    });
    const found = texts(validateSecret(secret, undefined));
    expect(found.join('\n')).not.toContain('hunter2');
    expect(fields(validateSecret(secret, undefined))).toEqual([
      'data[bad key]',
      'data[tls.crt]',
      'data[tls.key]',
    ]);
  });

  it('keeps immutable data', () => {
    const before = object('ConfigMap', { immutable: true, data: { a: '1' } });
    expect(
      fields(validateConfigMap(object('ConfigMap', { immutable: true, data: { a: '2' } }), before)),
    ).toEqual(['data']);
    expect(fields(validateConfigMap(object('ConfigMap', { data: { a: '1' } }), before))).toEqual([
      'immutable',
    ]);
  });

  it('checks names, labels, annotations, finalizers and owners', () => {
    const bad: ApiObject = {
      ...object('ConfigMap', {}),
      metadata: {
        name: 'Bad_Name',
        labels: { 'a b': 'x', ok: 'not ok!' },
        annotations: { '/x': '1' },
        finalizers: ['!'],
        ownerReferences: [{ apiVersion: 'v1', kind: '', name: 'n', uid: '' }],
      },
    };
    expect(fields(validateMetadata(bad, 'subdomain'))).toEqual([
      'metadata.name',
      'metadata.labels',
      'metadata.labels',
      'metadata.annotations',
      'metadata.finalizers',
      'metadata.ownerReferences[0].kind',
      'metadata.ownerReferences[0].uid',
    ]);
    const named = (name: string, rule: 'subdomain' | 'label' | 'dns1035' | 'path') =>
      validateMetadata({ ...object('X', {}), metadata: { name } }, rule).length === 0;
    expect([
      named('a.b', 'subdomain'),
      named('a.b', 'label'),
      named('1a', 'dns1035'),
      named('system:a', 'path'),
      named('a/b', 'path'),
    ]).toEqual([true, false, false, true, false]);
  });
});

describe('schema checks of built-in kinds', () => {
  it('name unknown fields and drop them, name wrong types, and take null for absence', () => {
    const { value, unknown, mistyped } = checkSchema(
      { spec: { rules: [{ hosst: 'a', host: 7, http: null }], ingressClassName: 'x' }, extra: 1 },
      builtinSchema('net.Ingress'),
      true,
    );
    expect(unknown).toEqual(['spec.rules[0].hosst', 'extra']);
    expect(mistyped).toEqual(['spec.rules[0].host must be of type string, not number']);
    expect(value).toEqual({ spec: { rules: [{ host: 7 }], ingressClassName: 'x' } });
  });

  it('leave a valid object as the same object', () => {
    const ingress = { spec: { rules: [{ host: 'a' }] } };
    expect(checkSchema(ingress, builtinSchema('net.Ingress'), true).value).toBe(ingress);
  });
});

describe('duplicate fields', () => {
  it('are found by path, in objects and lists, and escapes do not hide them', () => {
    expect(duplicateFields('{"a":1,"b":{"c":[{"d":"x,}","\\u0064":2}]},"a":{}}')).toEqual(['b.c[0].d', 'a']);
    expect(duplicateFields(' [ ] ')).toEqual([]);
  });

  it('are never found in what JSON.stringify wrote', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(duplicateFields(JSON.stringify(value, null, 1))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
