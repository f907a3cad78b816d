import { beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { type AnnotationRow, annotationRows, isClean, prefixed } from '../../fixtures/annotation-rows.ts';
import { haproxyWords } from '../../fixtures/haproxy-words.ts';
import { hostileTexts } from '../../fixtures/hostile-texts.ts';
import { bundleFiles, createIngressRenderer } from '../../fixtures/ingress-renderer.ts';
import { endpointSlice, ingress, ingressClass, secret, service } from '../../fixtures/kube-objects.ts';

/**
 * Whatever somebody writes into an object, in the files of HAProxy it stays what the field is for: neighbours keep all their lines and entries, lines that come have the
 * shape of those that a well-meant text makes, and nothing in them is read by HAProxy as more than text.
 */
const neighbours = [
  ingressClass(),
  ...['one', 'two'].flatMap((name) => [
    service({ name, namespace: 'neighbour' }),
    endpointSlice({
      name,
      namespace: 'neighbour',
      service: name,
      ports: [{ port: 8080 }],
      endpoints: [{ address: '10.0.0.1', pod: name }],
    }),
  ]),
  ingress({
    name: 'open',
    namespace: 'neighbour',
    rules: [{ host: 'neighbour.example.com', paths: [{ path: '/', service: 'one' }] }],
  }),
  ingress({
    name: 'kept',
    namespace: 'neighbour',
    annotations: prefixed({ 'allowlist-source-range': '10.0.0.0/8', 'response-set-header': 'X-Kept: yes' }),
    rules: [{ host: 'kept.example.com', paths: [{ path: '/', service: 'two' }] }],
  }),
];

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

interface Field {
  readonly where: string;
  /** The objects with the text in this place. */
  readonly put: (objects: readonly KubeObject[], text: string) => KubeObject[];
}

/** The API server checks these itself, for every kind of object: names and namespaces are DNS names. */
const checkedElsewhere =
  /^(?:apiVersion|kind|metadata\.(?:name|namespace|uid|resourceVersion|creationTimestamp))$/;

/** Every text in the objects, keys of maps included. */
function fieldsOf(objects: readonly KubeObject[]): readonly Field[] {
  return objects.flatMap((object, index) =>
    pathsOf(object)
      .filter((path) => !checkedElsewhere.test(path.join('.')))
      .map((path) => ({
        where: `${object.kind ?? ''} ${object.metadata.name}: ${path.join('.')}`,
        put: (all: readonly KubeObject[], text: string) =>
          all.map((other, i) => (i === index ? (withText(other, path, text) as KubeObject) : other)),
      })),
  );
}

function pathsOf(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (typeof value === 'string') return [at];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...at, key]));
}

function withText(value: unknown, [key, ...rest]: readonly string[], text: string): unknown {
  if (key === undefined) return text;
  if (Array.isArray(value))
    return value.map((inner: unknown, i) => (String(i) === key ? withText(inner, rest, text) : inner));
  const record = value as Readonly<Record<string, unknown>>;
  const isCoded = key === 'data' && rest.length === 1;
  return {
    ...record,
    [key]: withText(record[key], rest, isCoded ? Buffer.from(text).toString('base64') : text),
  };
}

type Files = Readonly<Record<string, string>>;

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

/** What of `all` is not in `known`, each as often as it is more. */
function beyond(all: readonly string[], known: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of known) left.set(line, (left.get(line) ?? 0) + 1);
  return all.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

/** Lines that are a list of words from a fixed set. */
const lists = /^(?:retry-on|compression type|ssl-default)$/;

/** What a line is, without what it says: its first words as far as they are HAProxy's, and how many there are. */
function shapeOf(line: string): string {
  const { words } = haproxyWords(line);
  const [first = '', second = ''] = words;
  const isPair = /^(?:http-|tcp-|option$|timeout$|filter$|compression$|stick$)/.test(first);
  const directive = `${first}${isPair ? ` ${second}` : ''}`;
  return `${/^\s/.test(line) ? '' : 'section '}${directive}${lists.test(directive) ? '' : ` (${words.length})`}`;
}

/** What no line may have: control characters but tabs, the line separator of Unicode, halves of characters. */
const controls = /(?!\t)[\p{Cc}\p{Cs}\p{Zl}]/u;

