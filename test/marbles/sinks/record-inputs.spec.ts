import { marbles } from 'rxjs-marbles';
import { NEVER, filter, map, of, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { TemplateConfig } from '../../../src/api/template-config.ts';
import { createGraph } from '../../../src/collections/create-graph.ts';
import type { Leadership } from '../../../src/protocol/leadership.ts';
import type { HttpContent } from '../../../src/protocol/http-content.ts';
import type { RecordedVerdict, RecordingEntry, StoreEdit } from '../../../src/sinks/recording.ts';
import type { RenderOutcome } from '../../../src/protocol/render-outcome.ts';
import { type RecordInputsDeps, type RecordedWorld, recordInputs } from '../../../src/sinks/record-inputs.ts';
import { bundleOf } from '../../fixtures/bundle-of.ts';
import { ackOf, podOf } from '../../fixtures/delivery-reports.ts';

const plain = (name: string): KubeObject => ({ kind: 'Ingress', metadata: { name } });

function worldOf(objects: Readonly<Record<string, KubeObject>>) {
  const graph = createGraph();
  const store = graph.source<KubeObject>('things');
  const contents = graph.source<HttpContent>('http');
  store.replace(Object.entries(objects));
  contents.set('u', { kind: 'content', text: 'a', digest: 'd' });
  graph.advance();
  const config = { extraContext: { password: 'hush' } } as unknown as TemplateConfig;
  const world: RecordedWorld = { config, stores: new Map([['things', store]]), contents };
  return { world, contents, graph };
}

const nothing: RecordInputsDeps = {
  version: '1',
  capabilities: { version: '3.4.7' },
  isOptimistic: () => true,
  world$: NEVER,
  edit$: NEVER,
  fleet$: NEVER,
  leadership$: NEVER,
  verdict$: NEVER,
  delivery$: NEVER,
  render$: NEVER,
  pause$: timer(2),
};

/** What is told of each entry. */
const words = map((entry: RecordingEntry): string => {
  switch (entry.kind) {
    case 'edit':
      return `${entry.edit.op} ${entry.edit.op === 'replace' ? entry.edit.objects.length : entry.edit.key}`;
    case 'http':
      return `http ${entry.key} ${entry.content?.kind ?? 'gone'}`;
    default:
      return entry.kind;
  }
});

describe('recordInputs', () => {
  it(
    'writes what there is, in portions between turns of the event loop, and then what comes',
    marbles((m) => {
      const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${10 + i}`, plain(`k${i}`)]));
      const edits: Record<string, StoreEdit> = {
        x: { resource: 'things', op: 'delete', key: 'k10' },
        r: { resource: 'things', op: 'replace', objects: [['c', plain('c')]] },
      };
      const world$ = m.hot('w 28ms -', { w: worldOf(many).world });
      const edit$ = m.hot(' 15ms x 13ms r', edits);
      const unsub = '       ^ 28ms -!';
      const expected = '    (bch) 5ms k 4ms x 4ms (lso) 4ms r';
      const entry$ = recordInputs({ ...nothing, world$, edit$, pause$: timer(10) }).pipe(
        words,
        // Of the fifty that come at once, one is enough to see.
        filter((text) => !/^set k(1[1-9]|[2-5])/.test(text)),
      );
      m.expect(entry$, unsub).toBeObservable(expected, {
        b: 'begin',
        c: 'config',
        h: 'http u content',
        k: 'set k10',
        x: 'delete k10',
        l: 'set k60',
        s: 'synced',
        o: 'optimistic',
        r: 'replace 1',
      });
      m.expect(world$).toHaveSubscriptions(unsub);
      m.expect(edit$).toHaveSubscriptions(unsub);
    }),
  );

  it(
    'writes what is fed back once there is a configuration that it can be about',
    marbles((m) => {
      const outcome: RenderOutcome = { kind: 'rendered', bundle: bundleOf('1'), tookMs: 1 };
      const verdict: RecordedVerdict = { kind: 'accepted', planId: '1' };
      const world$ = m.hot('   ---w---------------', { w: worldOf({}).world });
      const render$ = m.hot<RenderOutcome>('  r-------------r---x', {
        r: outcome,
        x: { kind: 'rejected', message: 'no', problems: [] },
      });
      const verdict$ = m.hot(' v-------------v----', { v: verdict });
      const delivery$ = m.hot('d--------------d---', { d: ackOf('p', '1') });
      const fleet$ = m.hot('   -f-----------------', { f: [podOf('p')] });
      const leadership$ = m.hot<Leadership>('-----------l------', { l: { kind: 'leading', epoch: 3 } });
      const unsub = '          ^------------------!';
      const opened = '         ---^---------------!';
      const expected = '       bf-(chso)--l--(rv)x';
      const entry$ = recordInputs({
        ...nothing,
        ...{ world$, render$, verdict$, delivery$, fleet$, leadership$ },
      }).pipe(
        words,
        filter((text) => text !== 'delivery'),
      );
      m.expect(entry$, unsub).toBeObservable(expected, {
        b: 'begin',
        f: 'fleet',
        c: 'config',
        h: 'http u content',
        s: 'synced',
        o: 'optimistic',
        l: 'leadership',
        r: 'render',
        v: 'verdict',
        x: 'rejected',
      });
      m.expect(world$).toHaveSubscriptions(unsub);
      m.expect(render$).toHaveSubscriptions(opened);
      m.expect(verdict$).toHaveSubscriptions(opened);
      m.expect(delivery$).toHaveSubscriptions(opened);
      m.expect(fleet$).toHaveSubscriptions(unsub);
      m.expect(leadership$).toHaveSubscriptions(unsub);
    }),
  );

  it('takes secrets out, and equal ones for equal ones', () => {
    const secret: KubeObject = {
      kind: 'Secret',
      metadata: { name: 's' },
      data: { 'tls.key': 'c2VjcmV0', again: 'c2VjcmV0', other: 'b3RoZXI=' },
    };
    const { world, contents, graph } = worldOf({ s: secret });
    const seen: RecordingEntry[] = [];
    const recording = recordInputs({ ...nothing, world$: of(world), pause$: of(1) }).subscribe((entry) =>
      seen.push(entry),
    );
    contents.set('u', { kind: 'content', text: '-----BEGIN PRIVATE KEY-----\nx', digest: 'e' });
    graph.advance();
    recording.unsubscribe();
    const text = JSON.stringify(seen);
    expect(text).not.toMatch(/hush|c2VjcmV0|b3RoZXI=|BEGIN PRIVATE/);
    const edit = seen.find((entry) => entry.kind === 'edit');
    const data = (edit?.edit.op === 'set' ? edit.edit.object['data'] : {}) as Record<string, string>;
    expect(data['tls.key']).toBe(data['again']);
    expect(data['tls.key']).not.toBe(data['other']);
    expect(Buffer.from(data['other'] ?? '', 'base64').toString()).toMatch(/^redacted-[0-9a-f]{12}$/);
    expect(seen.filter(({ kind }) => kind === 'http')).toHaveLength(2);
  });
});
