import { describe, expect, it } from 'vitest';
import { orderedMapFrom } from '../../../src/lib/ordered-map.ts';
import type { Problem } from '../../../src/lib/problem.ts';
import type { Bundle } from '../../../src/protocol/bundle.ts';
import { referenceKey, type StatusPatch } from '../../../src/protocol/declared.ts';
import { noQuarantine } from '../../../src/protocol/provenance.ts';
import { createStatusBook } from '../../../src/sinks/status-book.ts';
import { bundleOf } from '../../fixtures/bundle-of.ts';

const targetOf = (name: string) => ({ apiVersion: 'v1', kind: 'Widget', namespace: 'ns', name });
const keyOf = (name: string) => referenceKey(targetOf(name));
const ownerOf = (name: string) => ({ kind: 'Widget', namespace: 'ns', name });

/** A patch in which every phase says its own name and `version`. */
const patchOf = (name: string, version = 1): StatusPatch => ({
  target: targetOf(name),
  variants: {
    rendered: { rendered: version },
    deployed: { deployed: version },
    deployFailed: { deployFailed: version },
    validateFailed: { validateFailed: version },
    renderFailed: { renderFailed: version },
  },
  owner: ownerOf(name),
  place: 't:1:1',
});
const mapOf = (...patches: readonly StatusPatch[]) =>
  orderedMapFrom(patches.map((patch) => [referenceKey(patch.target), patch] as const));
const render = (statusPatches: ReturnType<typeof mapOf>, more: Partial<Bundle> = {}): Bundle => ({
  ...bundleOf('r'),
  statusPatches,
  ...more,
});
const problem = (name: string): Problem => ({
  severity: 'error',
  reason: 'TemplateFailed',
  field: '',
  message: 'x',
  owner: ownerOf(name),
});
const withheld = (...patches: readonly StatusPatch[]): Partial<Bundle> => ({
  provenance: {
    generation: {},
    configuration: 'c',
    outputs: orderedMapFrom([]),
    quarantine: noQuarantine,
    withheld: new Map(),
    withheldPatches: patches,
    candidate: () => undefined,
    restore: () => undefined,
  },
});

function createScene() {
  const book = createStatusBook();
  const says = (name: string) => {
    const { parts, kept } = book.wish(keyOf(name));
    return [
      ...parts.map(([manager, content]) => `${manager} ${JSON.stringify(Object.values(content))}`),
      ...kept.map((one) => `(${one})`),
    ];
  };
  const names = (keys: Iterable<string>) => [...keys].map((key) => key.split('/').at(-1)).sort();
  return { book, says, names };
}
const unknown = ['(haptic-deployed)', '(haptic-deployFailed)'];

