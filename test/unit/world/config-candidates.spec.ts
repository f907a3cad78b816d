import { from, toArray, firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { ConfigObjects } from '../../../src/streams/config-objects.ts';
import { configCandidates } from '../../../src/world/config-candidates.ts';

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

const statesOf = (...objects: readonly ConfigObjects[]) =>
  firstValueFrom(from(objects).pipe(configCandidates({ wanted: 'haptic/main' }), toArray()));

describe('configCandidates', () => {
  it('takes no notice of labels, status, versions, the order of fields, and libraries that nobody refers to', async () => {
    const { haproxyConfig, ...rest } = spec;
    const states = await statesOf(
      state(config()),
      state(config({}, { labels: { a: 'b' }, resourceVersion: '7' })),
      state({ ...config(), status: { validationStatus: 'Valid' } }),
      state({ ...config(), spec: { ...rest, haproxyConfig } }),
      state(config(), library('other', '1')),
    );
    expect(states).toHaveLength(1);
  });

  it('takes a new generation, and an object that was made anew, for news, though its content is the same', async () => {
    const states = await statesOf(
      state(config()),
      state(config({}, { generation: 2 })),
      state(config({}, { uid: 'v' })),
    );
    const ids = states.map((one) => (one.kind === 'present' ? one.candidate.id : one.message));
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
  });

  it('takes what a library says that it refers to for its own content', async () => {
    const refers = config({ libraryRefs: [{ name: 'mine', revision: '1' }] });
    const states = await statesOf(
      state(refers),
      state(refers, library('mine', '1')),
      state(refers, library('mine', '1', 'y')),
      state(refers, library('mine', '1', 'y'), library('other', '1')),
    );
    expect(states).toHaveLength(3);
    const [without, withLibrary] = states;
    if (without?.kind !== 'present' || withLibrary?.kind !== 'present') throw new Error('both are there');
    expect(without.candidate.resolve()).toMatchObject({
      ok: false,
      errors: [expect.stringContaining('there is no HAProxyTemplateLibrary mine')],
    });
    const resolved = withLibrary.candidate.resolve();
    if (!resolved.ok) throw new Error(resolved.errors.join('\n'));
    expect(resolved.value.config.templateSnippets['s']).toMatchObject({ template: 'x' });
    expect(resolved.value.sourceOfTemplate('s')).toBe('library mine/snippet s');
  });

  it('says once that there is none, and why', async () => {
    const states = await statesOf(
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
  });
});
