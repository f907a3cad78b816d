import { marbles } from 'rxjs-marbles';
import { type Observable, ignoreElements, map, tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { ConfigObjects } from '../../../src/streams/config-objects.ts';
import { type ConfigState, configCandidates } from '../../../src/world/config-candidates.ts';

const spec = {
  haproxyConfig: { template: 'global\n' },
  watchedResources: {},
  podSelector: { matchLabels: { app: 'haproxy' } },
};
const config = (change: object = {}, metadata: object = {}): KubeObject => ({
  metadata: { name: 'main', namespace: 'haptic', uid: 'u', generation: 1, ...metadata },
  spec: { ...spec, ...change },
});
const library = (name: string, revision: string, snippet = 'x'): KubeObject => ({
  metadata: { name, namespace: 'haptic' },
  spec: { revision, templateSnippets: { s: { template: snippet } } },
});
const state = (found: KubeObject | undefined, ...libraries: readonly KubeObject[]): ConfigObjects => ({
  isServed: true,
  libraries,
  ...(found && { config: found }),
});

type Marbles = Parameters<Parameters<typeof marbles>[0]>[0];

/** Synchronously, since no virtual time passes while work is done. */
function statesOf(m: Marbles, ...objects: readonly ConfigObjects[]): readonly ConfigState[] {
  const states: ConfigState[] = [];
  const values = Object.fromEntries(objects.map((value, index) => [String(index), value]));
  const source = m.hot(objects.map((_, index) => String(index)).join(''), values);
  m.expect(
    source.pipe(
      configCandidates({ wanted: 'haptic/main' }),
      tap((one) => states.push(one)),
      ignoreElements(),
    ),
  ).toBeObservable('-');
  m.flush();
  return states;
}

/** What a source has emitted at once. */
function nowOf<T>(source$: Observable<T>): T {
  let last: { readonly value: T } | undefined;
  source$.subscribe({
    next: (value) => (last = { value }),
    error: (error: unknown) => {
      throw error;
    },
  });
  if (last === undefined) throw new Error('it has emitted nothing');
  return last.value;
}

describe('configCandidates', () => {
  it(
    'takes no notice of labels, status, versions, the order of fields, and libraries that nobody refers to',
    marbles((m) => {
      const { haproxyConfig, ...rest } = spec;
      const states = statesOf(
        m,
        state(config()),
        state(config({}, { labels: { a: 'b' }, resourceVersion: '7' })),
        state({ ...config(), status: { validationStatus: 'Valid' } }),
        state({ ...config(), spec: { ...rest, haproxyConfig } }),
        state(config(), library('other', '1')),
      );
      expect(states).toHaveLength(1);
    }),
  );

  it(
    'takes a new generation, and an object that was made anew, for news, though its content is the same',
    marbles((m) => {
      const states = statesOf(
        m,
        state(config()),
        state(config({}, { generation: 2 })),
        state(config({}, { uid: 'v' })),
      );
      const ids = states.map((one) => (one.kind === 'present' ? one.candidate.id : one.message));
      expect(ids).toHaveLength(3);
      expect(new Set(ids).size).toBe(1);
    }),
  );

  it(
    'takes what a library says that it refers to for its own content',
    marbles((m) => {
      const refers = config({ libraryRefs: [{ name: 'mine', revision: '1' }] });
      const states = statesOf(
        m,
        state(refers),
        state(refers, library('mine', '1')),
        state(refers, library('mine', '1', 'y')),
        state(refers, library('mine', '1', 'y'), library('other', '1')),
      );
      expect(states).toHaveLength(3);
      const [without, withLibrary] = states;
      if (without?.kind !== 'present' || withLibrary?.kind !== 'present') throw new Error('both are there');
      expect(nowOf(without.candidate.resolve$)).toMatchObject({
        ok: false,
        errors: [expect.stringContaining('there is no HAProxyTemplateLibrary mine')],
      });
      const resolved = nowOf(withLibrary.candidate.resolve$);
      if (!resolved.ok) throw new Error(resolved.errors.join('\n'));
      expect(resolved.value.config.templateSnippets['s']).toMatchObject({ template: 'x' });
      expect(resolved.value.sourceOfTemplate('s')).toBe('library mine/snippet s');
    }),
  );

  it(
    'says once that there is none, and why',
    marbles((m) => {
      const states = statesOf(
        m,
        state(undefined),
        state(undefined, library('mine', '1')),
        { isServed: false, libraries: [] },
        state(config()),
        state(undefined),
      );
      expect(states.map((one) => (one.kind === 'missing' ? one.message : 'there'))).toEqual([
        'there is no HAProxyTemplateConfig haptic/main',
        'the API serves no HAProxyTemplateConfig: install the CRDs by haptic apply-crds',
        'there',
        'there is no HAProxyTemplateConfig haptic/main',
      ]);
    }),
  );

  it(
    'does not look into an object of the same uid and generation again',
    marbles((m) => {
      const read: string[] = [];
      /** Tells whenever its content is looked into. */
      const watched = (generation: number, version: string): KubeObject => ({
        metadata: { name: 'main', namespace: 'haptic', uid: 'u', generation, resourceVersion: version },
        spec: {
          ...spec,
          get templateSnippets() {
            read.push(version);
            return {};
          },
        },
      });
      const states = statesOf(m, state(watched(1, '1')), state(watched(1, '2')), state(watched(2, '3')));
      expect(states).toHaveLength(2);
      expect(new Set(read)).toEqual(new Set(['1', '3']));
    }),
  );

  it(
    'refuses what is nested without end, in the object or a library, and goes on',
    marbles((m) => {
      let deep: unknown = 1;
      for (let depth = 0; depth < 20_000; depth++) deep = { deep };
      const templatingSettings = { extraContext: { deep } };
      const refers = { libraryRefs: [{ name: 'mine', revision: '1' }] };
      const states = statesOf(
        m,
        state(config({ templatingSettings })),
        state(config(refers, { generation: 2 }), {
          metadata: { name: 'mine', namespace: 'haptic' },
          spec: { revision: '1', templatingSettings },
        }),
        state(config({}, { generation: 3 })),
      );
      const results = states.map((one) =>
        one.kind === 'present' ? nowOf(one.candidate.resolve$) : one.message,
      );
      expect(results).toMatchObject([
        { ok: false, errors: ['HAProxyTemplateConfig main: spec is nested more than 100 deep'] },
        { ok: false, errors: ['library mine: spec is nested more than 100 deep'] },
        { ok: true },
      ]);
    }),
  );

  it(
    'says what is there now, in order',
    marbles((m) => {
      const source = m.hot('-(ab)-c-', {
        a: state(config({}, { generation: 1 })),
        b: state(undefined),
        c: state(config({}, { generation: 2 })),
      });
      const kinds$ = source.pipe(
        configCandidates({ wanted: 'haptic/main' }),
        map(({ kind }) => kind[0] ?? ''),
      );
      m.expect(kinds$, '^-------!').toBeObservable('-(pm)-p-');
      m.expect(source).toHaveSubscriptions('^-------!');
    }),
  );
});
