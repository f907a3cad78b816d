import { marbles } from 'rxjs-marbles';
import { filter, map, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { TemplateConfig } from '../../../src/api/template-config.ts';
import { emptyQuarantine } from '../../../src/gate/quarantine-state.ts';
import {
  type LoadGateDeps,
  type OpenedWorld,
  type TrialEvent,
  loadGate,
} from '../../../src/world/load-gate.ts';
import type {
  Candidate,
  LoadReport,
  LoadStage,
  ResolvedConfig,
  StageResult,
} from '../../../src/world/load-report.ts';
import { bundleOf } from '../../fixtures/bundle-of.ts';

const resolved: ResolvedConfig = {
  // The gate passes it through: its stages alone look at it.
  config: {} as TemplateConfig,
  sourceOfTemplate: (template) => template,
};
const candidate = (id: string, basic: StageResult<ResolvedConfig> = { ok: true, value: resolved }) => ({
  id,
  name: `config ${id}`,
  resolve$: of(basic),
});
const candidates: Record<string, Candidate> = { a: candidate('a'), b: candidate('b'), c: candidate('c') };

const letters: Record<LoadStage, string> = {
  basic: 'b',
  template: 't',
  jsonpath: 'j',
  validationTests: 'v',
  render: 'r',
  check: 'c',
};

/** `b t j v r c`: a stage is passed; `A`: taken; `x`: refused; `p`: refused for now; `U`: the one at work. */
const told = map((report: LoadReport<string>) => {
  switch (report.kind) {
    case 'passed':
      return letters[report.stage];
    case 'accepted':
      return 'A';
    case 'refused':
      return report.passing ? 'p' : 'x';
    case 'unchanged':
      return 'U';
  }
});

const stages: Record<string, StageResult<OpenedWorld<string>>> = {
  o: { ok: true, value: { world: 'w', pathErrors: [] } },
  t: { ok: true, value: { world: 'unused', pathErrors: [] } },
  x: { ok: false, errors: ['wrong'] },
  P: { ok: true, value: { world: 'w', pathErrors: ['bad path'] } },
};
const trialEvents: Record<string, TrialEvent> = {
  r: { kind: 'rendered' },
  a: { kind: 'accepted', render: { bundle: bundleOf('p'), state: emptyQuarantine } },
  x: { kind: 'refused', stage: 'check', errors: ['no such keyword'], passing: false },
  p: { kind: 'refused', stage: 'check', errors: ['haproxy does not run'], passing: true },
};

const letterMap = (letters: string) => Object.fromEntries(Array.from(letters, (letter) => [letter, letter]));

type Marbles = Parameters<Parameters<typeof marbles>[0]>[0];

function scene(m: Marbles, change: Partial<LoadGateDeps<string>> = {}) {
  const closed: string[] = [];
  const open = m.cold<StageResult<OpenedWorld<string>>>('--(o|)', stages);
  const test = m.cold<StageResult<unknown>>('            ----(t|)', stages);
  const trial = m.cold<TrialEvent>('                     --r--(a|)', trialEvents);
  let active: string | undefined = 'former';
  const gate = loadGate<string>({
    active: () => active,
    open: () => open,
    test: () => test,
    trial: () => trial,
    close: (world) => closed.push(world),
    maxStale: 100,
    retry: 10,
    ...change,
  });
  return { gate, closed, open, test, trial, setActive: (id: string | undefined) => (active = id) };
}

describe('loadGate', () => {
  it(
    'takes a configuration through all stages, and hands its world over once',
    marbles((m) => {
      const { gate, closed, open, test, trial } = scene(m);
      const source = m.hot('           -a--------------', candidates);
      m.expect(source.pipe(gate, told), '^--------------------!').toBeObservable('-b-(tj)v-r--(cA)');
      m.expect(source).toHaveSubscriptions('^--------------------!');
      m.expect(open).toHaveSubscriptions('  -^-!');
      m.expect(test).toHaveSubscriptions('  ---^---!');
      m.expect(trial).toHaveSubscriptions(' -------^----!');
      m.flush();
      expect(closed).toEqual([]);
    }),
  );

  it(
    'hands over the first configuration before its render: there is nothing that it could harm',
    marbles((m) => {
      const { gate, trial, setActive } = scene(m);
      setActive(undefined);
      const source = m.hot('           -a----', candidates);
      m.expect(source.pipe(gate, told), '^----------!').toBeObservable('-b-(tj)(vA)');
      m.expect(trial).toHaveSubscriptions([]);
    }),
  );

  it(
    'refuses at the first stage that is not passed, and does not go on',
    marbles((m) => {
      const { gate, open } = scene(m);
      const wrong = candidate('a', { ok: false, errors: ['spec.maps is no object'] });
      const source = m.hot('           -a-', { a: wrong });
      m.expect(source.pipe(gate, told)).toBeObservable('-x-');
      m.expect(open).toHaveSubscriptions([]);
    }),
  );

  it(
    'has no world to close after a template that does not compile',
    marbles((m) => {
      const { gate, closed, test } = scene(m, { open: () => m.cold('--(x|)', stages) });
      const source = m.hot('           -a----', candidates);
      m.expect(source.pipe(gate, told)).toBeObservable('-b-x--');
      m.expect(test).toHaveSubscriptions([]);
      m.flush();
      expect(closed).toEqual([]);
    }),
  );

  it(
    'closes the world of a configuration whose paths are wrong, and runs no test of it',
    marbles((m) => {
      const { gate, closed, test } = scene(m, { open: () => m.cold('--(P|)', stages) });
      const source = m.hot('           -a-----', candidates);
      m.expect(source.pipe(gate, told)).toBeObservable('-b-(tx)');
      m.expect(test).toHaveSubscriptions([]);
      m.flush();
      expect(closed).toEqual(['w']);
    }),
  );

  it(
    'closes the world of a configuration that fails its own tests',
    marbles((m) => {
      const failing = m.cold('         ----(x|)', stages);
      const { gate, closed, trial } = scene(m, { test: () => failing });
      const source = m.hot('           -a--------', candidates);
      m.expect(source.pipe(gate, told)).toBeObservable('-b-(tj)x--');
      m.expect(failing).toHaveSubscriptions('---^---!');
      m.expect(trial).toHaveSubscriptions([]);
      m.flush();
      expect(closed).toEqual(['w']);
    }),
  );

  it(
    'closes the world of a configuration that HAProxy refuses',
    marbles((m) => {
      const { gate, closed } = scene(m, { trial: () => m.cold('--r--(x|)', trialEvents) });
      const source = m.hot('           -a--------------', candidates);
      m.expect(source.pipe(gate, told)).toBeObservable('-b-(tj)v-r--x---');
      m.flush();
      expect(closed).toEqual(['w']);
    }),
  );

  it(
    'lets a newer candidate supersede the one in the gate, and closes what that had',
    marbles((m) => {
      const { gate, closed, open, test, trial } = scene(m);
      const source = m.hot('           -a--------b--------------', candidates);
      m.expect(source.pipe(gate, told)).toBeObservable('-b-(tj)v-rb-(tj)v-r--(cA)');
      m.expect(open).toHaveSubscriptions([' -^-!', '----------^-!']);
      m.expect(test).toHaveSubscriptions([' ---^---!', '------------^---!']);
      m.expect(trial).toHaveSubscriptions(['-------^--!', '----------------^----!']);
      m.flush();
      expect(closed).toEqual(['w']);
    }),
  );

  it(
    'gives up a candidate in its tests for a newer one',
    marbles((m) => {
      const test = m.cold('             ------(t|)', stages);
      const { gate, closed } = scene(m, { test: () => test });
      const source = m.hot('           -a------b--', candidates);
      const out$ = source.pipe(gate, told);
      m.expect(out$, '                 ^----------!').toBeObservable('-b-(tj)-b-(tj)');
      m.expect(test).toHaveSubscriptions(['---^----!', '----------^!']);
      m.flush();
      expect(closed).toEqual(['w', 'w']);
    }),
  );

  it(
    'knows the configuration at work, which also ends what is in the gate',
    marbles((m) => {
      const { gate, closed, open, trial, setActive } = scene(m);
      setActive('b');
      const source = m.hot('           -a--------b---', candidates);
      m.expect(source.pipe(gate, told)).toBeObservable('-b-(tj)v-rU---');
      m.expect(open).toHaveSubscriptions('  -^-!');
      m.expect(trial).toHaveSubscriptions(' -------^--!');
      m.flush();
      expect(closed).toEqual(['w']);
    }),
  );

  it(
    'tries again what was refused for a passing reason, until something newer comes',
    marbles((m) => {
      const { gate, closed } = scene(m, {
        open: () => m.cold('(o|)', stages),
        test: () => m.cold('(t|)', stages),
        trial: () => m.cold('-(p|)', trialEvents),
      });
      const source = m.hot('   a 25ms b ', candidates);
      const expected = '       -p 10ms p 10ms p 3ms p';
      const refusals$ = source.pipe(
        gate,
        told,
        filter((letter) => letter === 'p'),
      );
      m.expect(refusals$, '     30ms !').toBeObservable(expected);
      m.expect(source).toHaveSubscriptions('^ 29ms !');
      m.flush();
      expect(closed).toEqual(['w', 'w', 'w', 'w']);
    }),
  );

  it(
    'lets a candidate finish when newer ones have come faster than it takes for maxStale',
    marbles((m) => {
      const { gate } = scene(m, { maxStale: 6 });
      const source = m.hot<string>('   a-b-c-d-e-f-g-h-i----------------');
      const taken$ = source.pipe(
        map((id) => candidate(id)),
        gate,
        filter((report) => report.kind === 'accepted'),
        map((report) => report.candidate.id),
      );
      // What runs after 6 ms is allowed to end, and then the newest is next.
      m.expect(taken$, '30ms !').toBeObservable('---------------c-----------i');
    }),
  );

  it(
    'ends what is in the gate when there is no candidate any more, also what may finish and what waits behind it',
    marbles((m) => {
      const { gate, closed, trial } = scene(m, { maxStale: 6 });
      const source = m.hot<string>('   a-b-c-d-e-f-x-----------------b', { ...letterMap('abcdef'), x: '' });
      const told$ = source.pipe(
        map((id) => (id === '' ? undefined : candidate(id))),
        gate,
        map((report) => `${report.kind} ${report.candidate.id}`),
        filter((word) => !word.startsWith('passed')),
      );
      m.expect(told$, '                 50ms !').toBeObservable('41ms z', { z: 'accepted b' });
      m.expect(trial).toHaveSubscriptions(['----------^-!', '36ms ^----!']);
      m.flush();
      expect(closed).toEqual(['w']);
    }),
  );

  it(
    'tries nothing again that is gone',
    marbles((m) => {
      const { gate } = scene(m, {
        open: () => m.cold('(o|)', stages),
        test: () => m.cold('(t|)', stages),
        trial: () => m.cold('-(p|)', trialEvents),
      });
      const source = m.hot('   a 15ms x ', { ...candidates, x: undefined });
      const expected = '       -p 10ms p';
      const refusals$ = source.pipe(
        gate,
        told,
        filter((letter) => letter === 'p'),
      );
      m.expect(refusals$, '     60ms !').toBeObservable(expected);
    }),
  );

  it(
    'closes what is in the gate when unsubscribed',
    marbles((m) => {
      const { gate, closed, trial } = scene(m);
      const source = m.hot('           -a--------------', candidates);
      m.expect(source.pipe(gate, told), '^---------!').toBeObservable('-b-(tj)v-r');
      m.expect(trial).toHaveSubscriptions(' -------^--!');
      m.flush();
      expect(closed).toEqual(['w']);
    }),
  );
});
