import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../../src/sandbox/api/api-object.ts';
import { statusOf } from '../../../src/sandbox/api/api-status.ts';
import { builtinSchema } from '../../../src/sandbox/api/builtin/builtin-schemas.ts';
import { applyConfiguration, trackUpdate, type Writer } from '../../../src/sandbox/api/managed-fields.ts';

const schema = builtinSchema('core.Service');
const writer = (manager: string): Writer => ({
  manager,
  apiVersion: 'v1',
  subresource: '',
  time: '2030-01-01T00:00:00Z',
});
const service = (spec: object, labels?: Record<string, string>): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', ...(labels === undefined ? {} : { labels }) },
  spec,
});
const apply = (live: ApiObject | undefined, config: ApiObject, manager: string, force = false) =>
  applyConfiguration(live, config, schema, writer(manager), force);
const owners = (object: ApiObject) =>
  Object.fromEntries(
    (object.metadata.managedFields ?? []).map((entry) => [
      `${entry.manager} ${entry.operation}`,
      entry.fieldsV1,
    ]),
  );
const refusal = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    return statusOf(error);
  }
  throw new Error('it was not refused');
};

describe('server-side apply', () => {
  it('owns what the configuration states, with list items by their keys and defaults of keys filled in', () => {
    const object = apply(
      undefined,
      service({ selector: { app: 'web' }, ports: [{ port: 80, name: 'http' }] }, { a: 'b' }),
      'one',
    );
    expect(owners(object)).toEqual({
      'one Apply': {
        'f:metadata': { 'f:labels': { 'f:a': {} } },
        'f:spec': {
          'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} } },
          'f:selector': {},
        },
      },
    });
  });

  it('merges keyed lists of several managers', () => {
    const one = apply(undefined, service({ ports: [{ port: 80, name: 'http' }] }), 'one');
    const two = apply(one, service({ ports: [{ port: 443, name: 'https' }] }), 'two');
    expect(two['spec']).toEqual({
      ports: [
        { port: 80, name: 'http' },
        { port: 443, name: 'https' },
      ],
    });
  });

  it('removes what its manager no longer states, and only that', () => {
    const one = apply(
      undefined,
      service({ type: 'ClusterIP', ports: [{ port: 80 }, { port: 81 }] }, { a: '1', b: '2' }),
      'one',
    );
    const two = apply(one, service({ ports: [{ port: 81, name: 'mine' }] }, { b: '2' }), 'two');
    const next = apply(two, service({ ports: [{ port: 80 }] }), 'one');
    expect(next['spec']).toEqual({ ports: [{ port: 80 }, { port: 81, name: 'mine' }] });
    expect(next.metadata.labels).toEqual({ b: '2' });
  });

  it('drops a container that its removal has emptied', () => {
    const one = apply(undefined, service({ type: 'ClusterIP' }, { a: '1' }), 'one');
    expect(apply(one, service({ type: 'ClusterIP' }), 'one').metadata).not.toHaveProperty('labels');
  });

  it('is refused with one cause for each field that another owns and that would change', () => {
    const one = apply(undefined, service({ type: 'ClusterIP', sessionAffinity: 'None' }), 'one');
    const status = refusal(() =>
      apply(one, service({ type: 'NodePort', sessionAffinity: 'ClientIP' }), 'two'),
    );
    expect(status).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(status.details?.causes).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.spec.sessionAffinity' },
      { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.spec.type' },
    ]);
  });

  it('shares a field that it states with the same value', () => {
    const one = apply(undefined, service({ type: 'ClusterIP' }), 'one');
    const two = apply(one, service({ type: 'ClusterIP' }), 'two');
    expect(owners(two)).toEqual({
      'one Apply': { 'f:spec': { 'f:type': {} } },
      'two Apply': { 'f:spec': { 'f:type': {} } },
    });
    expect(apply(two, service({}), 'one')['spec']).toEqual({ type: 'ClusterIP' });
  });

  it('takes fields over by force', () => {
    const one = apply(undefined, service({ type: 'ClusterIP', sessionAffinity: 'None' }), 'one');
    const two = apply(one, service({ type: 'NodePort' }), 'two', true);
    expect(two['spec']).toEqual({ type: 'NodePort', sessionAffinity: 'None' });
    expect(owners(two)).toEqual({
      'one Apply': { 'f:spec': { 'f:sessionAffinity': {} } },
      'two Apply': { 'f:spec': { 'f:type': {} } },
    });
  });

  it('changes nothing, not even a time, when nothing changes', () => {
    const one = apply(undefined, service({ type: 'ClusterIP' }), 'one');
    const later = { ...writer('one'), time: '2031-01-01T00:00:00Z' };
    expect(applyConfiguration(one, service({ type: 'ClusterIP' }), schema, later, false)).toEqual(one);
  });

  it('replaces an atomic list as a whole', () => {
    const one = apply(undefined, service({ externalIPs: ['127.0.0.1', '127.0.0.2'] }), 'one');
    expect(apply(one, service({ externalIPs: ['127.0.0.3'] }), 'one')['spec']).toEqual({
      externalIPs: ['127.0.0.3'],
    });
  });

  it('unites a set', () => {
    const held = (...finalizers: string[]): ApiObject => ({
      ...service({}),
      metadata: { name: 'web', finalizers },
    });
    const one = apply(undefined, held('a/1'), 'one');
    const two = apply(one, held('b/2'), 'two');
    expect(two.metadata.finalizers).toEqual(['a/1', 'b/2']);
    expect(apply(two, service({}), 'one').metadata.finalizers).toEqual(['b/2']);
  });
});

describe('ordinary writes', () => {
  it('give the writer what it added or changed and take it from the others', () => {
    const one = apply(undefined, service({ type: 'ClusterIP', sessionAffinity: 'None' }), 'one');
    const edited = { ...one, spec: { type: 'NodePort', sessionAffinity: 'None' } };
    expect(owners(trackUpdate(one, edited, schema, writer('kubectl')))).toEqual({
      'one Apply': { 'f:spec': { 'f:sessionAffinity': {} } },
      'kubectl Update': { 'f:spec': { 'f:type': {} } },
    });
  });

  it('take from everyone what they removed', () => {
    const one = apply(undefined, service({ type: 'ClusterIP' }, { a: '1' }), 'one');
    const edited = { ...one, metadata: { ...one.metadata, labels: {} } };
    expect(owners(trackUpdate(one, edited, schema, writer('kubectl')))).toMatchObject({
      'one Apply': { 'f:spec': { 'f:type': {} } },
    });
  });

  it('conflict with a later apply, named with their version', () => {
    const made = trackUpdate(undefined, service({ type: 'ClusterIP' }), schema, writer('kubectl'));
    const status = refusal(() => apply(made, service({ type: 'NodePort' }), 'one'));
    expect(status.message).toBe('Apply failed with 1 conflict: conflict with "kubectl" using v1: .spec.type');
  });

  it('own the containers they made', () => {
    const made = trackUpdate(undefined, service({ ports: [{ port: 80 }] }), schema, writer('kubectl'));
    expect(owners(made)['kubectl Update']).toEqual({
      '.': {},
      'f:spec': {
        '.': {},
        'f:ports': { '.': {}, 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
      },
    });
  });
});
