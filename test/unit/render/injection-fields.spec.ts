import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { prefixed } from '../../fixtures/prefixed.ts';
import { issueCertificate } from '../../fixtures/certificates.ts';
import { hostileTexts } from '../../fixtures/hostile-texts.ts';
import { injectionFindings } from '../../fixtures/injection-findings.ts';
import { injectionNeighbours } from '../../fixtures/injection-neighbours.ts';
import { bundleFiles, createIngressRenderer } from '../../fixtures/ingress-renderer.ts';
import { endpointSlice, ingress, ingressClass, secret, service } from '../../fixtures/kube-objects.ts';
import { recordReads } from '../../fixtures/record-reads.ts';
import { issueRevocationList } from '../../fixtures/revocation-list.ts';

const authority = await issueCertificate({ names: ['own-ca'], isAuthority: true });
const certificate = await issueCertificate({ names: ['own.example.com', '*.own.example.com'] });
const revocations = await issueRevocationList(authority, [certificate]);
const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Objects of somebody who has everything: each field that is read of an object is set in one of them. */
function target(): KubeObject[] {
  const paths = [
    { path: '/', service: 'own', port: 'web' },
    { path: '/exact', pathType: 'Exact', service: 'own', port: 80 },
    { path: '/any', pathType: 'ImplementationSpecific', service: 'own-outside', port: 'web' },
    { path: '/own-thing', backend: { resource: { apiGroup: 'own.example.com', kind: 'Own', name: 'own' } } },
  ];
  const slice = endpointSlice({
    service: 'own',
    ports: [{ name: 'web', port: 8080 }],
    endpoints: [
      {
        address: '10.0.0.9',
        pod: 'own',
        ready: true,
        serving: true,
        terminating: false,
        hints: { forZones: [{ name: 'own-zone' }], forNodes: [{ name: 'own-node' }] },
      },
    ],
  });
  const endpoints = (slice['endpoints'] as readonly object[]).map((endpoint) => ({
    ...endpoint,
    hostname: 'own-host',
    nodeName: 'own-node',
    zone: 'own-zone',
  }));
  return [
    {
      ...ingressClass({
        name: 'own',
        annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' },
      }),
      spec: {
        controller: 'haproxy-haptic.org/controller',
        parameters: {
          apiGroup: 'own.example.com',
          kind: 'Own',
          name: 'own',
          scope: 'Namespace',
          namespace: 'own',
        },
      },
    },
    service({
      name: 'own',
      ports: [{ name: 'web', port: 80, targetPort: 'web', appProtocol: 'http' }],
      ipFamilies: ['IPv4', 'IPv6'],
      clusterIP: '10.96.0.9',
      sessionAffinity: 'ClientIP',
      annotations: prefixed({ 'timeout-server': '5s' }),
    }),
    service({
      name: 'own-outside',
      type: 'ExternalName',
      externalName: 'own.example.net',
      ports: [{ name: 'web', port: 80 }],
    }),
    {
      ...service({ name: 'own-balancer', type: 'LoadBalancer' }),
      status: {
        loadBalancer: {
          ingress: [
            {
              ip: '192.0.2.1',
              hostname: 'own.example.org',
              ports: [{ port: 80, protocol: 'TCP', error: 'own.example.org/Own' }],
            },
          ],
        },
      },
    },
    { ...slice, endpoints },
    secret({ name: 'own-users', type: 'Opaque', data: { auth: 'user:$6$salt$abcdefghijklmnopqrstuv' } }),
    secret({ name: 'own-user-fields', type: 'Opaque', data: { user: '$6$salt$abcdefghijklmnopqrstuv' } }),
    secret({ name: 'own-pair', data: { 'tls.crt': certificate.cert, 'tls.key': certificate.key } }),
    secret({ name: 'own-ca', type: 'Opaque', data: { 'ca.crt': authority.cert, 'ca.crl': revocations } }),
    secret({
      name: 'own-keys',
      type: 'Opaque',
      data: { 'own.pem': publicKey.export({ type: 'spki', format: 'pem' }).toString() },
    }),
    ingress({
      name: 'own',
      className: 'own',
      annotations: prefixed({
        'auth-secret': 'own-users',
        'auth-tls-secret': 'own-ca',
        'secure-verify-ca-secret': 'own-ca',
        'secure-crt-secret': 'own-pair',
      }),
      rules: [{ host: 'own.example.com', paths }],
      tls: [{ hosts: ['own.example.com'], secretName: 'own-pair' }],
    }),
    ingress({
      name: 'own-tokens',
      className: null,
      annotations: {
        'kubernetes.io/ingress.class': 'own',
        ...prefixed({ 'jwt-secret': 'own-keys', 'jwt-algorithm': 'ES256' }),
      },
      defaultBackend: { service: { name: 'own', port: { name: 'web' } } },
      // Of the hosts of its certificate.
      rules: [{ host: '*.own.example.com', paths: [{ path: '/', service: 'own' }] }],
      tls: [{ secretName: 'own-pair' }],
    }),
    ingress({
      name: 'own-thing',
      className: 'own',
      defaultBackend: { resource: { apiGroup: 'own.example.com', kind: 'Own', name: 'own' } },
      rules: [{ host: 'thing.own.example.com', paths: [{ path: '/', service: 'own' }] }],
    }),
    ingress({
      name: 'own-fields',
      className: null,
      annotations: prefixed({ 'auth-secret': 'own-user-fields' }),
      defaultBackend: { service: { name: 'own', port: { number: 80 } } },
      rules: [{ host: 'fields.own.example.com', paths: [{ path: '/', service: 'own' }] }],
    }),
  ];
}

