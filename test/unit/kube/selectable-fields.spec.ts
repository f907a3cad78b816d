import { describe, expect, it } from 'vitest';
import { isSelectableField } from '../../../src/kube/selectable-fields.ts';

describe('isSelectableField', () => {
  it.each([
    ['v1', 'pods', 'metadata.name', true],
    ['example.com/v1', 'widgets', 'metadata.namespace', true],
    ['v1', 'secrets', 'type', true],
    ['v1', 'pods', 'spec.nodeName', true],
    ['v1', 'pods', 'metadata.labels.app', false],
    ['v1', 'configmaps', 'type', false],
    ['example.com/v1', 'pods', 'spec.nodeName', false],
    ['networking.k8s.io/v1', 'ingresses', 'spec.ingressClassName', false],
    ['v1', 'pods', 'constructor', false],
    ['v1', 'constructor', 'name', false],
  ])('%s %s %s: %s', (apiVersion, resources, path, expected) => {
    expect(isSelectableField(apiVersion, resources, path)).toBe(expected);
  });
});
