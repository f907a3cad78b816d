import { marbles } from 'rxjs-marbles';
import { EMPTY, Observable, ignoreElements, map, merge, of, share, takeUntil, tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { LatchVerdict } from '../../src/gate/latch.ts';
import { quarantinedObjects } from '../../src/gate/quarantine-state.ts';
import { createTaps } from '../../src/operators/taps.ts';
import { type Pipeline, type PipelineDeps, createPipeline } from '../../src/pipeline.ts';
import type { Leadership } from '../../src/protocol/leadership.ts';
import type { Plan } from '../../src/protocol/plan.ts';
import type { RenderOutcome } from '../../src/protocol/render-outcome.ts';
import type { DeliveryTarget } from '../../src/protocol/delivery-target.ts';
import type { DeliveryReport } from '../../src/protocol/delivery-report.ts';
import { bundleOf } from '../fixtures/bundle-of.ts';
import { createHeldRenderer, fakeVerdict } from '../fixtures/held-renderer.ts';
import { ackOf, podOf, revertOf } from '../fixtures/delivery-reports.ts';

/** In these diagrams a world is a letter; its render has that letter as plan id, in upper case when it was delivered. */
type Verdict = LatchVerdict;
type Deps = PipelineDeps<string, Verdict>;

const rendered = (id: string): RenderOutcome => ({ kind: 'rendered', bundle: bundleOf(id), tookMs: 0 });
const report = (target: DeliveryTarget): DeliveryReport => {
  const { pod } = target;
  if (target.kind === 'leave') return ackOf(pod.key, 'nothing', { pod });
  return target.kind === 'deliver'
    ? ackOf(pod.key, target.bundle.plan.id, { pod })
    : revertOf(pod.key, target.planId, 'good');
};
const p = podOf('p');
const q = podOf('q');
const roles: Record<string, Leadership> = {
  s: { kind: 'standby' },
  l: { kind: 'leading', epoch: 1 },
  m: { kind: 'leading', epoch: 2 },
};
const fleets = { n: [], p: [p], b: [p, q] };
const timing = {
  maxStaleRender: 10,
  checkDelay: 0,
  checkInterval: { leading: 0, standby: 0 },
  checkRetry: { min: 50, max: 50 },
};
const accept = (plan: Plan): Observable<Verdict> => of({ planId: plan.id, kind: 'accepted' });

const withDeps = (overrides: Partial<Deps> & Pick<Deps, 'changes' | 'render' | 'deliver'>): Deps => ({
  config$: new Observable<string>((subscriber) => subscriber.next('config')),
  check: accept,
  fleet$: new Observable((subscriber) => subscriber.next([p])),
  leadership$: new Observable((subscriber) => subscriber.next({ kind: 'leading', epoch: 0 })),
  taps: createTaps(),
  timing,
  ...overrides,
});
/** Deliveries as `<pod><plan>`, with everything else of the pipeline subscribed too, as in main. */
const run = ({ render$, verdict$, latch$, delivery$ }: Pipeline<Verdict>) =>
  merge(merge(render$, verdict$, latch$).pipe(ignoreElements()), delivery$).pipe(
    map(({ pod, planId }) => `${pod.key}${planId}`),
  );

describe('pipeline', () => {
  it(
    'renders and delivers a burst of changes once, with the newest world',
    marbles((m) => {
      const changes = m.hot('  --(abc)-----d---');
      const expected = '       ----c---------d-';
      const unsub = '          ^--------------!';
      const renders: string[] = [];
      const pipeline = createPipeline(
        withDeps({
          changes: () => changes,
          render: (world) => (renders.push(world), m.cold('-r|').pipe(map(() => rendered(world)))),
          deliver: (target) => m.cold('-(x|)').pipe(map(() => report(target))),
        }),
      );
      m.expect(run(pipeline), unsub).toBeObservable(expected, { c: 'pc', d: 'pd' });
      m.expect(changes).toHaveSubscriptions(unsub);
      m.flush();
      expect(renders).toEqual(['c', 'd']);
    }),
  );

  it(
    'still comes out with renders when changes are faster than the render',
    marbles((m) => {
      const changes = m.hot('  abcdefghijklmnopqrstuvwxyz----------');
      const unsub = '          ^----------------------------------!';
      const render = m.cold('  ----r|');
      const pipeline = createPipeline(
        withDeps({
          changes: () => changes,
          render: (world) => render.pipe(map(() => rendered(world))),
          deliver: (target) => of(report(target)),
        }),
      );
      //                       j and x are those that may finish after 10 ms without an answer, z is the last
      const expected = '       -------------j-------------x----z---';
      m.expect(run(pipeline), unsub).toBeObservable(expected, { j: 'pj', x: 'px', z: 'pz' });
      m.expect(changes).toHaveSubscriptions(unsub);
    }),
  );

  it(
    'delivers a change that arrives during an apply after it, and cancels nothing',
    marbles((m) => {
      const changes = m.hot('  a--bc---------------');
      const apply = m.cold('    -----(x|)');
      const expected = '       -----a----c---------';
      const unsub = '          ^------------------!';
      const pipeline = createPipeline(
        withDeps({
          changes: () => changes,
          render: (world) => of(rendered(world)),
          deliver: (target) => apply.pipe(map(() => report(target))),
        }),
      );
      m.expect(run(pipeline), unsub).toBeObservable(expected, { a: 'pa', c: 'pc' });
      m.expect(apply).toHaveSubscriptions(['^----!', '-----^----!']);
    }),
  );

  it(
    'lets a render out while HAProxy checks it, holds what follows a refusal, goes back after a second one, and releases what passes',
    marbles((m) => {
      const changes = m.hot('  a-----b-----c-----d------');
      const verdicts = { a: m.cold('--v|'), b: m.cold('  --v|'), c: m.cold('  --v|'), d: m.cold('  --v|') };
      //                       the first render waits for its verdict, b goes out before its refusal, c is held, d passes
      const expected = '       --a---b-------a-----d----';
      const unsub = '          ^-----------------------!';
      const kindOf = (id: string) => (id === 'b' || id === 'c' ? 'refused' : 'accepted');
      const pipeline = createPipeline(
        withDeps({
          changes: () => changes,
          render: (world) => of(rendered(world)),
          check: ({ id }) =>
            verdicts[id as keyof typeof verdicts].pipe(
              map((): Verdict => ({ planId: id, kind: kindOf(id) })),
            ),
          deliver: (target) => of(report(target)),
        }),
      );
      m.expect(run(pipeline), unsub).toBeObservable(expected, { a: 'pa', b: 'pb', d: 'pd' });
      m.expect(verdicts.b).toHaveSubscriptions('------^--!');
      m.expect(verdicts.c).toHaveSubscriptions('------------^--!');
    }),
  );

  it(
    'gives delivery the thread first and starts the check after its delay',
    marbles((m) => {
      const changes = m.hot('  a-----b------');
      const check = m.cold('    (v|)', { v: { planId: 'a', kind: 'accepted' as const } });
      const never = m.cold('    -------');
      const expected = '       ---a--b------';
      const unsub = '          ^-----------!';
      const pipeline = createPipeline(
        withDeps({
          timing: { ...timing, checkDelay: 3 },
          changes: () => changes,
          render: (world) => of(rendered(world)),
          check: ({ id }) => (id === 'a' ? check : never),
          deliver: (target) => of(report(target)),
        }),
      );
      m.expect(run(pipeline), unsub).toBeObservable(expected, { a: 'pa', b: 'pb' });
      m.expect(check).toHaveSubscriptions('---(^!)');
      m.expect(never).toHaveSubscriptions('---------^--!');
    }),
  );

  it(
    'keeps the last good render when templates fail as a whole',
    marbles((m) => {
      const changes = m.hot('  a---x---b--');
      const expected = '       a-------b--';
      const unsub = '          ^---------!';
      const pipeline = createPipeline(
        withDeps({
          changes: () => changes,
          render: (world) =>
            of(world === 'x' ? { kind: 'rejected' as const, message: 'no', problems: [] } : rendered(world)),
          deliver: (target) => of(report(target)),
        }),
      );
      m.expect(run(pipeline), unsub).toBeObservable(expected, { a: 'pa', b: 'pb' });
    }),
  );

  it(
    'brings a new pod to what is out already and leaves the others alone',
    marbles((m) => {
      const changes = m.hot('  a-----------');
      const fleet$ = m.hot('   p---b---b---', fleets);
      const expected = '       a---q-------';
      const unsub = '          ^----------!';
      const pipeline = createPipeline(
        withDeps({
          fleet$,
          changes: () => changes,
          render: (world) => of(rendered(world)),
          deliver: (target) => of(report(target)),
        }),
      );
      m.expect(run(pipeline), unsub).toBeObservable(expected, { a: 'pa', q: 'qa' });
      m.expect(fleet$).toHaveSubscriptions(unsub);
    }),
  );

  it(
    'cancels the apply to a pod that is gone',
    marbles((m) => {
      const changes = m.hot('  a-----------');
      const fleet$ = m.hot('   b--p--------', fleets);
      const slow = m.cold('    ------(x|)');
      const quick = m.cold('   -(x|)');
      const expected = '       -p----------';
      const unsub = '          ^----------!';
      const pipeline = createPipeline(
        withDeps({
          fleet$,
          changes: () => changes,
          render: (world) => of(rendered(world)),
          deliver: (target) => (target.pod.key === 'p' ? quick : slow).pipe(map(() => report(target))),
        }),
      );
      m.expect(run(pipeline), unsub).toBeObservable(expected, { p: 'pa' });
      m.expect(slow).toHaveSubscriptions('^--!');
    }),
  );

  it(
    'has pods take back what HAProxy refuses while nothing accepted is known, and delivers what passes',
    marbles((m) => {
      const changes = m.hot('  a-------b----');
      const verdict = m.cold(' -v|');
      const waiting = m.cold(' -------------');
      const expected = '       -a-------b---';
      const unsub = '          ^-----------!';
      const kinds: string[] = [];
      const pipeline = createPipeline(
        withDeps({
          changes: () => changes,
          render: (world) => of(rendered(world)),
          check: ({ id }) =>
            verdict.pipe(map((): Verdict => ({ planId: id, kind: id === 'a' ? 'refused' : 'accepted' }))),
          deliver: (target, newer$) => (
            kinds.push(target.kind),
            merge(of(report(target)), waiting.pipe(ignoreElements(), takeUntil(newer$)))
          ),
        }),
      );
      m.expect(run(pipeline), unsub).toBeObservable(expected, { a: 'pa', b: 'pb' });
      m.expect(waiting).toHaveSubscriptions(['-^-------!', '---------^--!']);
      m.flush();
      expect(kinds).toEqual(['revert', 'deliver']);
    }),
  );

  it(
    'cancels what is under way to a pod that was replaced under its name and address, and begins with the new one',
    marbles((m) => {
      const changes = m.hot('  a-----------');
      const replaced = podOf('p', { uid: 'new' });
      const fleet$ = m.hot('   p--r--------', { ...fleets, r: [replaced] });
      const former = m.cold('  ------(x|)');
      const latter = m.cold('     --(x|)');
      const expected = '       -----n------';
      const unsub = '          ^----------!';
      const uids: string[] = [];
      const pipeline = createPipeline(
        withDeps({
          fleet$,
          changes: () => changes,
          render: (world) => of(rendered(world)),
          deliver: (target) => (
            uids.push(target.pod.uid),
            (target.pod.uid === 'new' ? latter : former).pipe(map(() => report(target)))
          ),
        }),
      );
      m.expect(run(pipeline), unsub).toBeObservable(expected, { n: 'pa' });
      m.expect(former).toHaveSubscriptions('^--!');
      m.expect(latter).toHaveSubscriptions('---^-!');
      m.flush();
      expect(uids).toEqual(['p', 'new']);
    }),
  );

  it(
    'delivers to pods that end until they are gone, goes on with what is under way to them, and tells nothing of it',
    marbles((m) => {
      const changes = m.hot('  a-------b--------c--');
      // q joins as one that ends; p begins to end while it is delivered to, and is gone before that is over.
      const fleet = m.hot('    p--q-----r------n---', {
        p: [[p], []],
        q: [[p], [q]],
        r: [[], [q, p]],
        n: [[], [q]],
      });
      const fleet$ = fleet.pipe(share());
      const attempt = m.cold(' --(x|)');
      const slow = m.cold('            ---x-----');
      const expected = '       --a-----------------';
      const unsub = '          ^------------------!';
      const targets: string[] = [];
      const taps = createTaps();
      const pipeline = createPipeline(
        withDeps({
          taps,
          fleet$: fleet$.pipe(map(([pods]) => pods!)),
          leaving$: fleet$.pipe(map(([, leaving]) => leaving!)),
          changes: () => changes,
          render: (world) => of(rendered(world)),
          deliver: (target) => {
            const plan = target.kind === 'deliver' ? target.bundle.plan.id : target.kind;
            targets.push(`${target.pod.key}${plan}`);
            const isSlow = target.pod.key === 'p' && plan === 'b';
            return (isSlow ? slow : attempt).pipe(map(() => report(target)));
          },
        }),
      );
      m.expect(run(pipeline), unsub).toBeObservable(expected, { a: 'pa' });
      m.expect(slow).toHaveSubscriptions('--------^-------!');
      m.expect(attempt).toHaveSubscriptions(['^-!', '---^-!', '--------^-!', '-----------------^-!']);
      m.flush();
      expect(targets).toEqual(['pa', 'qa', 'pb', 'qb', 'qc']);
      expect(taps.passed('deliveries')).toBe(4);
    }),
  );

  it(
    'lets no pod wait for another that only waits, however many there are',
    marbles((m) => {
      const changes = m.hot('  a-----------');
      const many = Array.from({ length: 40 }, (_, i) => podOf(`p${i}`));
      const fleet$ = m.hot('   m-----------', { m: many });
      const waiting = m.cold(' ------------');
      const unsub = '          ^----------!';
      let begun = 0;
      const pipeline = createPipeline(
        withDeps({
          fleet$,
          changes: () => changes,
          render: (world) => of(rendered(world)),
          deliver: () => (begun++, waiting.pipe(ignoreElements())),
        }),
      );
      m.expect(run(pipeline), unsub).toBeObservable('-');
      m.expect(changes).toHaveSubscriptions(unsub);
      m.flush();
      expect(begun).toBe(40);
    }),
  );

  it(
    'does not deliver again what only looks new: same content, or a verdict',
    marbles((m) => {
      const changes = m.hot('  a--a--a-----');
      const expected = '       a-----------';
      const unsub = '          ^----------!';
      const pipeline = createPipeline(
        withDeps({
          changes: () => changes,
          render: (world) => of(rendered(world)),
          deliver: (target) => of(report(target)),
        }),
      );
      m.expect(run(pipeline), unsub).toBeObservable(expected, { a: 'pa' });
    }),
  );

  it(
    'renders and checks as a standby, delivers nothing, and as a leader delivers the newest at once',
    marbles((m) => {
      const changes = m.hot('  a-----b-----------');
      const leadership$ = m.hot('s---------l-------', roles);
      const check = m.cold('   -v|');
      const expected = '       ----------b-------';
      const unsub = '          ^----------------!';
      const kinds: string[] = [];
      const pipeline = createPipeline(
        withDeps({
          leadership$,
          changes: () => changes,
          render: (world) => of(rendered(world)),
          check: ({ id }) => check.pipe(map((): Verdict => ({ planId: id, kind: 'accepted' }))),
          deliver: (target) => (
            kinds.push(target.kind),
            target.kind === 'leave' ? EMPTY : of(report(target))
          ),
        }),
      );
      m.expect(run(pipeline), unsub).toBeObservable(expected, { b: 'pb' });
      m.expect(leadership$).toHaveSubscriptions(unsub);
      m.expect(check).toHaveSubscriptions(['^-!', '------^-!']);
      m.flush();
      expect(kinds).toEqual(['leave', 'deliver']);
    }),
  );

  it(
    'lets what is under way come to its end when the term is over, and begins nothing; another term delivers anew',
    marbles((m) => {
      const changes = m.hot('  a----b-------------');
      const leadership$ = m.hot('l--s--------m----', roles);
      const apply = m.cold('   ------(x|)');
      const expected = '       ------a-----------b';
      const unsub = '          ^------------------!';
      const pipeline = createPipeline(
        withDeps({
          leadership$,
          changes: () => changes,
          render: (world) => of(rendered(world)),
          deliver: (target) => (target.kind === 'leave' ? EMPTY : apply.pipe(map(() => report(target)))),
        }),
      );
      m.expect(run(pipeline), unsub).toBeObservable(expected, { a: 'pa', b: 'pb' });
      m.expect(apply).toHaveSubscriptions(['^-----!', '------------^-----!']);
    }),
  );

  it(
    'delivers anew in another term, though it follows at once and wants the same',
    marbles((m) => {
      const changes = m.hot('  a-----------');
      const leadership$ = m.hot('l---(sm)----', roles);
      const expected = '       a---a-------';
      const unsub = '          ^----------!';
      const epochs: number[] = [];
      const pipeline = createPipeline(
        withDeps({
          leadership$,
          changes: () => changes,
          render: (world) => of(rendered(world)),
          deliver: (target) => (
            target.kind === 'deliver' && epochs.push(target.epoch),
            target.kind === 'leave' ? EMPTY : of(report(target))
          ),
        }),
      );
      m.expect(run(pipeline), unsub).toBeObservable(expected, { a: 'pa' });
      m.flush();
      expect(epochs).toEqual([1, 2]);
    }),
  );

  it(
    'waits for the verdict on the first render of a term, which comes without the pause that a standby makes between checks',
    marbles((m) => {
      const changes = m.hot('  a-----b-----------');
      const leadership$ = m.hot('s---------l-------', roles);
      const check = m.cold('   --v|');
      const expected = '       ------------b-----';
      const unsub = '          ^----------------!';
      const pipeline = createPipeline(
        withDeps({
          leadership$,
          timing: { ...timing, checkInterval: { leading: 1, standby: 10_000 } },
          changes: () => changes,
          render: (world) => of(rendered(world)),
          check: ({ id }) => check.pipe(map((): Verdict => ({ planId: id, kind: 'accepted' }))),
          deliver: (target) => (target.kind === 'leave' ? EMPTY : of(report(target))),
        }),
      );
      m.expect(run(pipeline), unsub).toBeObservable(expected, { b: 'pb' });
      m.expect(check).toHaveSubscriptions(['^--!', '----------^--!']);
    }),
  );

  it(
    'ends watches, render, check and applies at shutdown',
    marbles((m) => {
      const changes = m.hot('  a---b-------');
      const unsub = '          ^-----!';
      const render = m.cold('  -r|');
      const never = m.cold('   --------');
      const checkNever = m.cold('---------');
      const pipeline = createPipeline(
        withDeps({
          changes: () => changes,
          render: (world) => render.pipe(map(() => rendered(world))),
          check: (plan) => (plan.id === 'a' ? accept(plan) : checkNever),
          deliver: () => never,
        }),
      );
      m.expect(run(pipeline), unsub).toBeObservable('------');
      m.expect(changes).toHaveSubscriptions(unsub);
      m.expect(never).toHaveSubscriptions(' -^----!');
      m.expect(checkNever).toHaveSubscriptions('-----^!');
    }),
  );

  it(
    'swaps the watches when the configuration changes',
    marbles((m) => {
      const config$ = m.hot('  1---2-------');
      const first = m.hot('    a-b---c-----');
      const second = m.hot('   -----d---e--');
      const expected = '       a-b--d---e--';
      const unsub = '          ^----------!';
      const pipeline = createPipeline(
        withDeps({
          config$,
          changes: (config) => (config === '1' ? first : second),
          render: (world) => of(rendered(world)),
          deliver: (target) => of(report(target)),
        }),
      );
      m.expect(run(pipeline), unsub).toBeObservable(expected, { a: 'pa', b: 'pb', d: 'pd', e: 'pe' });
      m.expect(first).toHaveSubscriptions('  ^---!');
      m.expect(second).toHaveSubscriptions(' ----^------!');
    }),
  );

  describe('with an object that HAProxy refuses', () => {
    /** What is written is rendered under what is held; a check takes 2 ms. Words of one object are `name=word`. */
    const scene = (m: Parameters<Parameters<typeof marbles>[0]>[0], words$: Observable<string>) => {
      const renderer = createHeldRenderer();
      const checked: string[] = [];
      const pipeline = createPipeline(
        withDeps({
          changes: () => words$.pipe(tap((words) => renderer.write(words))),
          render: (_world, held) => {
            renderer.hold(held.quarantine);
            return of({ kind: 'rendered', bundle: renderer.bundle(), tookMs: 0 });
          },
          check: (plan) => {
            checked.push(plan.id);
            return m.cold('--(v|)').pipe(map(() => fakeVerdict(plan)));
          },
          deliver: (target) => of(report(target)),
        }),
      );
      const held$ = pipeline.quarantine$.pipe(
        map((state) =>
          quarantinedObjects(state)
            .map(({ owner, kind }) => `${owner.name} ${kind}`)
            .join(),
        ),
      );
      return { pipeline, checked, held$ };
    };

    it(
      'delivers what was accepted of it and the newest of all others, as soon as HAProxy has accepted that',
      marbles((m) => {
        const words$ = m.hot('   a-----b---------', { a: 'a=1 b=1', b: 'a=bad b=2' });
        const unsub = '          ^--------------!';
        //                       b goes out before its refusal at 8, c is b without what is refused
        const expected = '       --a---b---c-----';
        const { pipeline, held$ } = scene(m, words$);
        const out = { a: 'pa=1 b=1', b: 'pa=bad b=2', c: 'pa=1 b=2' };
        m.expect(run(pipeline), unsub).toBeObservable(expected, out);
        m.expect(held$, unsub).toBeObservable('--n-----h-------', { n: '', h: 'a pinned' });
        m.expect(words$).toHaveSubscriptions(unsub);
      }),
    );

    it(
      'checks it beside the release once it says something new, and delivers it when that is good',
      marbles((m) => {
        const words$ = m.hot('   a---b-----c-d---------', { a: 'a=1', b: 'a=bad', c: 'a=2', d: 'b=3' });
        const unsub = '          ^--------------------!';
        //                       c is tried from 12 on; d, in the meantime, is not kept waiting
        const expected = '       --a-b---A---d-e-------';
        const { pipeline, checked } = scene(m, words$);
        const out = { a: 'pa=1', b: 'pa=bad', A: 'pa=1', d: 'pa=1 b=3', e: 'pa=2 b=3' };
        m.expect(run(pipeline), unsub).toBeObservable(expected, out);
        m.expect(words$).toHaveSubscriptions(unsub);
        m.flush();
        expect(checked).toContain('a=2 b=3');
      }),
    );

    it(
      'holds the very first render until HAProxy accepts one without it',
      marbles((m) => {
        const words$ = m.hot('   a---------', { a: 'a=bad b=1' });
        const unsub = '          ^--------!';
        //                       r: a pod that has it from a former process gives it up
        const expected = '       --r-c-----';
        const { pipeline, held$ } = scene(m, words$);
        m.expect(run(pipeline), unsub).toBeObservable(expected, { r: 'pa=bad b=1', c: 'pb=1' });
        m.expect(held$, unsub).toBeObservable('--h-------', { h: 'a excluded' });
      }),
    );

    it(
      'lets go of everything at shutdown, the loop through the quarantine included',
      marbles((m) => {
        const words$ = m.hot('   a-----b---------', { a: 'a=1', b: 'a=bad' });
        const unsub = '          ^------!        ';
        const { pipeline, checked } = scene(m, words$);
        m.expect(run(pipeline), unsub).toBeObservable('--a---b---------', { a: 'pa=1', b: 'pa=bad' });
        m.expect(words$).toHaveSubscriptions(unsub);
        m.flush();
        expect(checked).toEqual(['a=1', 'a=bad']);
      }),
    );
  });
});