/** The API server checks these itself, for every kind of object: names and namespaces are DNS names. */
const checkedElsewhere =
  /^(?:apiVersion|kind|metadata\.(?:name|namespace|uid|resourceVersion|creationTimestamp))$/;

/** Where users choose the keys. The API server lets `[-._a-zA-Z0-9]+` be keys of Secrets, and names with a prefix those of labels and annotations. */
const isMap = (path: string) => /^(?:metadata\.(?:annotations|labels)|data)$/.test(path);

interface Field {
  readonly where: string;
  /** As `recordReads` has it. */
  readonly path: string;
  readonly kind: string;
  readonly object: KubeObject;
  /** The object with the text in this place. */
  readonly having: (text: string) => KubeObject;
}

/** Every single value in the objects. */
function fieldsOf(objects: readonly KubeObject[]): readonly Field[] {
  return objects.flatMap((object) =>
    pathsOf(object)
      .filter((path) => !checkedElsewhere.test(path.join('.')))
      .map((path) => ({
        where: `${object.kind ?? ''} ${object.metadata.name}: ${path.join('.')}`,
        kind: object.kind ?? '',
        path: pathWithout(path),
        object,
        // A KubeObject with another text at the end of one path is one.
        having: (text: string) => withText(object, path, text) as KubeObject,
      })),
  );
}

function pathsOf(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [at];
  return Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...at, key]));
}

/** Without the numbers of lists and the keys of maps. */
function pathWithout(path: readonly string[]): string {
  return path.map((key, i) => (/^\d+$/.test(key) || isMap(path.slice(0, i).join('.')) ? '*' : key)).join('.');
}

function withText(value: unknown, [key, ...rest]: readonly string[], text: string): unknown {
  if (key === undefined) return text;
  if (Array.isArray(value))
    return value.map((inner: unknown, i) => (String(i) === key ? withText(inner, rest, text) : inner));
  const record = value as Readonly<Record<string, unknown>>;
  const isCoded = key === 'data' && rest.length === 1;
  if (isCoded) {
    const [name = ''] = rest;
    const data = { ...(record['data'] as object), [name]: Buffer.from(text).toString('base64') };
    return { ...record, data };
  }
  return { ...record, [key]: withText(record[key], rest, text) };
}

/** Whatever somebody writes into a field, in the files of HAProxy it stays what the field is for. See `injectionFindings`. */
describe('text of strangers in fields of objects', () => {
  const publishing = { service: { namespace: 'shop', name: 'own-balancer' }, addresses: [] };
  const renderer = createIngressRenderer({ publishing, capabilities: { version: '3.4', guid: true } });
  const objects = target();
  const fields = fieldsOf(objects);
  let plain: Readonly<Record<string, string>>;
  let plainId: string;
  beforeAll(() => {
    renderer.put(...injectionNeighbours, ...objects);
    const bundle = renderer.bundle();
    plain = bundleFiles(bundle);
    plainId = bundle.plan.id;
  });

  it('are all that are read of an object, by whatever comes to be read', () => {
    const recorded = objects.map((object) => ({ kind: object.kind ?? '', ...recordReads(object, isMap) }));
    const fresh = createIngressRenderer({ publishing, capabilities: { version: '3.4', guid: true } });
    fresh.put(...injectionNeighbours, ...recorded.map(({ value }) => value));
    expect(bundleFiles(fresh.bundle())).toEqual(plain);
    // What a value is in has been looked at, too.
    const around = (path: string) => path.split('.').map((_key, i, keys) => keys.slice(0, i + 1).join('.'));
    const known = new Set(fields.flatMap(({ kind, path }) => around(path).map((at) => `${kind} ${at}`)));
    const read = recorded.flatMap(({ kind, reads }) =>
      [...reads].filter((path) => !checkedElsewhere.test(path)).map((path) => `${kind} ${path}`),
    );
    expect(read).toContain('Ingress spec.rules.*.host');
    expect([...new Set(read)].filter((path) => !known.has(path))).toEqual([]);
  });

  it.each(fields.map((field) => [field.where, field] as const))('%s', (_where, { path, object, having }) => {
    // Fields are no lists: alone, before and after a good word.
    const places = Object.values(hostileTexts).flatMap((text) => [text, `own${text}`, `${text}own`]);
    for (const place of new Set(places)) {
      // None is every host.
      if (place === '' && path === 'spec.rules.*.host') continue;
      renderer.put(having(place));
      const bundle = renderer.bundle();
      // Most of it is refused, and changes nothing.
      if (bundle.plan.id === plainId) continue;
      const wrong = injectionFindings(plain, bundleFiles(bundle), [plain], place);
      expect({ place, wrong }).toEqual({ place, wrong: [] });
    }
    renderer.put(object);
    expect(bundleFiles(renderer.bundle())).toEqual(plain);
  });
});