describe('createStatusBook', () => {
  it('says what is rendered at once, and what is deployed when that is known', () => {
    const { book, says, names } = createScene();
    const a = patchOf('a');
    const b = patchOf('b');
    expect(names(book.takeRender(render(mapOf(a, b))))).toEqual(['a', 'b']);
    expect(says('a')).toEqual(['haptic-rendered [1]', ...unknown]);
    expect(names(book.takeDeployed({ patches: mapOf(a), isRejected: false }))).toEqual(['a']);
    expect(says('a')).toEqual(['haptic-rendered [1]', 'haptic-deployed [1]']);
    expect(says('b')).toEqual(['haptic-rendered [1]']);
    expect(names(book.keys())).toEqual(['a', 'b']);
  });

  it('tells which objects changed, and no others', () => {
    const { book, says, names } = createScene();
    const b = patchOf('b');
    book.takeRender(render(mapOf(patchOf('a'), b)));
    book.takeDeployed({ patches: mapOf(patchOf('a'), b), isRejected: false });
    expect(names(book.takeRender(render(mapOf(patchOf('a', 2), b))))).toEqual(['a']);
    expect(says('a')).toEqual(['haptic-rendered [2]', 'haptic-deployed [1]']);
    expect(names(book.takeRender(render(mapOf(b))))).toEqual(['a']);
    expect(book.wish(keyOf('a'))).toEqual({ key: keyOf('a'), parts: [], kept: [] });
    expect(book.has(keyOf('a'))).toBe(false);
  });

  it('keeps what stands there while it is not known what pods run', () => {
    const { book, says, names } = createScene();
    const a = patchOf('a');
    book.takeRender(render(mapOf(a)));
    book.takeDeployed({ patches: mapOf(a), isRejected: false });
    expect(names(book.takeDeployed({ patches: undefined, isRejected: false }))).toEqual([]);
    expect(says('a')).toEqual(['haptic-rendered [1]', ...unknown]);
    // Whoever asked meanwhile has to ask again.
    expect(names(book.takeDeployed({ patches: mapOf(a), isRejected: false }))).toEqual(['a']);
    expect(names(book.takeDeployed({ patches: mapOf(a), isRejected: false }))).toEqual([]);
    expect(says('a')).toEqual(['haptic-rendered [1]', 'haptic-deployed [1]']);
  });

  it('says that deploying failed of what is not deployed only', () => {
    const { book, says, names } = createScene();
    const a = patchOf('a');
    const b = patchOf('b');
    book.takeRender(render(mapOf(a, b)));
    book.takeDeployed({ patches: mapOf(a), isRejected: false });
    expect(names(book.takeDeployed({ patches: mapOf(a), isRejected: true }))).toContain('b');
    expect(says('a')).toEqual(['haptic-rendered [1]', 'haptic-deployed [1]']);
    expect(says('b')).toEqual(['haptic-rendered [1]', 'haptic-deployFailed [1]']);
    expect(names(book.takeDeployed({ patches: mapOf(a, b), isRejected: false }))).toEqual(['b']);
    expect(says('b')).toEqual(['haptic-rendered [1]', 'haptic-deployed [1]']);
  });

  it('says of a pinned object what it says now, beside what is rendered of it', () => {
    const { book, says, names } = createScene();
    book.takeRender(render(mapOf(patchOf('a'), patchOf('b'))));
    expect(
      names(book.takeRender(render(mapOf(patchOf('a'), patchOf('b')), withheld(patchOf('a', 2))))),
    ).toContain('a');
    expect(names(book.takeRefused(new Set(['Widget ns/a'])))).toContain('a');
    expect(says('a')).toEqual(['haptic-rendered [1]', 'haptic-validateFailed [2]', ...unknown]);
    expect(says('b')).toEqual(['haptic-rendered [1]', ...unknown]);
    expect(names(book.takeRefused(new Set()))).toContain('a');
    expect(says('a')).toEqual(['haptic-rendered [1]', ...unknown]);
  });

  it('says of an object that was never rendered that it is refused', () => {
    const { book, says, names } = createScene();
    book.takeRender(render(mapOf(), withheld(patchOf('a'))));
    expect(names(book.takeRefused(new Set(['Widget ns/a'])))).toEqual(['a']);
    expect(says('a')).toEqual(['haptic-validateFailed [1]', ...unknown]);
    expect(names(book.keys())).toEqual(['a']);
    expect(names(book.takeRender(render(mapOf())))).toEqual(['a']);
    expect(says('a')).toEqual([]);
  });

  it('says that rendering failed as long as it does', () => {
    const { book, says, names } = createScene();
    const map = mapOf(patchOf('a'), patchOf('b'));
    book.takeRender(render(map));
    expect(names(book.takeRender(render(map, { problems: [problem('b')] })))).toEqual(['b']);
    expect(says('b')).toEqual(['haptic-rendered [1]', 'haptic-renderFailed [1]', ...unknown]);
    expect(names(book.takeRender(render(map)))).toEqual(['b']);
    expect(says('b')).toEqual(['haptic-rendered [1]', ...unknown]);
  });
});
