import { describe, expect, it } from 'vitest';
import { valuesOf } from '../../../src/lib/ordered-map.ts';
import type { Profile, SectionKind } from '../../../src/protocol/plan.ts';
import { createBundleState } from '../../../src/render/bundle-state.ts';
import type { Output, Part } from '../../../src/protocol/output.ts';

const config = { kind: 'config', path: 'haproxy.cfg' } as const;
const outputOf = (...parts: Part[]): Output => ({ parts, entries: [], files: [] });
const named = (kind: SectionKind, name: string): Part => ({
  section: { kind, name, text: `${kind} ${name}\n`, template: 't:1:1' },
  name,
  ...(kind === 'profile'
    ? { profile: { name, text: `${kind} ${name}\n`, hasRules: false } satisfies Profile }
    : {}),
});
const plain = (text: string): Part => ({ section: { kind: 'core', name: 't:1:1', text, template: 't:1:1' } });
const stateWith = (...outputs: (readonly [string, Output])[]) => {
  const state = createBundleState({ maps: [], files: [] });
  for (const [base, output] of outputs) state.put(base, config, output);
  state.finish();
  return state;
};
const textOf = (state: ReturnType<typeof createBundleState>): string =>
  [...valuesOf(state.finish().sections)].map((section) => section.text).join('');

describe('a place in the text that changes hands within one turn', () => {
  it('keeps the section of its new name, though the old name is settled later', () => {
    const before = outputOf(named('profile', 'two'));
    const shared = outputOf(named('profile', 'one'));
    const state = stateWith(['b', shared], ['d', before]);
    state.drop('b', config, shared);
    state.drop('d', config, before);
    state.put('d', config, shared);
    expect(textOf(state)).toBe('profile one\n');
    expect([...valuesOf(state.finish().profiles)].map(({ name }) => name)).toEqual(['one']);
  });

  it.each([
    ['a core section to a backend', named('core', 'x'), named('backend', 'y')],
    ['a profile to a core section', named('profile', 'x'), named('core', 'y')],
    ['a name to no name', named('backend', 'x'), plain('lines\n')],
    ['no name to a name', plain('lines\n'), named('profile', 'y')],
    ['no name to no name', plain('lines\n'), plain('other lines\n')],
  ])('goes from %s', (_, before, after) => {
    const state = stateWith(['a', outputOf(before)]);
    state.drop('a', config, outputOf(before));
    state.put('a', config, outputOf(after));
    expect(textOf(state)).toBe(after.section.text);
  });

  it('is gone when nothing comes after it', () => {
    const state = stateWith(['a', outputOf(named('core', 'x'), plain('lines\n'))]);
    state.drop('a', config, outputOf(named('core', 'x'), plain('lines\n')));
    expect(textOf(state)).toBe('');
  });
});
