import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyOrderedMap } from '../../../src/lib/ordered-map.ts';
import type { KeptOutputs } from '../../../src/protocol/kept-outputs.ts';
import { nextTrial, onRecall, onRender, onTrial, onVerdict } from '../../../src/gate/quarantine.ts';
import {
  emptyQuarantine,
  quarantinedObjects,
  type QuarantineState,
} from '../../../src/gate/quarantine-state.ts';
import { keepOutputs } from '../../fixtures/keep-outputs.ts';
import { createHeldRenderer, fakeVerdict } from '../../fixtures/held-renderer.ts';

/**
 * The loop of the pipeline without time: renders, checks and trials until nothing is left to do. With `kept`, what the pods keep of
 * an earlier process.
 */
function createLoop({ kept, configuration }: { kept?: KeptOutputs; configuration?: string } = {}) {
  const renderer = createHeldRenderer(configuration);
  let asked = kept === undefined;
  let state: QuarantineState = emptyQuarantine;
  let released = '-';
  let checks = 0;
  let time = 0;
  const known = new Set<string>();
  const check = (plan: Parameters<typeof fakeVerdict>[0]) => {
    if (!known.has(plan.id)) checks++;
    known.add(plan.id);
    return fakeVerdict(plan);
  };
  return {
    renderer,
    get state() {
      return state;
    },
    get released() {
      return released;
    },
    /** Held objects as `a pinned refused`. */
    held: () => quarantinedObjects(state).map(({ owner, kind, state: as }) => `${owner.name} ${kind} ${as}`),
    /** What the pods keep of this process. */
    kept: () => keepOutputs(state.accepted?.provenance?.outputs ?? emptyOrderedMap(), configuration),
    wait: (ms: number) => void (time += ms),
    /** The number of checks that it took. */
    settle(words: string): number {
      checks = 0;
      renderer.write(words);
      for (let turns = 0; turns < 1000; turns++) {
        renderer.hold(state.quarantine);
        const bundle = renderer.bundle();
        state = onRender(state, bundle);
        if (state.quarantine !== bundle.provenance?.quarantine) continue;
        const verdict = check(bundle.plan);
        if (verdict.kind === 'refused' && state.accepted === undefined && !asked) {
          asked = true;
          state = onRecall(state, bundle, kept);
        }
        state = onVerdict(state, bundle, verdict, time);
        if (verdict.kind === 'accepted') released = bundle.plan.id;
        for (;;) {
          const trial = nextTrial(state, bundle, time);
          const candidate = trial === undefined ? undefined : bundle.provenance.candidate(trial.quarantine);
          if (trial === undefined || candidate === undefined) break;
          state = onTrial(state, trial, candidate, check(candidate.plan), time);
        }
        if (state.quarantine === bundle.provenance.quarantine) return checks;
      }
      throw new Error('it never settles');
    },
    /** One render among many, which come so fast that each is followed by one trial at most. */
    pass(words: string): void {
      renderer.write(words);
      renderer.hold(state.quarantine);
      const bundle = renderer.bundle();
      state = onRender(state, bundle);
      if (state.quarantine !== bundle.provenance?.quarantine) return;
      const verdict = check(bundle.plan);
      state = onVerdict(state, bundle, verdict, time);
      if (verdict.kind === 'accepted') released = bundle.plan.id;
      const trial = nextTrial(state, bundle, time);
      const candidate = trial === undefined ? undefined : bundle.provenance.candidate(trial.quarantine);
      if (trial !== undefined && candidate !== undefined)
        state = onTrial(state, trial, candidate, check(candidate.plan), time);
    },
  };
}

