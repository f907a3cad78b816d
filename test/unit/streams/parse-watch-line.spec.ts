import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseWatchLine } from '../../../src/streams/parse-watch-line.ts';
import { object } from '../../fixtures/kube-stream.ts';
import { nestedJson } from '../../fixtures/nested.ts';

const hint = { apiVersion: 'example.com/v1', kind: 'Widget' };
const parse = (value: unknown) => parseWatchLine(JSON.stringify(value), hint);

describe('parseWatchLine', () => {
  it('reads the three changes', () => {
    for (const [type, change] of [
      ['ADDED', 'added'],
      ['MODIFIED', 'modified'],
      ['DELETED', 'deleted'],
    ])
      expect(parse({ type, object: object('a@1') })).toEqual({
        kind: 'object',
        change,
        object: { ...object('a@1'), ...hint },
      });
  });

  it('reads bookmarks, and knows the one that ends the initial events', () => {
    expect(parse({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '5' } } })).toEqual({
      kind: 'bookmark',
      resourceVersion: '5',
      initialEventsEnd: false,
    });
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    expect(
      parse({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '5', annotations } } }),
    ).toMatchObject({
      initialEventsEnd: true,
    });
  });

  it('reads errors as failures', () => {
    expect(parse({ type: 'ERROR', object: { code: 410, reason: 'Expired', message: 'too old' } })).toEqual({
      kind: 'error',
      failure: { kind: 'http', status: 410, reason: 'Expired', message: 'too old' },
    });
  });

  it('reports a malformed object, and still says its version', () => {
    expect(parse({ type: 'ADDED', object: { metadata: { resourceVersion: '6' } } })).toMatchObject({
      kind: 'malformed',
      problem: { field: 'metadata.name' },
      resourceVersion: '6',
    });
    expect(parse({ type: 'ADDED' })).toMatchObject({ kind: 'malformed', problem: { field: '' } });
  });

  it('reports an object that is nested without end, and takes note that it is gone', () => {
    const line = (type: string) =>
      `{"type":"${type}","object":{"metadata":{"name":"a","resourceVersion":"6"},"spec":${nestedJson(20_000)}}}`;
    expect(parseWatchLine(line('MODIFIED'), hint)).toMatchObject({ kind: 'malformed', resourceVersion: '6' });
    expect(parseWatchLine(line('DELETED'), hint)).toMatchObject({
      kind: 'object',
      change: 'deleted',
      object: { metadata: { name: 'a' } },
    });
  });

  it('calls anything else garbage, without quoting it', () => {
    for (const line of [
      's3cret',
      '{"type":"ADDED"',
      '[]',
      'null',
      '{"type":1}',
      '{"type":"NEW","object":{}}',
    ])
      expect(parseWatchLine(line, hint)).toMatchObject({ kind: 'garbage' });
    expect(parse({ type: 'BOOKMARK', object: { metadata: {} } })).toMatchObject({ kind: 'garbage' });
    expect(JSON.stringify(parseWatchLine('s3cret', hint))).not.toContain('s3cret');
  });

  it('never throws', () => {
    const type = fc.constantFrom('ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR', 'x');
    const event = fc.record({ type, object: fc.jsonValue() });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          event.map((value) => JSON.stringify(value)),
        ),
        (line) => {
          parseWatchLine(line, hint);
        },
      ),
    );
  });
});
