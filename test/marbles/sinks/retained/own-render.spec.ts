import { marbles } from 'rxjs-marbles';
import { NEVER, map } from 'rxjs';
import { describe, it } from 'vitest';
import type { LatchVerdict } from '../../../../src/gate/latch.ts';
import type { RenderOutcome } from '../../../../src/protocol/render-outcome.ts';
import { ownRender } from '../../../../src/sinks/retained/own-render.ts';
import { bundleOf } from '../../../fixtures/bundle-of.ts';

const latches = { n: {}, a: { accepted: bundleOf('a') }, r: { released: bundleOf('a') } };
const renders: Readonly<Record<string, RenderOutcome>> = {
  o: { kind: 'rendered', bundle: bundleOf('a'), tookMs: 1 },
  x: { kind: 'rejected', message: 'line 1', problems: [] },
  p: { kind: 'rejected', message: 'waits', problems: [], passing: true },
};
const verdicts: Readonly<Record<string, LatchVerdict>> = {
  a: { planId: 'a', kind: 'accepted' },
  r: { planId: 'a', kind: 'refused', findings: [{ message: 'bad keyword' }] },
  u: { planId: 'a', kind: 'unchecked' },
};
const configurations = { c: 'no template', n: undefined };
const values = {
  w: 'waits',
  c: 'no template',
  x: 'line 1',
  r: 'HAProxy refuses the render: bad keyword',
  u: 'HAProxy could not be asked about the render',
  o: 'own',
};

describe('a render of its own', () => {
  it(
    'is not there as long as the configuration, the templates or HAProxy say no',
    marbles((m) => {
      const own$ = ownRender({
        latch$: m.hot('        n------a', latches),
        render$: m.hot('       -p--xo--', renders),
        verdict$: m.hot('      ------ra', verdicts),
        configuration$: m.hot('--cn----', configurations),
      }).pipe(map(({ isThere, error }) => error ?? (isThere ? 'own' : 'waits')));
      m.expect(own$).toBeObservable('w-cwxwro', values);
    }),
  );

  it(
    'is there once one was let out, whatever is said of later ones',
    marbles((m) => {
      const own$ = ownRender({
        latch$: m.hot('   n-r----', latches),
        render$: m.hot('  ----x--', renders),
        verdict$: m.hot(' -u---r-', verdicts),
        configuration$: NEVER,
      }).pipe(map(({ isThere, error }) => error ?? (isThere ? 'own' : 'waits')));
      m.expect(own$).toBeObservable('wuo', values);
    }),
  );
});
