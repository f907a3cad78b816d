import fc from 'fast-check';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import {
  endpointSlice,
  ingress,
  ingressClass,
  objectKey,
  service,
  serviceBackend,
} from '../../fixtures/kube-objects.ts';

const name = fc.constantFrom('a', 'b', 'c');
const namespace = fc.constantFrom('shop', 'x-y');
const created = fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', 'not a time');
const port = fc.constantFrom(80, 'http', { raw: { number: 99_999 } }, 81);
/** Any JSON value, or nothing. */
export const junk = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant(undefined));

const path = fc.record(
  {
    path: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom('/', '/a', '/a/', '/a/b', '/a b') },
      { weight: 1, arbitrary: junk },
    ),
    pathType: fc.constantFrom('Exact', 'Prefix', 'ImplementationSpecific'),
    service: name,
    port,
  },
  { requiredKeys: ['path', 'pathType'] },
);

const anyIngress = fc
  .record({
    name,
    namespace,
    created,
    className: fc.constantFrom('haptic', 'other', null),
    rules: fc.array(
      fc.record({
        host: fc.constantFrom(undefined, 'h.example.com', '*.example.com', 'bad host'),
        paths: fc.array(path, { maxLength: 3 }),
      }),
      { maxLength: 3 },
    ),
    defaultBackend: fc.constantFrom(undefined, serviceBackend('a'), { resource: {} }, 5),
  })
  .map(ingress);

const anyClass = fc
  .record({
    name: fc.constantFrom('haptic', 'other'),
    controller: fc.constantFrom('haproxy-haptic.org/controller', 'k8s.io/nginx'),
    isDefault: fc.boolean(),
    created,
  })
  .map(ingressClass);

const anyService = fc
  .record({
    name,
    namespace,
    type: fc.constantFrom('ClusterIP', 'ExternalName'),
    ports: fc.constantFrom(
      [{}],
      [
        { name: 'http', port: 80 },
        { name: 'b', port: 81, appProtocol: 'https' },
      ],
    ),
    externalName: fc.constantFrom('api.example.com', 'db.example.com', '93.184.215.14', 'localhost'),
    sessionAffinity: fc.constantFrom('None', 'ClientIP'),
    ipFamilies: fc.constantFrom(['IPv4'], ['IPv6', 'IPv4']),
  })
  .map(service);

const flag = fc.constantFrom(undefined, null, true, false);
const anySlice = fc
  .record({
    name: fc.constantFrom('s1', 's2', 's3'),
    namespace,
    service: fc.oneof(name, fc.constant(null)),
    addressType: fc.constantFrom('IPv4', 'IPv6', 'FQDN'),
    ports: fc.constantFrom(
      null,
      [{}],
      [{ name: 'http', port: 8080 }],
      [
        { name: 'b', port: 9090 },
        { name: 'http', port: 0 },
      ],
    ),
    endpoints: fc.array(
      fc.record({
        address: fc.constantFrom('10.0.0.1', '10.0.0.2', 'fd00::1', 'fd00:0::1', '0.0.0.0', 'x', 7),
        ready: flag,
        serving: flag,
        terminating: flag,
        pod: fc.constantFrom('p1', 'p2', null),
      }),
      { maxLength: 4 },
    ),
  })
  .map(endpointSlice);

/** An object with one field of its body replaced by anything. */
const anyMalformed = fc
  .tuple(
    fc.oneof(anyIngress, anyService, anySlice, anyClass),
    fc.constantFrom('spec', 'endpoints', 'ports', 'addressType'),
    junk,
  )
  .map(([object, field, value]): KubeObject => ({ ...object, [field]: value }));

/** An object of the four kinds with few names, so that they meet; one in ten is malformed. */
export const anyObject = fc.oneof(
  { weight: 4, arbitrary: anyIngress },
  { weight: 2, arbitrary: anySlice },
  { weight: 2, arbitrary: anyService },
  { weight: 1, arbitrary: anyClass },
  { weight: 1, arbitrary: anyMalformed },
);

/** Edits of the stores; `turn` ends a turn after the edit. */
export const edits = fc.array(fc.record({ object: anyObject, remove: fc.boolean(), turn: fc.boolean() }), {
  maxLength: 30,
});

/** What is left in the stores after the edits. */
export function finalObjects(
  list: readonly { readonly object: KubeObject; readonly remove: boolean }[],
): KubeObject[] {
  const left = new Map<string, KubeObject>();
  for (const { object, remove } of list) {
    const key = `${object.kind} ${objectKey(object)}`;
    left.delete(key);
    if (!remove) left.set(key, object);
  }
  return [...left.values()];
}
