import { afterEach, describe, expect, it, vi } from 'vitest';
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

describe('the bytes of thousands of sections, map entries and files', () => {
  afterEach(() => vi.restoreAllMocks());

  it('are made with pauses, and finishing makes none after that; what changes meanwhile is made anew', () => {
    const filled = (): ReturnType<typeof createBundleState> => {
      const state = createBundleState({ maps: [{ path: 'm', ordered: false }], files: [] });
      for (let at = 0; at < 2_000; at++) {
        const name = `n${at}`;
        const file = { path: `ssl/${name}.pem`, kind: 'cert', reloadOnChange: false } as const;
        state.put(`b${at}`, config, {
          ...outputOf(named('backend', name)),
          entries: [{ path: 'm', entry: { key: name, value: name, text: `${name} ${name}\n` }, place: 't' }],
          files: [{ ...file, text: name, place: 't' }],
        });
      }
      state.flush();
      return state;
    };
    const state = filled();
    const encode = vi.spyOn(TextEncoder.prototype, 'encode');
    let most = 0;
    let all = 0;
    const run = (): void => {
      const slices = state.encode();
      for (let isDone = false; !isDone;) {
        isDone = slices.next().done === true;
        most = Math.max(most, encode.mock.calls.length);
        all += encode.mock.calls.length;
        encode.mockClear();
      }
    };
    run();
    expect(most).toBeLessThanOrEqual(16);
    expect(all).toBeGreaterThan(2_000);
    state.put('c', config, {
      ...outputOf(),
      files: [{ path: 'ssl/x.pem', kind: 'cert', reloadOnChange: false, text: 'x', place: 't' }],
    });
    state.flush();
    all = 0;
    run();
    expect(all).toBe(1);
    const { files } = state.finish();
    expect(encode).not.toHaveBeenCalled();
    const other = filled();
    other.put('c', config, {
      ...outputOf(),
      files: [{ path: 'ssl/x.pem', kind: 'cert', reloadOnChange: false, text: 'x', place: 't' }],
    });
    const shape = (one: typeof files) =>
      [...valuesOf(one)].map(({ path, digest, size }) => [path, digest, size]);
    expect(shape(files)).toEqual(shape(other.finish().files));
  });
});