describe('quarantine', () => {
  it('holds the object that HAProxy names at what it was, and lets the others out', () => {
    const loop = createLoop();
    loop.settle('a=1 b=1');
    expect(loop.settle('a=bad b=2')).toBe(2);
    expect(loop.released).toBe('a=1 b=2');
    expect(loop.held()).toEqual(['a pinned refused']);
    expect(quarantinedObjects(loop.state)[0]?.words).toBe('a is bad');
  });

  it('leaves out an object that never was good, from the very first render on', () => {
    const loop = createLoop();
    loop.settle('a=bad b=1 c=1');
    expect(loop.released).toBe('b=1 c=1');
    expect(loop.held()).toEqual(['a excluded refused']);
  });

  it('holds two that are bad at once', () => {
    const loop = createLoop();
    loop.settle('a=1 b=1 c=1 d=1');
    expect(loop.settle('a=bad b=2 c=bad d=2 e=bad')).toBe(2);
    expect(loop.released).toBe('a=1 b=2 c=1 d=2');
    expect(loop.held()).toEqual(['a pinned refused', 'c pinned refused', 'e excluded refused']);
  });

  it('lets an object go once it is good, and takes what it says then', () => {
    const loop = createLoop();
    loop.settle('a=1 b=1');
    loop.settle('a=bad');
    loop.settle('a=2');
    expect(loop.released).toBe('a=2 b=1');
    expect(loop.held()).toEqual([]);
  });

  it('lets an object go that says again what it said, without a check', () => {
    const loop = createLoop();
    loop.settle('a=1 b=1');
    loop.settle('a=bad');
    expect(loop.settle('a=1')).toBe(0);
    expect(loop.held()).toEqual([]);
  });

  it('lets an object go that is gone', () => {
    const loop = createLoop();
    loop.settle('a=1 b=1');
    loop.settle('a=bad');
    loop.settle('a=');
    expect(loop.released).toBe('b=1');
    expect(loop.held()).toEqual([]);
    loop.settle('c=bad');
    loop.settle('c=');
    expect(loop.held()).toEqual([]);
  });

  it('tries each content once: an object that flaps costs nothing, and others go on', () => {
    const loop = createLoop();
    loop.settle('a=1 b=1');
    loop.settle('a=bad1');
    expect(loop.settle('a=bad2')).toBe(1);
    expect(loop.settle('a=bad1')).toBe(0);
    expect(loop.settle('a=bad2')).toBe(0);
    expect(loop.settle('b=2')).toBe(1);
    expect(loop.released).toBe('a=1 b=2');
  });

  it('tries a refused content again when something changes long after', () => {
    const loop = createLoop();
    loop.settle('a=only b=1');
    loop.settle('b=only');
    expect(loop.held()).toEqual(['b pinned refused']);
    loop.settle('a=1');
    expect(loop.released).toBe('a=1 b=1');
    loop.wait(300_000);
    loop.settle('c=1');
    expect(loop.released).toBe('a=1 b=only c=1');
    expect(loop.held()).toEqual([]);
  });

  it('tries the others again when one has left', () => {
    const loop = createLoop();
    loop.settle('a=1 b=1 c=1');
    loop.settle('a=bad');
    loop.settle('b=only c=only');
    expect(loop.held()).toEqual(['a pinned refused', 'c pinned refused']);
    loop.settle('b=1');
    expect(loop.held()).toEqual(['a pinned refused', 'c pinned refused']);
    loop.settle('a=2');
    expect(loop.released).toBe('a=2 b=1 c=only');
  });

  it('finds one that nothing names among a thousand changes, in a dozen checks, and lets the others out before', () => {
    const loop = createLoop();
    const all = (word: string) => Array.from({ length: 1000 }, (_, i) => `o${1000 + i}=${word}`);
    loop.settle(all('1').join(' '));
    const changed = all('2');
    changed[617] = 'o1617=ill';
    expect(loop.settle(changed.join(' '))).toBeLessThanOrEqual(13);
    expect(loop.held()).toEqual(['o1617 pinned refused']);
    expect(loop.released.split(' ').filter((pair) => pair.endsWith('=2'))).toHaveLength(999);
  });

  it('finds one that nothing names in the very first render, and releases nothing before that', () => {
    const loop = createLoop();
    const all = Array.from({ length: 200 }, (_, i) => `o${1000 + i}=${i === 77 ? 'ill' : '1'}`);
    expect(loop.settle(all.join(' '))).toBeLessThanOrEqual(12);
    expect(loop.held()).toEqual(['o1077 excluded refused']);
    expect(loop.released.split(' ')).toHaveLength(199);
  });

  it('lets the others go though those that nothing names are other ones in every render', () => {
    const loop = createLoop();
    const others = (word: string) => Array.from({ length: 100 }, (_, i) => `o${100 + i}=${word}`);
    loop.settle(others('1').join(' '));
    const changed = others('2');
    changed[42] = 'o142=ill';
    loop.pass(`a=ill z=ill ${changed.join(' ')}`);
    for (let turn = 0; turn < 20; turn++) loop.pass(`a=ill${turn} z=${turn % 2 === 0 ? 'well' : 'ill'}`);
    expect(loop.released.split(' ').filter((pair) => /^o.*=2$/.test(pair))).toHaveLength(99);
    expect(loop.released).toContain('o142=1');
    expect(loop.settle('a=1 z=1')).toBeLessThanOrEqual(5);
    expect(loop.held()).toEqual(['o142 pinned refused']);
  });

  it('takes a suspect that has become good for good, while others are found out about', () => {
    const loop = createLoop();
    loop.settle('a=1 b=1 c=1 d=1');
    loop.pass('a=2 b=2 c=2 d=ill');
    loop.settle('d=2');
    expect(loop.held()).toEqual([]);
    expect(loop.released).toBe('a=2 b=2 c=2 d=2');
  });

  it.each([
    { culprit: 'stays as it is', word: (): string => 'ill' },
    { culprit: 'is another one in every render', word: (turn: number): string => `ill${turn}` },
    { culprit: 'is ill every other time', word: (turn: number): string => (turn % 2 === 0 ? 'ill' : 'well') },
  ])('finds one in the first render while objects come and go: it $culprit', ({ word }) => {
    for (const place of [0, 77, 199]) {
      const loop = createLoop();
      const name = `o${1000 + place}`;
      const all = Array.from({ length: 200 }, (_, i) => `o${1000 + i}=1`);
      loop.pass(`${all.join(' ')} ${name}=${word(0)}`);
      for (let turn = 1; turn < 20; turn++)
        loop.pass(`a${turn}=1 a${turn - 1}= z${turn}=1 z${turn - 1}= ${name}=${word(turn)}`);
      expect(loop.released.split(' ').filter((pair) => /^o.*=1$/.test(pair))).toHaveLength(199);
      expect(loop.held().filter((held) => held.startsWith('o') && !held.startsWith(name))).toEqual([]);
    }
  });

  it('looks for another one when the one in the first render is gone before it is found', () => {
    const loop = createLoop();
    const all = Array.from({ length: 64 }, (_, i) => `o${100 + i}=1`);
    loop.pass(`${all.join(' ')} o140=ill`);
    for (let turn = 0; turn < 3; turn++) loop.pass('');
    loop.pass('o140= o105=ill');
    for (let turn = 0; turn < 12; turn++) loop.pass('');
    expect(loop.held()).toEqual(['o105 excluded refused']);
    expect(loop.released.split(' ')).toHaveLength(62);
  });

  it('blames nobody else for one that becomes ill while another one is looked for', () => {
    const loop = createLoop();
    const all = Array.from({ length: 64 }, (_, i) => `o${100 + i}=1`);
    loop.pass(`${all.join(' ')} o162=ill`);
    for (let turn = 0; turn < 4; turn++) loop.pass('');
    loop.settle('o110=ill');
    expect(loop.held()).toEqual(['o110 excluded refused', 'o162 excluded refused']);
    expect(loop.released.split(' ')).toHaveLength(62);
  });

  it('finds the newcomer of two that cannot both be there', () => {
    const loop = createLoop();
    loop.settle('m=only');
    loop.settle('a=only');
    expect(loop.released).toBe('m=only');
    expect(loop.held()).toEqual(['a excluded refused']);
    loop.settle('z=1 m=only2 b=only2');
    expect(loop.released).toBe('m=only2 z=1');
    expect(loop.held()).toEqual(['a excluded refused', 'b excluded refused']);
  });

  it('says so when holding everything that changed does not help', () => {
    const loop = createLoop();
    const bundle = { ...loop.renderer.bundle() };
    const refused = {
      planId: bundle.plan.id,
      kind: 'refused' as const,
      findings: [{ message: 'the templates are bad' }],
    };
    const state = onVerdict(onRender(emptyQuarantine, bundle), bundle, refused, 0);
    expect(state.stuck).toBe('the templates are bad');
    expect(state.entries.size).toBe(0);
    expect(onVerdict(state, bundle, { planId: bundle.plan.id, kind: 'accepted' }, 0).stuck).toBeUndefined();
  });

  it('leaves nobody out for the sake of templates that most objects fail with, before a first render was accepted', () => {
    const loop = createLoop();
    const all = Array.from({ length: 40 }, (_, i) => `o${1000 + i}=bad`);
    loop.settle(all.join(' '));
    expect(loop.held()).toEqual([]);
    expect(loop.state.stuck).toBe('o1000 is bad');
    expect(loop.released).toBe('-');
  });

  it('tries everybody again after the configuration changed, and leaves nobody out whom the former one served', () => {
    const loop = createLoop();
    loop.settle('a=1 b=1');
    loop.settle('a=bad c=bad');
    expect(loop.held()).toEqual(['a pinned refused', 'c excluded refused']);
    loop.renderer.renew();
    loop.settle('');
    expect(loop.held()).toEqual([]);
    expect(loop.state.stuck).toBe('a is bad');
    expect(loop.released).toBe('a=1 b=1');
    loop.settle('a=2 b=2');
    expect(loop.released).toBe('a=2 b=2');
    expect(loop.held()).toEqual(['c excluded refused']);
  });

  it('ignores a verdict on a render of a time before somebody was held', () => {
    const loop = createLoop();
    loop.settle('a=1 b=1');
    loop.renderer.write('a=bad');
    const before = loop.renderer.bundle();
    loop.settle('');
    const state = onVerdict(loop.state, before, fakeVerdict(before.plan), 0);
    expect(quarantinedObjects(state)).toHaveLength(1);
    expect(state.stuck).toBeUndefined();
  });

  it('learns nothing from a check that could not run', () => {
    const loop = createLoop();
    loop.settle('a=1');
    loop.renderer.write('a=bad');
    const bundle = loop.renderer.bundle();
    expect(onVerdict(loop.state, bundle, { planId: bundle.plan.id, kind: 'unchecked' }, 0)).toBe(loop.state);
  });

  it('ends with every good object at its newest and every bad one where it was, in few checks', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j');
    const word = fc.constantFrom('1', '2', '3', 'bad1', 'bad2', 'ill1', 'ill2', '');
    const turn = fc.dictionary(name, word, { minKeys: 1, maxKeys: 8 });
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 8 }), (turns) => {
        const loop = createLoop();
        const present = new Map<string, string>();
        const good = new Map<string, string>();
        for (const one of turns) {
          for (const [key, value] of Object.entries(one)) present.set(key, value);
          const checks = loop.settle(
            Object.entries(one)
              .map(([key, value]) => `${key}=${value}`)
              .join(' '),
          );
          const isBad = (value: string) => /^(bad|ill)/.test(value);
          for (const [key, value] of present) if (!isBad(value)) good.set(key, value);
          const expected = [...good].filter(([, value]) => value !== '').sort();
          expect(loop.released).toBe(expected.map(([key, value]) => `${key}=${value}`).join(' '));
          const bad = [...present].filter(([key, value]) => isBad(value) && value !== good.get(key));
          expect(loop.held()).toHaveLength(bad.length);
          // Whoever leaves has the others tried once more.
          expect(checks).toBeLessThanOrEqual(3 + 2 * bad.length * (2 + Math.ceil(Math.log2(10))));
        }
      }),
      { numRuns: 800 },
    );
  });
});

