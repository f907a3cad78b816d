import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtinTypes } from '../../../src/sandbox/api/builtin/builtin-types.ts';
import { parseJsonPath } from '../../../src/sandbox/api/crd/json-path.ts';
import { parseFieldSelector } from '../../../src/sandbox/api/field-selector.ts';
import { formatMatchLabels, parseLabelSelector } from '../../../src/sandbox/api/label-selector.ts';
import { parseResourcePath } from '../../../src/sandbox/api/request-path.ts';

describe('label selectors', () => {
  const labels = { app: 'web', tier: 'front', 'example.com/part': 'a.b-c_d', empty: '' };

  it.each([
    ['', true],
    ['app=web', true],
    ['app==web', true],
    ['app = web , tier= front', true],
    ['app=db', false],
    ['app!=db', true],
    ['app!=web', false],
    ['missing!=x', true],
    ['app', true],
    ['missing', false],
    ['!missing', true],
    ['! app', false],
    ['app in (db,web)', true],
    ['app in (db, cache)', false],
    ['app notin (db),tier', true],
    ['missing notin (a)', true],
    ['missing in (a)', false],
    ['example.com/part=a.b-c_d', true],
    ['empty=', true],
    ['empty in ()', true],
    ['app in (web),tier in (front,back),!gone', true],
  ])('%j selects: %s', (text, selected) => {
    expect(parseLabelSelector(text)(labels)).toBe(selected);
  });

  it.each(['a b', '=x', 'a=(b)', 'a in b', 'a in (b', 'a>b c'])('refuse %j', (text) => {
    expect(() => parseLabelSelector(text)).toThrow('unable to parse requirement');
  });

  it('select nothing but the absent from an object without labels', () => {
    expect(parseLabelSelector('a=b')(undefined)).toBe(false);
    expect(parseLabelSelector('!a')(undefined)).toBe(true);
  });

  it('made of labels select exactly the objects that have them', () => {
    const word = fc.stringMatching(/^[a-z]([a-z0-9]{0,5})$/);
    const some = fc.dictionary(word, word, { maxKeys: 4 });
    fc.assert(
      fc.property(some, some, (wanted, have) => {
        const expected = Object.entries(wanted).every(([key, value]) => have[key] === value);
        expect(parseLabelSelector(formatMatchLabels(wanted))(have)).toBe(expected);
      }),
    );
  });
});

describe('field selectors', () => {
  const pods = builtinTypes().find((type) => type.plural === 'pods');
  if (pods === undefined) throw new Error('no pods');
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n' },
    spec: { nodeName: 'node-1' },
    status: { phase: 'Running' },
  };

  it.each([
    ['metadata.name=p', true],
    ['metadata.name!=p', false],
    ['metadata.namespace==n', true],
    ['spec.nodeName=node-1,status.phase!=Failed', true],
    ['spec.nodeName=', false],
    ['status.podIP=', true],
  ])('%s selects: %s', (text, selected) => {
    expect(parseFieldSelector(text, pods).test(pod)).toBe(selected);
  });

  it('tell the one name they ask for', () => {
    expect(parseFieldSelector('metadata.name=p', pods).name).toBe('p');
    expect(parseFieldSelector('metadata.name!=p', pods).name).toBeUndefined();
  });

  it('refuse fields the kind does not support and what is no selector', () => {
    expect(() => parseFieldSelector('spec.containers=x', pods)).toThrow(
      'field label not supported: spec.containers',
    );
    expect(() => parseFieldSelector('toString=x', pods)).toThrow('field label not supported');
    expect(() => parseFieldSelector('nonsense', pods)).toThrow('invalid selector');
  });
});

describe('printer column paths', () => {
  const object = {
    spec: { hosts: ['a', 'b'], 'x.y': 1, size: 0 },
    status: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Valid', status: 'False' },
      ],
    },
  };

  it.each([
    ['.spec.size', [0]],
    ['spec.size', [0]],
    ['{.spec.size}', [0]],
    ['$.spec.size', [0]],
    ['.spec.hosts[0]', ['a']],
    ['.spec.hosts[-1]', ['b']],
    ['.spec.hosts[*]', ['a', 'b']],
    [".spec['x.y']", [1]],
    ['.status.conditions[?(@.type=="Valid")].status', ['False']],
    ['.status.conditions[*].type', ['Ready', 'Valid']],
    ['.spec.missing.deeper', []],
    ['.spec.constructor', []],
  ])('%s', (path, found) => {
    expect(parseJsonPath(path)?.(object)).toEqual(found);
  });

  it('are not read when they are beyond that', () => {
    expect(parseJsonPath('.a[?(@.b>1)]')).toBeUndefined();
  });
});

describe('request paths', () => {
  const core = { group: '', version: 'v1' };
  const networking = { group: 'networking.k8s.io', version: 'v1' };

  it.each([
    ['/api/v1/pods', { ...core, plural: 'pods', namespace: '', name: '', subresource: '' }],
    ['/api/v1/namespaces', { ...core, plural: 'namespaces', namespace: '', name: '', subresource: '' }],
    ['/api/v1/namespaces/n', { ...core, plural: 'namespaces', namespace: '', name: 'n', subresource: '' }],
    [
      '/api/v1/namespaces/n/status',
      { ...core, plural: 'namespaces', namespace: '', name: 'n', subresource: 'status' },
    ],
    [
      '/api/v1/namespaces/n/finalize',
      { ...core, plural: 'namespaces', namespace: '', name: 'n', subresource: 'finalize' },
    ],
    [
      '/api/v1/namespaces/n/pods/p/status',
      { ...core, plural: 'pods', namespace: 'n', name: 'p', subresource: 'status' },
    ],
    [
      '/apis/networking.k8s.io/v1/namespaces/n/ingresses/i',
      { ...networking, plural: 'ingresses', namespace: 'n', name: 'i', subresource: '' },
    ],
    [
      '/apis/networking.k8s.io/v1/ingressclasses/c',
      { ...networking, plural: 'ingressclasses', namespace: '', name: 'c', subresource: '' },
    ],
    [
      '/api/v1/namespaces/n/events/a%2Fb',
      { ...core, plural: 'events', namespace: 'n', name: 'a/b', subresource: '' },
    ],
    ['/api/v1', undefined],
    ['/apis/networking.k8s.io/v1', undefined],
    ['/version', undefined],
  ])('%s', (path, parsed) => {
    expect(parseResourcePath(path)).toEqual(parsed);
  });
});
