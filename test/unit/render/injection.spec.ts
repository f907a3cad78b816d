import { beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { type AnnotationRow, annotationRows, isClean } from '../../fixtures/annotation-rows.ts';
import { prefixed } from '../../fixtures/prefixed.ts';
import { hostilePlaces } from '../../fixtures/hostile-places.ts';
import { hostileTexts } from '../../fixtures/hostile-texts.ts';
import { injectionFindings } from '../../fixtures/injection-findings.ts';
import { injectionNeighbours } from '../../fixtures/injection-neighbours.ts';
import { bundleFiles, createIngressRenderer } from '../../fixtures/ingress-renderer.ts';
import { endpointSlice, ingress, ingressClass, secret, service } from '../../fixtures/kube-objects.ts';

interface Target {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly serviceAnnotations?: Readonly<Record<string, string>>;
}

const target = ({ annotations = {}, serviceAnnotations = {} }: Target = {}): KubeObject[] => [
  ingressClass({ name: 'own', controller: 'example.com/own' }),
  service({
    name: 'own',
    ports: [{ name: 'web', port: 80, appProtocol: 'http' }],
    annotations: serviceAnnotations,
  }),
  service({
    name: 'own-outside',
    type: 'ExternalName',
    externalName: 'own.example.net',
    ports: [{ name: 'web', port: 80 }],
  }),
  endpointSlice({
    service: 'own',
    ports: [{ name: 'web', port: 8080 }],
    endpoints: [{ address: '10.0.0.9', pod: 'own' }],
  }),
  secret({ name: 'shop-users', type: 'Opaque', data: { auth: 'user:$6$salt$abcdefghijklmnopqrstuv' } }),
  ingress({
    name: 'own',
    annotations,
    rules: [
      {
        host: 'own.example.com',
        paths: [
          { path: '/', service: 'own', port: 'web' },
          { path: '/own', service: 'own', port: 'web' },
          { path: '/outside', service: 'own-outside', port: 'web' },
        ],
      },
    ],
    tls: [{ hosts: ['own.example.com'], secretName: 'own' }],
  }),
];

type Files = Readonly<Record<string, string>>;

/**
 * Whatever somebody writes into an object, in the files of HAProxy it stays what the field is for: neighbours keep all their lines and entries, lines that come have the
 * shape of those that a well-meant text makes, and nothing in them is read by HAProxy as more than text.
 */
describe('text of strangers in HAProxy’s files', () => {
  const renderer = createIngressRenderer({ capabilities: { version: '3.4', guid: true } });
  const render = (...objects: readonly KubeObject[]): Files => {
    renderer.put(...objects);
    return bundleFiles(renderer.bundle());
  };
  let plain: Files;
  beforeAll(() => {
    plain = render(...injectionNeighbours, ...target());
  });

  const saidBy = ({ key, scope, companions }: AnnotationRow, text: string): Target[] => [
    { annotations: prefixed({ ...companions, [key]: text }) },
    ...(scope === 'backend' ? [{ serviceAnnotations: prefixed({ ...companions, [key]: text }) }] : []),
  ];

  it.each(annotationRows.map((row) => [row.key, row] as const))('the annotation %s', (_key, row) => {
    const { key, companions, example } = row;
    const places = Object.values(hostileTexts).flatMap((text) => hostilePlaces(text, example));
    const isTaken = (text: string) => isClean({ ...companions, [key]: text });
    const taken = new Set(places.filter(isTaken));
    // What is refused has all the same effect, that of one of them.
    const refused = places.filter((text) => !isTaken(text)).slice(0, 1);
    for (const [i, said] of saidBy(row, example).entries()) {
      const withoutIt = { ...row, companions: {}, key: 'x' };
      const known = [said, ...saidBy({ ...withoutIt, companions }, '').slice(i, i + 1)].map((some) =>
        render(...target(some)),
      );
      for (const text of [...taken, ...refused]) {
        const after = render(...target(saidBy(row, text)[i]));
        expect({ text, wrong: injectionFindings(plain, after, known, text) }).toEqual({ text, wrong: [] });
      }
    }
    expect(refused.length + taken.size).toBeGreaterThan(0);
    expect(render(...target())).toEqual(plain);
  });

  it('an annotation that nobody knows', () => {
    for (const text of Object.values(hostileTexts)) {
      const annotations = {
        [`haproxy-haptic.org/${text}`]: text,
        'haproxy.org/backend-config-snippet': text,
      };
      expect(render(...target({ annotations }))).toEqual(plain);
    }
    render(...target());
  });
});
