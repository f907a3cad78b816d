import { marbles } from 'rxjs-marbles';
import { map, of, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { LatchVerdict } from '../../../src/gate/latch.ts';
import { type QuarantineState, emptyQuarantine } from '../../../src/gate/quarantine-state.ts';
import { formatOwner } from '../../../src/lib/owner.ts';
import type { HeldObjects } from '../../../src/protocol/provenance.ts';
import type { RenderOutcome } from '../../../src/protocol/render-outcome.ts';
import type { TrialEvent } from '../../../src/world/load-gate.ts';
import { type TryWorldDeps, tryWorld } from '../../../src/world/try-world.ts';
import { createHeldRenderer, fakeOwner, fakeVerdict } from '../../fixtures/held-renderer.ts';

type Marbles = Parameters<Parameters<typeof marbles>[0]>[0];
type Deps = TryWorldDeps<string, LatchVerdict>;

/** A world over widgets that print what is written; a word that starts with `bad` is refused. */
function scene(m: Marbles, words: string, change: Partial<Deps> = {}, begin: Partial<QuarantineState> = {}) {
  const renderer = createHeldRenderer();
  renderer.write(words);
  const { provenance } = renderer.bundle();
  const heldIn: (readonly string[])[] = [];
  const changes = m.cold('--s----', { s: 'synced' });
  const deps: Deps = {
    changes: () => changes,
    waitingFor: () => ['widgets', 'gadgets'],
    render: (_world: string, held: HeldObjects) => {
      heldIn.push([...held.quarantine.keys()]);
      renderer.hold(held.quarantine);
      const rendered: RenderOutcome = { kind: 'rendered', bundle: renderer.bundle(), tookMs: 1 };
      return m.cold('-(r|)', { r: rendered });
    },
    check: (_world, plan) => m.cold('--(v|)', { v: fakeVerdict(plan) }),
    begin: () =>
      of({
        ...emptyQuarantine,
        ...(provenance && { generation: provenance.generation }),
        ...begin,
      }),
    words: (_world, { kind, findings }) => findings?.map(({ message }) => message) ?? [kind],
    syncTimeout: 50,
    retry: { delay: 10, attempts: 3 },
    ...change,
  };
  return { trial$: tryWorld('w', deps), changes, heldIn };
}

/** `r`: rendered; `A`: accepted; `x`: refused; `p`: refused for now. */
const told = map((event: TrialEvent) => {
  if (event.kind === 'refused') return event.passing ? 'p' : 'x';
  return event.kind === 'accepted' ? 'A' : 'r';
});

const errorsOf = (trial$: Observable<TrialEvent>, into: string[]) =>
  trial$.pipe(
    map((event) => {
      if (event.kind === 'refused') into.push(`${event.stage}: ${event.errors.join(', ')}`);
      return event;
    }),
    told,
  );

describe('tryWorld', () => {
  it(
    'waits for the stores, renders, and ends with what HAProxy says; the stores are followed meanwhile',
    marbles((m) => {
      const { trial$, changes, heldIn } = scene(m, 'a=good b=fine');
      m.expect(trial$.pipe(told)).toBeObservable('---r-(A|)');
      m.expect(changes).toHaveSubscriptions(['^----!', '^-!']);
      m.flush();
      expect(heldIn).toEqual([[]]);
    }),
  );

  it(
    'renders once it is known who is held, and gives that up when it is left',
    marbles((m) => {
      const known = { b: { ...emptyQuarantine } };
      const begin$ = m.cold('---(b|)', known);
      const { trial$, heldIn } = scene(m, 'a=good b=fine', { begin: () => begin$ });
      m.expect(trial$.pipe(told), '^---!').toBeObservable('----');
      m.expect(trial$.pipe(told), '^----------!').toBeObservable('------r-(A|)');
      m.expect(begin$).toHaveSubscriptions(['--^-!', '--^--!']);
      m.flush();
      expect(heldIn).toHaveLength(1);
    }),
  );

  it(
    'refuses a configuration under which an object is refused that was served',
    marbles((m) => {
      const errors: string[] = [];
      const served = new Set([formatOwner(fakeOwner('b'))]);
      const { trial$ } = scene(m, 'a=good b=bad1', {}, { served });
      m.expect(errorsOf(trial$, errors)).toBeObservable('---r-(x|)');
      m.flush();
      expect(errors).toHaveLength(1);
      expect(errors[0]).toMatch(/^check: /);
    }),
  );

  it(
    'leaves out an object that is refused and was never served',
    marbles((m) => {
      const { trial$, heldIn } = scene(m, 'a=good b=bad1');
      m.expect(trial$.pipe(told)).toBeObservable('---r----(A|)');
      m.flush();
      expect(heldIn).toHaveLength(2);
      expect(heldIn[1]).toHaveLength(1);
    }),
  );

  it(
    'tells why a render failed as a whole',
    marbles((m) => {
      const errors: string[] = [];
      const rejected: RenderOutcome = { kind: 'rejected', message: 'no such field', problems: [] };
      const { trial$ } = scene(m, 'a=good', { render: () => m.cold('-(r|)', { r: rejected }) });
      m.expect(errorsOf(trial$, errors)).toBeObservable('---(x|)');
      m.flush();
      expect(errors).toEqual(['render: no such field']);
    }),
  );

  it(
    'blames nobody for a render that lacks what may still come',
    marbles((m) => {
      const errors: string[] = [];
      const lacking: RenderOutcome = { kind: 'rejected', message: 'no list', problems: [], passing: true };
      const { trial$ } = scene(m, 'a=good', { render: () => m.cold('-(r|)', { r: lacking }) });
      m.expect(errorsOf(trial$, errors)).toBeObservable('---(p|)');
      m.flush();
      expect(errors).toEqual(['render: no list']);
    }),
  );

  it(
    'asks again when a check cannot run, and says after some attempts that this tells nothing',
    marbles((m) => {
      const errors: string[] = [];
      const unable = m.cold('(u|)', { u: { kind: 'unchecked' as const, planId: 'p' } });
      const { trial$ } = scene(m, 'a=good', { check: () => unable });
      m.expect(errorsOf(trial$, errors)).toBeObservable('---r 19ms (p|)');
      m.expect(unable).toHaveSubscriptions(['---(^!)', '3ms 10ms (^!)', '3ms 20ms (^!)']);
      m.flush();
      expect(errors).toEqual(['check: unchecked']);
    }),
  );

  it(
    'goes on with the verdict of a check that can run after all',
    marbles((m) => {
      let attempts = 0;
      const { trial$ } = scene(m, 'a=good', {
        check: (_world, plan) =>
          m.cold('(v|)', {
            v: ++attempts < 3 ? { kind: 'unchecked' as const, planId: plan.id } : fakeVerdict(plan),
          }),
      });
      m.expect(trial$.pipe(told)).toBeObservable('---r 19ms (A|)');
    }),
  );

  it(
    'names the kinds that do not come in time, which says nothing about the configuration',
    marbles((m) => {
      const errors: string[] = [];
      const never = m.cold('-');
      const { trial$ } = scene(m, 'a=good', { changes: () => never });
      m.expect(errorsOf(trial$, errors)).toBeObservable('50ms (p|)');
      m.expect(never).toHaveSubscriptions(['^ 49ms !', '^ 49ms !']);
      m.flush();
      expect(errors).toEqual(['render: not synced within 0.05 s: widgets, gadgets']);
    }),
  );

  it(
    'ends everything when a newer configuration takes its place',
    marbles((m) => {
      const { trial$, changes } = scene(m, 'a=good');
      m.expect(trial$.pipe(told), '^---!').toBeObservable('---r');
      m.expect(changes).toHaveSubscriptions(['^---!', '^-!']);
    }),
  );
});