describe('quarantine after a restart', () => {
  /** What pods keep of a process that was brought to `words`, turn by turn. */
  const keptOf = (...words: readonly string[]) => {
    const loop = createLoop();
    for (const turn of words) loop.settle(turn);
    return loop.kept();
  };

  it('holds the object that was held before at what it was, in two checks', () => {
    const loop = createLoop({ kept: keptOf('a=1 b=1', 'a=bad b=2') });
    expect(loop.settle('a=bad b=2')).toBe(2);
    expect(loop.released).toBe('a=1 b=2');
    expect(loop.held()).toEqual(['a pinned refused']);
    loop.settle('b=3');
    expect(loop.released).toBe('a=1 b=3');
    loop.settle('a=2');
    expect(loop.released).toBe('a=2 b=3');
    expect(loop.held()).toEqual([]);
  });

  it('lets it go without a check when it says again what it was held at', () => {
    const loop = createLoop({ kept: keptOf('a=1 b=1', 'a=bad') });
    loop.settle('a=bad b=1');
    expect(loop.settle('a=1')).toBe(0);
    expect(loop.held()).toEqual([]);
  });

  it('leaves out one that never was good', () => {
    const loop = createLoop({ kept: keptOf('a=1', 'b=bad') });
    loop.settle('a=1 b=bad c=bad');
    expect(loop.released).toBe('a=1');
    expect(loop.held()).toEqual(['b excluded refused', 'c excluded refused']);
  });

  it('asks nobody as long as nothing is refused, and does not bring back what is gone', () => {
    const loop = createLoop({ kept: keptOf('a=1 b=1 c=1') });
    expect(loop.settle('b=1 c=2')).toBe(1);
    expect(loop.state.recalled).toBeUndefined();
    const other = createLoop({ kept: keptOf('a=1 b=1 c=1') });
    other.settle('b=bad c=ill');
    expect(other.released).toBe('b=1 c=1');
    expect(other.held()).toEqual(['b pinned refused', 'c pinned refused']);
  });

  it('finds one that nothing names among those that changed meanwhile, and lets the others out', () => {
    const all = (word: string) => Array.from({ length: 200 }, (_, i) => `o${1000 + i}=${word}`);
    const changed = all('2');
    changed[77] = 'o1077=ill';
    const loop = createLoop({ kept: keptOf(all('1').join(' ')) });
    expect(loop.settle(changed.join(' '))).toBeLessThanOrEqual(12);
    expect(loop.held()).toEqual(['o1077 pinned refused']);
    expect(loop.released.split(' ').filter((pair) => pair.endsWith('=2'))).toHaveLength(199);
  });

  it('holds most objects, if need be: the templates were good before', () => {
    const all = (word: string) => Array.from({ length: 40 }, (_, i) => `o${1000 + i}=${word}`).join(' ');
    const loop = createLoop({ kept: keptOf(all('1')) });
    loop.settle(all('bad'));
    expect(loop.released).toBe(all('1'));
  });

  it('leaves nobody out whom another configuration served, and nobody else in', () => {
    const kept = keptOf('a=1 b=1');
    const loop = createLoop({ kept, configuration: 'other' });
    loop.settle('a=bad b=2 c=bad');
    expect(loop.state.stuck).toBe('a is bad');
    expect(loop.released).toBe('-');
    loop.settle('a=2');
    expect(loop.released).toBe('a=2 b=2');
    expect(loop.held()).toEqual(['c excluded refused']);
  });

  it('leaves an object out that is refused as it was, too', () => {
    const bad = createLoop();
    bad.renderer.write('a=bad1 b=1');
    const refused = bad.renderer.bundle().provenance?.outputs ?? emptyOrderedMap();
    const loop = createLoop({ kept: keepOutputs(refused) });
    loop.settle('a=bad2 b=1');
    expect(loop.released).toBe('b=1');
    expect(loop.held()).toEqual(['a excluded refused']);
    loop.settle('a=3');
    expect(loop.released).toBe('a=3 b=1');
  });

  it('does as if nothing were known when that does not help', () => {
    const ill = createLoop();
    ill.renderer.write('a=ill b=1');
    const loop = createLoop({
      kept: keepOutputs(ill.renderer.bundle().provenance?.outputs ?? emptyOrderedMap()),
    });
    loop.settle('a=ill b=1');
    expect(loop.released).toBe('b=1');
    expect(loop.held()).toEqual(['a excluded refused']);
  });

  it('ends where a process that was never restarted ends', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
    const word = fc.constantFrom('1', '2', '3', 'bad1', 'bad2', 'ill1', 'ill2', '');
    const turn = fc.dictionary(name, word, { minKeys: 1, maxKeys: 6 });
    const said = (words: Readonly<Record<string, string>>) =>
      Object.entries(words)
        .map(([key, value]) => `${key}=${value}`)
        .join(' ');
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 5 }), turn, turn, (before, meanwhile, after) => {
        const steady = createLoop();
        const present: Record<string, string> = {};
        for (const one of before) {
          steady.settle(said(one));
          Object.assign(present, one);
        }
        const restarted = createLoop({ kept: steady.kept() });
        Object.assign(present, meanwhile);
        // Who is gone meanwhile is gone; both see the rest at once.
        steady.settle(said(meanwhile));
        restarted.settle(
          said(Object.fromEntries(Object.entries(present).filter(([, value]) => value !== ''))),
        );
        expect(restarted.released).toBe(steady.released);
        expect(restarted.held()).toEqual(steady.held());
        steady.settle(said(after));
        restarted.settle(said(after));
        expect(restarted.released).toBe(steady.released);
        expect(restarted.held()).toEqual(steady.held());
      }),
      { numRuns: 500 },
    );
  });
});