/** What of a line HAProxy may evaluate: it has other keywords for formats (`uri-lf`, `lf-string`), and a regular expression is none. */
function formatsOf(line: string): string {
  if (/^\s*http-(?:check send|error status \d+|request return status) /.test(line)) return '';
  return line.replace(/(?<=replace-path )"(?:[^"\\]|\\.)*"/, '');
}

/** An expression, or the alias of one, that HAProxy would replace by what it finds. */
const evaluated = /(?<!%)(?:%%)*%(?:\[env|\{|ci)/;

/** Of the object's own rule, backend or hosts, those that its text names included. */
const isOurs = (line: string, text: string) => {
  const host = /^[^/ ]*/.exec(line)?.[0] ?? '';
  return (
    /own|^\^?[0-9a-f]{32}@/.test(line) ||
    (host !== '' && !host.includes('neighbour') && text.toLowerCase().includes(host))
  );
};

/** Everything that is wrong with what `after` has more, or less, than `before`. `known`: what a well-meant text makes. */
function wrongIn(before: Files, after: Files, known: readonly Files[], text: string): string[] {
  const config = (files: Files) => linesOf(files['haproxy.cfg'] ?? '');
  const shapes = new Set([before, ...known].flatMap((files) => config(files).map(shapeOf)));
  const added = beyond(config(after), config(before));
  const gone = beyond(config(before), config(after));
  const wrong = [
    ...added.filter((line) => !shapes.has(shapeOf(line))).map((line) => `a line of another shape: ${line}`),
    ...added.filter((line) => evaluated.test(formatsOf(line))).map((line) => `evaluates: ${line}`),
    ...added.filter((line) => controls.test(line)).map((line) => `controls: ${line}`),
    ...gone.filter((line) => line.includes('neighbour')).map((line) => `gone: ${line}`),
    ...added.filter((line) => line.length > 1_900).map((line) => `too long: ${line.slice(0, 80)}`),
  ];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    // Which networks are whose says the configuration; the map is there when there is somebody to ask for.
    if (!name.endsWith('.map') || name.endsWith('/external-networks.map')) continue;
    const [was, is] = [linesOf(before[name] ?? ''), linesOf(after[name] ?? '')];
    wrong.push(
      ...[...beyond(is, was), ...beyond(was, is)]
        .filter((line) => !isOurs(line, text))
        .map((line) => `${name}: ${line}`),
    );
  }
  return wrong;
}

/** The text in all the places where a reader of lists, lines or words could take it up. */
function placesOf(text: string, example: string): string[] {
  const middle = Math.floor(example.length / 2);
  return [
    text,
    example + text,
    text + example,
    example.slice(0, middle) + text + example.slice(middle),
    `${example}, ${text}`,
    `${example}\n${text}`,
    example.replace(/[^:/,\s=]+$/, () => text),
  ];
}

describe('text of strangers in HAProxy’s files', () => {
  const renderer = createIngressRenderer({ capabilities: { version: '3.4', guid: true } });
  const render = (...objects: readonly KubeObject[]): Files => {
    renderer.put(...objects);
    return bundleFiles(renderer.bundle());
  };
  let plain: Files;
  beforeAll(() => {
    plain = render(...neighbours, ...target());
  });

  const saidBy = ({ key, scope, companions }: AnnotationRow, text: string): Target[] => [
    { annotations: prefixed({ ...companions, [key]: text }) },
    ...(scope === 'backend' ? [{ serviceAnnotations: prefixed({ ...companions, [key]: text }) }] : []),
  ];

  it.each(annotationRows.map((row) => [row.key, row] as const))('the annotation %s', (_key, row) => {
    const { key, companions, example } = row;
    const places = Object.values(hostileTexts).flatMap((text) => placesOf(text, example));
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
        expect({ text, wrong: wrongIn(plain, after, known, text) }).toEqual({ text, wrong: [] });
      }
    }
    expect(refused.length + taken.size).toBeGreaterThan(0);
    expect(render(...target())).toEqual(plain);
  });

  const users = { annotations: prefixed({ 'auth-secret': 'shop-users' }) };
  it.each(fieldsOf(target(users)).map((field) => [field.where, field] as const))(
    'the field %s',
    (_where, { put }) => {
      const before = render(...target(users));
      for (const place of new Set(Object.values(hostileTexts).flatMap((text) => placesOf(text, 'own')))) {
        const after = render(...put(target(users), place));
        expect({ place, wrong: wrongIn(before, after, [plain], place) }).toEqual({ place, wrong: [] });
      }
      expect(render(...target())).toEqual(plain);
    },
  );

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
