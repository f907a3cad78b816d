import { describe, expect, it } from 'vitest';
import { jsonPath } from '../../../src/lib/json-path.ts';

const object = {
  metadata: {
    name: 'echo',
    labels: { 'kubernetes.io/service-name': 'svc', "it's": 'q', a: 'b' },
    generation: 3,
  },
  spec: {
    rules: [{ host: 'a.example' }, { host: 'b.example' }, {}],
    ports: [80, 443],
    ready: false,
    selector: { x: '1', y: '2' },
  },
};

describe('a JSONPath of indexBy', () => {
  it.each([
    ['metadata.name', ['echo']],
    ['.metadata.name', ['echo']],
    ['$.metadata.name', ['echo']],
    ['{.metadata.name}', ['echo']],
    [' metadata.name ', ['echo']],
    ["metadata.labels['kubernetes.io/service-name']", ['svc']],
    ['metadata.labels["kubernetes.io/service-name"]', ['svc']],
    ['metadata.labels.kubernetes\\.io/service-name', ['svc']],
    ["metadata.labels['it\\'s']", ['q']],
    ["['metadata']['name']", ['echo']],
    ['spec.rules[0].host', ['a.example']],
    ['spec.rules[*].host', ['a.example', 'b.example']],
    ['spec.ports[*]', ['80', '443']],
    ['spec.ports[1]', ['443']],
    ['spec.selector.*', ['1', '2']],
    ['spec.ready', ['false']],
    ['metadata.generation', ['3']],
    ['metadata.labels', []],
    ['metadata.nothing.at.all', []],
    ['spec.ports[7]', []],
    ['spec.ports.length', []],
    ['metadata.constructor', []],
    ['metadata.__proto__.toString', []],
  ])('%s selects %j', (path, expected) => {
    expect(jsonPath(path)(object)).toStrictEqual(expected);
  });

  it.each(['', '$', 'a..b', 'a[', 'a[x]', "a['b", 'a[?(@.b)]', 'a[0:2]', 'a b', 'a.'])(
    '%j is refused',
    (path) => {
      expect(() => jsonPath(path)).toThrow(expect.objectContaining({ code: 'HAPTIC_ERR_TEMPLATE_JSONPATH' }));
    },
  );

  it.each([undefined, null, 'text', 5, []])('finds nothing in %j', (value) => {
    expect(jsonPath('metadata.name')(value)).toStrictEqual([]);
  });
});
