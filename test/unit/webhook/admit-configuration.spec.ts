import { Observable, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { KubeRequest, KubeTransport } from '../../../src/kube/kube-transport.ts';
import type { AdmissionOperation, AdmissionRequest } from '../../../src/webhook/admission-request.ts';
import { createAdmitConfiguration } from '../../../src/webhook/admit-configuration.ts';
import type { ConfigVerdict } from '../../../src/world/try-config.ts';
import { nested } from '../../fixtures/nested.ts';

const identity = { namespace: 'haptic', name: 'main', isObject: true };
const group = 'haproxy-haptic.org';

function objectOf(kind: string, name: string, spec: unknown, namespace = 'haptic'): KubeObject {
  return { apiVersion: `${group}/v1alpha1`, kind, metadata: { name, namespace }, spec };
}
const config = (spec: unknown) => objectOf('HAProxyTemplateConfig', 'main', spec);
const library = (name: string, spec: unknown) => objectOf('HAProxyTemplateLibrary', name, spec);
const main = config({ libraryRefs: [{ name: 'mine' }] });

function requestOf(
  object: KubeObject,
  operation: AdmissionOperation = 'CREATE',
  oldObject?: KubeObject,
): AdmissionRequest {
  const { name, namespace } = object.metadata;
  const kind = object.kind ?? '';
  return {
    uid: 'u',
    operation,
    group,
    version: 'v1alpha1',
    kind,
    resource: kind === 'HAProxyTemplateConfig' ? 'haproxytemplateconfigs' : 'haproxytemplatelibraries',
    ...(namespace === undefined ? {} : { namespace }),
    name,
    dryRun: false,
    object,
    ...(oldObject === undefined ? {} : { oldObject }),
  };
}

/** An API with these objects, and a load gate that says what a test wants. */
function scene(
  stored: readonly KubeObject[],
  say: (config: KubeObject) => Observable<ConfigVerdict>,
  atWork?: { readonly libraryRefs: readonly { readonly name: string; readonly revision: string }[] },
) {
  const tried: (readonly [config: unknown, libraries: readonly string[]])[] = [];
  const answer = (value: unknown) => {
    const bytes = Buffer.from(JSON.stringify(value));
    return {
      ok: true as const,
      value: {
        status: 200,
        headers: {},
        body: {
          text: () => Promise.resolve(bytes.toString()),
          // eslint-disable-next-line @typescript-eslint/require-await -- a body is one
          async *[Symbol.asyncIterator]() {
            yield bytes;
          },
        },
      },
    };
  };
  const transport: KubeTransport = {
    request: ({ path }: KubeRequest) => {
      if (path.endsWith('/haproxytemplatelibraries')) {
        const items = stored.filter(({ kind }) => kind === 'HAProxyTemplateLibrary');
        return Promise.resolve(answer({ metadata: { resourceVersion: '1' }, items }));
      }
      const found = stored.find(({ kind }) => kind === 'HAProxyTemplateConfig');
      return Promise.resolve(
        found === undefined
          ? { ok: false, failure: { kind: 'http', status: 404, reason: 'NotFound', message: 'not found' } }
          : answer(found),
      );
    },
    close: () => Promise.resolve(),
  };
  const admit = createAdmitConfiguration({
    identity,
    version: '1.2.0',
    atWork: () => atWork,
    transport,
    tryConfig: (asked, libraries) => {
      tried.push([asked['spec'], libraries.map(({ metadata }) => metadata.name).sort()]);
      return say(asked);
    },
  });
  return {
    tried,
    ask: (request: AdmissionRequest, signal = new AbortController().signal) => admit(request, signal),
  };
}

const refused = (...errors: readonly string[]): Observable<ConfigVerdict> =>
  of({ kind: 'refused', stage: 'template', errors, passing: false });
const accepted = (): Observable<ConfigVerdict> => of({ kind: 'accepted' });

describe('admission of a configuration', () => {
  it('asks the load gate about it, with the libraries that are there', async () => {
    const { ask, tried } = scene([library('mine', {}), library('other', {})], () => refused('wrong'));
    expect(await ask(requestOf(main))).toMatchObject({ kind: 'denied', causes: [{ message: 'wrong' }] });
    expect(tried).toEqual([[main['spec'], ['mine', 'other']]]);
  });

  it('asks about the configuration with a library that it names', async () => {
    const { ask, tried } = scene([main, library('mine', { old: true })], () => refused('wrong'));
    expect((await ask(requestOf(library('mine', { a: 1 })))).kind).toBe('denied');
    expect(tried).toEqual([[main['spec'], ['mine']]]);
  });

  it.each([
    ['a library that it does not name', requestOf(library('other', { a: 1 }))],
    ['another namespace', requestOf(objectOf('HAProxyTemplateConfig', 'main', {}, 'else'))],
    ['another name', requestOf(objectOf('HAProxyTemplateConfig', 'second', {}))],
    [
      'labels alone',
      requestOf({ ...main, metadata: { ...main.metadata, labels: { a: 'b' } } }, 'UPDATE', main),
    ],
    [
      'something on its way out',
      requestOf(
        { ...config({ b: 1 }), metadata: { ...main.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
        'UPDATE',
        main,
      ),
    ],
  ])('does not ask about %s', async (_what, request) => {
    const { ask, tried } = scene([main], () => refused('wrong'));
    expect(await ask(request)).toMatchObject({ kind: 'allowed', warnings: [] });
    expect(tried).toEqual([]);
  });

  it('asks about one that is nested without end, too', async () => {
    const { ask } = scene([], () => refused('nested'));
    const deep = () => config({ in: nested(20_000) });
    expect(await ask(requestOf(deep(), 'UPDATE', deep()))).toMatchObject({
      kind: 'allowed',
      warnings: ['nested'],
    });
  });

  it('lets a faulty one be repaired in steps, and made no worse', async () => {
    const { ask } = scene([], ({ spec }) => refused(...(spec as { errors: readonly string[] }).errors));
    const before = config({ errors: ['a', 'b'] });
    expect(await ask(requestOf(config({ errors: ['b'] }), 'UPDATE', before))).toMatchObject({
      kind: 'allowed',
      warnings: ['b'],
    });
    expect((await ask(requestOf(config({ errors: ['b', 'c'] }), 'UPDATE', before))).kind).toBe('denied');
  });

  it.each([
    ['another version is let in with a warning: the program of that version takes it', '1.3.0', 'allowed'],
    ['its own version is refused', '1.2.0', 'denied'],
  ])('what the chart of %s', async (_what, version, kind) => {
    const { ask } = scene([main, library('mine', { old: true })], () => refused('unknown helper "newer"'));
    const labels = { 'app.kubernetes.io/part-of': 'haptic', 'app.kubernetes.io/version': version };
    const of = (object: KubeObject) => ({ ...object, metadata: { ...object.metadata, labels } });
    for (const object of [of(main), of(library('mine', { a: 1 }))])
      expect((await ask(requestOf(object))).kind).toBe(kind);
    const answer = await ask(requestOf(of(library('mine', { a: 1 }))));
    if (kind === 'allowed')
      expect(answer).toMatchObject({
        warnings: [
          'comes with version 1.3.0, and version 1.2.0 that is asked would not take it: unknown helper "newer"',
        ],
      });
  });

  describe('where another build of the same version is installed', () => {
    const labels = { 'app.kubernetes.io/part-of': 'haptic', 'app.kubernetes.io/version': '1.2.0' };
    const of = (object: KubeObject) => ({ ...object, metadata: { ...object.metadata, labels } });
    const refs = (revision: string) => [
      { name: 'mine', revision },
      { name: 'local', revision: '1' },
    ];
    const referring = (revision: string) => config({ libraryRefs: refs(revision) });
    const [former, next] = ['1.2.0-aaaaaaaaaaaa', '1.2.0-bbbbbbbbbbbb'];
    const sceneOf = (stored: readonly KubeObject[]) =>
      scene(stored, () => refused('unknown helper "newer"'), { libraryRefs: refs(former) });

    it.each([
      ['the configuration comes last', referring(next), [library('mine', { revision: next })]],
      ['a library comes last', library('mine', { revision: next }), [referring(next)]],
    ])('what its chart brings is let in with a warning: %s', async (_what, object, stored) => {
      const { ask } = sceneOf(stored);
      expect(await ask(requestOf(of(object)))).toMatchObject({
        kind: 'allowed',
        warnings: [
          `comes with revision ${next} of the library mine, and version 1.2.0 that is asked, with revision ${former} at work, would not take it: unknown helper "newer"`,
        ],
      });
    });

    it.each([
      ['what its values say, once its libraries are at work', of(referring(former))],
      ['a change of a library that keeps its revision', of(library('mine', { revision: former, a: 1 }))],
      ['what is not of a chart', referring(next)],
      ['a library that was not named before', of(config({ libraryRefs: [{ name: 'new', revision: next }] }))],
    ])('but refused is %s', async (_what, object) => {
      const { ask } = sceneOf([object.kind === 'HAProxyTemplateLibrary' ? referring(former) : main]);
      expect((await ask(requestOf(object))).kind).toBe('denied');
    });
  });

  it('a version that is none of the chart says nothing', async () => {
    const { ask } = scene([], () => refused('wrong'));
    const labels = { 'app.kubernetes.io/part-of': 'shop', 'app.kubernetes.io/version': '1.3.0' };
    expect((await ask(requestOf({ ...main, metadata: { ...main.metadata, labels } }))).kind).toBe('denied');
  });

  it('ends what it tries when the time is over', async () => {
    let running = 0;
    const { ask } = scene([], () => new Observable(() => (running++, () => running--)));
    const overdue = new AbortController();
    const answer = ask(requestOf(main), overdue.signal);
    await expect.poll(() => running).toBe(1);
    overdue.abort(new Error('overdue'));
    await expect(answer).rejects.toThrow('overdue');
    expect(running).toBe(0);
  });

  it('knows nothing where the gate knows nothing', async () => {
    const { ask } = scene([], () =>
      of({ kind: 'refused', stage: 'check', errors: ['HAProxy does not run'], passing: true }),
    );
    expect(await ask(requestOf(main))).toEqual({ kind: 'unknown', message: 'HAProxy does not run' });
    const good = scene([], accepted);
    expect((await good.ask(requestOf(main))).kind).toBe('allowed');
  });
});
