import { Registry } from 'prom-client';
import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import type { GateReport } from '../../../src/gate/gate-stage.ts';
import type { LatchVerdict } from '../../../src/gate/latch.ts';
import {
  emptyQuarantine,
  type QuarantineEntry,
  type QuarantineState,
} from '../../../src/gate/quarantine-state.ts';
import { emptyOrderedMap } from '../../../src/lib/ordered-map.ts';
import { createMetrics } from '../../../src/sinks/metrics.ts';
import { recordQuarantine } from '../../../src/sinks/record-quarantine.ts';
import { bundleOf } from '../../fixtures/bundle-of.ts';

const entry = (
  name: string,
  kind: QuarantineEntry['kind'],
  state: QuarantineEntry['state'],
  words: string,
): [string, QuarantineEntry] => [
  `Ingress ns/${name}`,
  {
    kind,
    state,
    words,
    owner: { kind: 'Ingress', namespace: 'ns', name },
    at: emptyOrderedMap(),
    since: 0,
    refused: new Set(),
    triedAt: 0,
  },
];
const stateOf = (entries: readonly [string, QuarantineEntry][], stuck?: string): QuarantineState => ({
  ...emptyQuarantine,
  entries: new Map(entries),
  ...(stuck === undefined ? {} : { stuck }),
});

function record(
  m: Parameters<Parameters<typeof marbles>[0]>[0],
  quarantine: string,
  states: Record<string, QuarantineState>,
) {
  const metrics = createMetrics(new Registry());
  const lines: string[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const verdict$ = m.hot<LatchVerdict>('-x-y-', {
    x: { planId: 'p', kind: 'refused', findings: [{ message: 'no' }] },
    y: { planId: 'p', kind: 'refused', findings: [{ message: 'no', validator: 'waf' }] },
  });
  const trial$ = m.hot<GateReport<LatchVerdict>>('--t--', {
    t: {
      about: 'trial',
      bundle: bundleOf('q'),
      verdict: { planId: 'q', kind: 'accepted' },
      state: emptyQuarantine,
    },
  });
  const quarantine$ = m.hot(quarantine, states);
  const recording = recordQuarantine({ verdict$, trial$, quarantine$ }, metrics, log, (error) => {
    throw error;
  });
  return { metrics, lines, recording, verdict$, trial$, quarantine$ };
}

describe('recordQuarantine', () => {
  it(
    'tells who is held and who is released, once, in HAProxy’s own words',
    marbles((m) => {
      const a = entry('a', 'pinned', 'refused', 'unknown keyword');
      const b = entry('b', 'excluded', 'refused', 'no such thing');
      const { lines } = record(m, 'abcd-', {
        a: stateOf([a]),
        b: stateOf([a, b]),
        c: stateOf([a, b]),
        d: stateOf([b]),
      });
      m.flush();
      expect(lines.filter((line) => !line.startsWith('debug'))).toEqual([
        'warn object is refused, its last accepted output stays {"object":"Ingress ns/a","kind":"pinned","reason":"unknown keyword"}',
        'warn object is refused and left out {"object":"Ingress ns/b","kind":"excluded","reason":"no such thing"}',
        'info object is in effect again {"object":"Ingress ns/a"}',
      ]);
    }),
  );

  it(
    'tells suspects from the refused, and says when one turns out to be to blame',
    marbles((m) => {
      const { lines } = record(m, 's-r--', {
        s: stateOf([entry('a', 'pinned', 'suspected', 'w')]),
        r: stateOf([entry('a', 'pinned', 'refused', 'w')]),
      });
      m.flush();
      expect(lines.map((line) => line.replace(/ \{.*/, ''))).toEqual([
        'info object is held back until it is known who is to blame',
        'debug checked beside the release',
        'warn object is refused, its last accepted output stays',
      ]);
    }),
  );

  it(
    'says once why nothing can be released',
    marbles((m) => {
      const { lines } = record(m, 's-t-u', {
        s: stateOf([], 'bad templates'),
        t: stateOf([], 'bad templates'),
        u: stateOf([]),
      });
      m.flush();
      expect(lines.filter((line) => line.startsWith('error'))).toHaveLength(1);
      expect(lines[0]).toContain('bad templates');
    }),
  );

  it(
    'counts the objects held by kind, and the refusals by who refused',
    marbles(async (m) => {
      const { metrics } = record(m, 'a-b--', {
        a: stateOf([
          entry('a', 'pinned', 'refused', ''),
          entry('b', 'excluded', 'refused', ''),
          entry('c', 'excluded', 'suspected', ''),
        ]),
        b: stateOf([entry('a', 'pinned', 'refused', '')]),
      });
      m.flush();
      const gauges = (await metrics.quarantined.get()).values.map(({ labels, value }) => [
        labels.kind,
        value,
      ]);
      expect(gauges).toEqual([
        ['pinned', 1],
        ['excluded', 0],
      ]);
      const counts = (await metrics.configRejections.get()).values.map(({ labels, value }) => [
        labels.validator,
        value,
      ]);
      expect(counts).toEqual([
        ['haproxy', 1],
        ['waf', 1],
      ]);
    }),
  );

  it(
    'lets go of every stream when unsubscribed',
    marbles((m) => {
      const { recording, verdict$, trial$, quarantine$ } = record(m, '-----', {});
      m.cold('---(u|)').subscribe({ next: () => recording.unsubscribe() });
      m.expect(verdict$).toHaveSubscriptions('^--!');
      m.expect(trial$).toHaveSubscriptions('^--!');
      m.expect(quarantine$).toHaveSubscriptions('^--!');
    }),
  );
});
