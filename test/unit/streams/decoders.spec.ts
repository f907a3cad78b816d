import { describe, expect, it } from 'vitest';
import { listDecoder } from '../../../src/streams/list-decoder.ts';
import { watchDecoder } from '../../../src/streams/watch-decoder.ts';
import { longestObjectText } from '../../../src/streams/decoder.ts';
import { added, bookmark, object } from '../../fixtures/kube-stream.ts';

const widgets = { apiVersion: 'example.com/v1', resources: 'widgets' };

describe('listDecoder', () => {
  it('fills in apiVersion and kind, which the items of typed lists lack', () => {
    const decoder = listDecoder(widgets);
    const own = { ...object('b@2'), kind: 'Own', apiVersion: 'own/v1' };
    const list = { kind: 'WidgetList', metadata: { resourceVersion: '5' }, items: [object('a@1'), own] };
    expect(decoder.push(JSON.stringify(list))).toEqual([
      {
        kind: 'objects',
        objects: [
          { ok: true, object: { ...object('a@1'), apiVersion: 'example.com/v1', kind: 'Widget' } },
          { ok: true, object: own },
        ],
      },
    ]);
    expect(decoder.end()).toEqual({ kind: 'list-end', resourceVersion: '5', continue: undefined });
  });

  it('uses the plural name where the list’s kind comes too late', () => {
    const list = {
      items: [object('a@1')],
      kind: 'WidgetList',
      metadata: { resourceVersion: '5', continue: 'n' },
    };
    const decoder = listDecoder(widgets);
    const text = JSON.stringify(list);
    const late = text.indexOf('"kind"');
    expect(decoder.push(text.slice(0, late))).toMatchObject([{ objects: [{ object: { kind: 'widgets' } }] }]);
    expect(decoder.push(text.slice(late))).toEqual([]);
    expect(decoder.end()).toEqual({ kind: 'list-end', resourceVersion: '5', continue: 'n' });
  });

  it('tells a list that was cut from one that is none', () => {
    const endOf = (text: string) => {
      const decoder = listDecoder(widgets);
      return [...decoder.push(text), decoder.end()];
    };
    expect(endOf('{"metadata":{"resourceVersion":"5"},"items":[{"a"')).toEqual([{ kind: 'closed' }]);
    expect(endOf('')).toEqual([{ kind: 'closed' }]);
    for (const text of [
      '{}',
      '{"metadata":{}}',
      '{"metadata":{"resourceVersion":5},"items":[]}',
      '{"metadata":x}',
    ])
      expect(endOf(text)).toMatchObject([{ kind: 'failed', failure: { kind: 'protocol' } }]);
  });

  it('gives up on an item that is no JSON, after those before it', () => {
    const decoder = listDecoder(widgets);
    const text = `{"metadata":{"resourceVersion":"5"},"items":[${JSON.stringify(object('a@1'))},{s3cret},{}]}`;
    const signals = decoder.push(text);
    expect(signals).toMatchObject([
      { kind: 'objects', objects: [{ ok: true }] },
      { kind: 'failed', failure: { message: 'an item of 8 characters is not JSON' } },
    ]);
  });

  it('reports items that are malformed, whatever they are', () => {
    const decoder = listDecoder(widgets);
    const [signal] = decoder.push('{"kind":"WidgetList","items":[null,3,[],{}]');
    expect(signal).toMatchObject({
      objects: [{ ok: false }, { ok: false }, { ok: false }, { ok: false, problem: { field: 'metadata' } }],
    });
  });

  it('gives up on an item that has no end', () => {
    const decoder = listDecoder(widgets);
    decoder.push('{"items":[{"a":"');
    const chunk = 'x'.repeat(longestObjectText / 2);
    expect(decoder.push(chunk)).toEqual([]);
    expect(decoder.push(chunk)).toMatchObject([{ kind: 'failed', failure: { kind: 'protocol' } }]);
  });
});

describe('watchDecoder', () => {
  it('gives the complete lines of a chunk together, and drops a half one at the end', () => {
    const decoder = watchDecoder(widgets);
    const text = added('a@1') + bookmark('5') + added('b@2');
    expect(decoder.push(text.slice(0, 10))).toEqual([]);
    const [signal] = decoder.push(text.slice(10, -3));
    expect(signal).toMatchObject({ kind: 'lines', lines: [{ change: 'added' }, { kind: 'bookmark' }] });
    expect(decoder.end()).toEqual({ kind: 'closed' });
  });

  it('reads nothing after garbage', () => {
    const [signal] = watchDecoder(widgets).push(`${added('a@1')}garbage\n${added('b@2')}`);
    expect(signal).toMatchObject({ lines: [{ kind: 'object' }, { kind: 'garbage' }] });
    expect(signal?.kind === 'lines' && signal.lines.length).toBe(2);
  });

  it('takes a line without end as garbage', () => {
    const decoder = watchDecoder(widgets);
    const chunk = 'x'.repeat(longestObjectText / 2);
    expect(decoder.push(chunk)).toEqual([]);
    expect(decoder.push(chunk)).toEqual([]);
    expect(decoder.push('x')).toMatchObject([{ kind: 'lines', lines: [{ kind: 'garbage' }] }]);
  });
});
