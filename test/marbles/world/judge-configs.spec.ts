import { marbles } from 'rxjs-marbles';
import { NEVER, type Observable, map, share } from 'rxjs';
import { describe, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { LatchState } from '../../../src/gate/latch.ts';
import { type QuarantineState, emptyQuarantine } from '../../../src/gate/quarantine-state.ts';
import type { Verdict } from '../../../src/gate/verdict.ts';
import { emptyOrderedMap } from '../../../src/lib/ordered-map.ts';
import { noQuarantine } from '../../../src/protocol/provenance.ts';
import type { RenderOutcome } from '../../../src/protocol/render-outcome.ts';
import { type FirstJudge, judgeConfigs } from '../../../src/world/judge-configs.ts';
import type { Candidate, LoadReport } from '../../../src/world/load-report.ts';
import { bundleOf } from '../../fixtures/bundle-of.ts';

type Marbles = Parameters<Parameters<typeof marbles>[0]>[0];

/** A world is the generation of its renders. */
type World = object;

const worlds = { one: {}, two: {} };
const candidate = (id: string, generation: number): Candidate => ({
  id,
  name: id,
  generation,
  resolve$: NEVER,
});
const first = candidate('good', 1);
const bad = candidate('bad', 2);
const reverted = candidate('good', 3);
const second = candidate('better', 4);

/** `1`, `2`: taken; `x`: an edit that is refused; `u`: the first one again; `p`: for a passing reason; `b`: a stage. */
const reports: Record<string, LoadReport<World>> = {
  '1': { kind: 'accepted', candidate: first, world: worlds.one, tookMs: 1 },
  '2': {
    kind: 'accepted',
    candidate: second,
    world: worlds.two,
    render: { bundle: bundleOf('p'), state: emptyQuarantine },
    tookMs: 1,
  },
  b: { kind: 'passed', candidate: bad, stage: 'basic', tookMs: 1 },
  x: { kind: 'refused', candidate: bad, stage: 'template', errors: ['wrong', 'also'], passing: false },
  p: { kind: 'refused', candidate: bad, stage: 'check', errors: ['no haproxy'], passing: true },
  u: { kind: 'unchanged', candidate: reverted },
};

const nothing = {
  configuration: '',
  outputs: emptyOrderedMap<never>(),
  quarantine: noQuarantine,
  withheld: new Map<string, string>(),
  withheldPatches: [],
  candidate: () => undefined,
  restore: () => undefined,
};
const ofOne = { ...bundleOf('p'), provenance: { ...nothing, generation: worlds.one } };
const latches: Record<string, LatchState> = {
  a: { mode: 'optimistic', pinned: false, accepted: ofOne },
  o: { mode: 'pessimistic', pinned: false },
};
const stuckWith = (stuck?: string): QuarantineState => ({
  ...emptyQuarantine,
  generation: worlds.one,
  ...(stuck === undefined ? {} : { stuck }),
});
const quarantines: Record<string, QuarantineState> = {
  s: stuckWith('no such keyword'),
  t: stuckWith('found by a trial'),
  o: stuckWith(),
};
const verdicts: Record<string, Verdict> = {
  r: {
    kind: 'refused',
    planId: 'p',
    findings: [{ severity: 'alert', message: 'no such keyword', template: 'haproxyConfig:3:1' }],
    output: '',
  },
  n: { kind: 'unchecked', planId: 'p', message: 'haproxy does not run' },
};
const outcomes: Record<string, RenderOutcome> = {
  x: { kind: 'rejected', message: 'haproxyConfig:2:1: no such field', problems: [] },
  w: { kind: 'rejected', message: 'waiting for secrets', problems: [], passing: true },
  o: { kind: 'rendered', bundle: ofOne, tookMs: 1 },
};

function scene(m: Marbles, source: Observable<LoadReport<World>>, streams: Partial<FirstJudge> = {}) {
  const objectOf = ({ name, generation = 0 }: Candidate): KubeObject => ({ metadata: { name, generation } });
  return judgeConfigs<World>({
    report$: source.pipe(share({ resetOnRefCountZero: true })),
    objectOf,
    generationOf: (world) => world,
    words: (_world, verdict) =>
      verdict.kind === 'refused'
        ? verdict.findings.map(({ message, template }) => `${message} (${template ?? ''})`)
        : [],
    first: {
      render$: m.hot('-'),
      verdict$: m.hot('-'),
      latch$: m.hot('-'),
      quarantine$: m.hot('-'),
      ...streams,
    },
    waitingFor: () => ['widgets', 'gadgets'],
    syncTimeout: 1_000,
  }).pipe(
    map(({ object, status, reason, message }) =>
      [object.metadata.generation, status, reason, message].join(' '),
    ),
  );
}

const validating = 'Unknown Validating waiting for the first render and what HAProxy says of it';
const valid = 'Valid ValidationSucceeded the configuration is at work';

describe('judgeConfigs', () => {
  it(
    'calls the first one valid when HAProxy has accepted a render of it, once',
    marbles((m) => {
      const latch$ = m.hot('  ---o--a-a--', latches);
      const source = m.hot('  -b1--------', reports);
      const expected = '      --v---V----';
      m.expect(scene(m, source, { latch$ }), '^----------!').toBeObservable(expected, {
        v: `1 ${validating}`,
        V: `1 ${valid}`,
      });
      m.expect(latch$).toHaveSubscriptions('--^---!');
      m.expect(source).toHaveSubscriptions('^----------!');
    }),
  );

  it(
    'takes the word of the trial for a later one',
    marbles((m) => {
      const latch$ = m.hot('  -----------', latches);
      const source = m.hot('  -1--2------', reports);
      m.expect(scene(m, source, { latch$ }), '^----------!').toBeObservable('-v--V------', {
        v: `1 ${validating}`,
        V: `4 ${valid}`,
      });
      m.expect(latch$).toHaveSubscriptions('-^--!');
    }),
  );

  it(
    'refuses with the stage, and says nothing final for a passing reason',
    marbles((m) => {
      const source = m.hot('  -x--p------', reports);
      m.expect(scene(m, source), '^----------!').toBeObservable('-x--p------', {
        x: '2 Invalid ConfigInvalid template: wrong (and 1 more)',
        p: '2 Unknown LoadGateFailed check: no haproxy',
      });
    }),
  );

  it(
    'knows what HAProxy said of the first one while a bad edit was there, when that is taken back',
    marbles((m) => {
      const latch$ = m.hot('  -----a-----', latches);
      const source = m.hot('  -1-x---u---', reports);
      const expected = '      -v-x---V---';
      m.expect(scene(m, source, { latch$ }), '^----------!').toBeObservable(expected, {
        v: `1 ${validating}`,
        x: '2 Invalid ConfigInvalid template: wrong (and 1 more)',
        V: `3 ${valid}`,
      });
      m.expect(latch$).toHaveSubscriptions('-^---!');
    }),
  );

  it(
    'waits for what HAProxy says of the first one, also after a bad edit was taken back',
    marbles((m) => {
      const latch$ = m.hot('  --------a--', latches);
      const source = m.hot('  -1-x-u-----', reports);
      const expected = '      -v-x-w--V--';
      m.expect(scene(m, source, { latch$ }), '^----------!').toBeObservable(expected, {
        v: `1 ${validating}`,
        x: '2 Invalid ConfigInvalid template: wrong (and 1 more)',
        w: `3 ${validating}`,
        V: `3 ${valid}`,
      });
      m.expect(latch$).toHaveSubscriptions('-^------!');
    }),
  );

  it(
    'says why nothing of the first one can be released, in the words of the verdict where that is the reason',
    marbles((m) => {
      const verdict$ = m.hot('   ---r--------', verdicts);
      const quarantine$ = m.hot('---s--t--o--', quarantines);
      const latch$ = m.hot('     ----------a-', latches);
      const source = m.hot('     -1----------', reports);
      const expected = '         -v-s--t--v---'.replace('v---', 'vV--');
      m.expect(scene(m, source, { verdict$, quarantine$, latch$ }), '^-----------!').toBeObservable(
        expected,
        {
          v: `1 ${validating}`,
          s: '1 Invalid HAProxyValidationFailed check: no such keyword (haproxyConfig:3:1)',
          t: '1 Invalid HAProxyValidationFailed check: found by a trial',
          V: `1 ${valid}`,
        },
      );
    }),
  );

  it(
    'says why the first one cannot be rendered, and that its check cannot run',
    marbles((m) => {
      const render$ = m.hot(' ---x--w--o------', outcomes);
      const verdict$ = m.hot('-----------n----', verdicts);
      const latch$ = m.hot('  -------------a--', latches);
      const source = m.hot('  -1--------------', reports);
      const expected = '      -v-x--w--v-n-V--';
      m.expect(scene(m, source, { render$, verdict$, latch$ }), '^---------------!').toBeObservable(
        expected,
        {
          v: `1 ${validating}`,
          x: '1 Invalid LoadGateFailed render: haproxyConfig:2:1: no such field',
          w: '1 Unknown LoadGateFailed render: waiting for secrets',
          n: '1 Unknown LoadGateFailed check: haproxy does not run',
          V: `1 ${valid}`,
        },
      );
      m.expect(render$).toHaveSubscriptions('-^-----------!');
    }),
  );

  it(
    'says for which kinds the first one waits when they do not come, until they do',
    marbles((m) => {
      const render$ = m.hot(' -  999ms - 10ms o-----', outcomes);
      const latch$ = m.hot('  -  999ms - 10ms ---a--', latches);
      const source = m.hot('  1  999ms - 10ms ------', reports);
      const expected = '      v  999ms l 10ms v--V--';
      m.expect(scene(m, source, { render$, latch$ }), '1020ms !').toBeObservable(expected, {
        v: `1 ${validating}`,
        l: '1 Unknown LoadGateFailed render: not synced within 1 s: widgets, gadgets',
        V: `1 ${valid}`,
      });
    }),
  );

  it(
    'lets go of everything when unsubscribed',
    marbles((m) => {
      const latch$ = m.hot('  -----------', latches);
      const source = m.hot('  -1---------', reports);
      m.expect(scene(m, source, { latch$ }), '^----!').toBeObservable('-v----', { v: `1 ${validating}` });
      m.expect(latch$).toHaveSubscriptions('-^---!');
      m.expect(source).toHaveSubscriptions('^----!');
    }),
  );
});
