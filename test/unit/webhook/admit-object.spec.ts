import { afterEach, describe, expect, it } from 'vitest';
import { formatOwner } from '../../../src/lib/owner.ts';
import { emptyOrderedMap, valuesOf } from '../../../src/lib/ordered-map.ts';
import type { Bundle } from '../../../src/protocol/bundle.ts';
import {
  type AdmissionScene,
  type AdmissionSceneOptions,
  admissionRequest,
  createAdmissionScene,
} from '../../fixtures/admission-scene.ts';
import { ingress, ingressClass, service } from '../../fixtures/kube-objects.ts';
import { nested } from '../../fixtures/nested.ts';

const scenes: AdmissionScene[] = [];
afterEach(() => {
  for (const scene of scenes.splice(0)) scene.dispose();
});

async function sceneOf(options?: AdmissionSceneOptions): Promise<AdmissionScene> {
  const scene = await createAdmissionScene(options);
  scenes.push(scene);
  scene.put(ingressClass(), service());
  return scene;
}

const web = ingress({ rules: [{ host: 'a.example', paths: ['/'] }] });
const causesOf = (admission: Awaited<ReturnType<AdmissionScene['create']>>) =>
  admission.kind === 'denied' ? admission.causes : [];
const warningsOf = (admission: Awaited<ReturnType<AdmissionScene['create']>>) =>
  'warnings' in admission ? admission.warnings : [];

describe('a new object', () => {
  it('is allowed after HAProxy was asked about what changes', async () => {
    const scene = await sceneOf();
    scene.accept();
    expect(await scene.create(web)).toEqual({ kind: 'allowed', warnings: [], scope: 'reduced' });
    expect(scene.checked).toHaveLength(1);
    expect(scene.checked[0]).toContain('backend shop_echo_80');
  });

  it.each([
    ['is none of ours in a namespace that is not selected', { shop: { team: 'b' } }, 'allowed', 'none'],
    ['is judged in one that is', { shop: { team: 'a' } }, 'denied', 'none'],
    ['is judged where that cannot be told', {}, 'denied', 'none'],
  ])('of selected namespaces %s', async (_what, namespaces, kind, scope) => {
    const own = { watchedResources: { ingresses: { namespaceSelector: 'team=a' } } };
    const scene = await sceneOf({ own, namespaces });
    scene.accept();
    const bad = ingress({ rules: [{ host: 'a.example', paths: [{ path: 'x' }] }] });
    expect(await scene.create(bad)).toMatchObject({ kind, scope });
  });

  it('that is nested without end is refused, and the next one is looked at', async () => {
    const scene = await sceneOf();
    scene.accept();
    const admission = await scene.create({ ...web, spec: { in: nested(20_000) } });
    expect(JSON.stringify(admission)).toContain('nested more than 200 deep');
    expect(await scene.create(web)).toMatchObject({ kind: 'allowed' });
  });

  it('is seen by templates that ask what a render is for, in the what-if alone', async () => {
    const asks = `{{#forEach resources.services as |s|}}
# {{renderMode}}{{#with (admissionSubject) as |o|}} of {{o.kind}} {{o.namespace}}/{{o.name}}{{/with}}
{{/forEach}}`;
    const scene = await sceneOf({ own: { templateSnippets: { 'frontends-900-asks': { template: asks } } } });
    const textOf = (plan: { readonly sections: Bundle['plan']['sections'] }) =>
      [...valuesOf(plan.sections)].map(({ text }) => text).join('');
    expect(textOf(scene.accept().plan)).toContain('# reconcile\n');
    await scene.create(web);
    expect(scene.checked.at(-1)).toContain(
      `# admission of Ingress ${web.metadata.namespace ?? ''}/${web.metadata.name}`,
    );
    expect(textOf(scene.render().plan)).toContain('# reconcile\n');
  });

  it('of a form that HAProxy has accepted before is not asked about again', async () => {
    const scene = await sceneOf();
    scene.put(service({ name: 'other' }));
    scene.accept();
    expect(await scene.create(web)).toMatchObject({ scope: 'reduced' });
    const other = ingress({
      name: 'b',
      rules: [{ host: 'b.example', paths: [{ path: '/x', service: 'other' }] }],
    });
    expect(await scene.create(other)).toEqual({ kind: 'allowed', warnings: [], scope: 'known' });
    expect(scene.checked).toHaveLength(1);
  });

  it('is denied with field and words when it is malformed, and HAProxy is not asked', async () => {
    const scene = await sceneOf();
    scene.accept();
    const admission = await scene.create(
      ingress({
        rules: [
          { host: 'bad_host!', paths: ['/'] },
          { host: 'b.example', paths: [{ path: 'x' }] },
        ],
      }),
    );
    expect(causesOf(admission).map(({ field }) => field)).toEqual([
      'spec.rules[0].host',
      'spec.rules[1].http.paths[0].path',
    ]);
    expect(scene.checked).toEqual([]);
  });

  it('of a foreign class is none of our business, however wrong it is', async () => {
    const scene = await sceneOf();
    scene.put(ingressClass({ name: 'other', controller: 'example.com/other' }));
    scene.accept();
    const foreign = ingress({ className: 'other', rules: [{ host: 'bad_host!', paths: ['/'] }] });
    expect(await scene.create(foreign)).toEqual({ kind: 'allowed', warnings: [], scope: 'none' });
    expect(scene.checked).toEqual([]);
  });

  it('without a class is ours only where ours is the default', async () => {
    const bad = ingress({ className: null, rules: [{ host: 'bad_host!', paths: ['/'] }] });
    const scene = await sceneOf();
    scene.accept();
    expect((await scene.create(bad)).kind).toBe('allowed');
    scene.put(ingressClass({ name: 'default', isDefault: true }));
    scene.accept();
    expect((await scene.create(bad)).kind).toBe('denied');
  });

  it('that needs what is not there yet is allowed with a warning', async () => {
    const scene = await sceneOf();
    scene.accept();
    const early = ingress({ rules: [{ host: 'a.example', paths: [{ path: '/', service: 'later' }] }] });
    expect(await scene.create(early)).toMatchObject({
      kind: 'allowed',
      warnings: [
        'spec.rules[0].http.paths[0].backend.service.name: Service shop/later does not exist: answered with 503',
      ],
    });
  });

  it('that loses a path to an older one is allowed with a warning', async () => {
    const scene = await sceneOf();
    scene.put(
      ingress({
        name: 'older',
        created: '2020-01-01T00:00:00Z',
        rules: [{ host: 'a.example', paths: ['/'] }],
      }),
    );
    scene.accept();
    expect(warningsOf(await scene.create(web))).toEqual([
      expect.stringContaining('is already served by the older Ingress shop/older'),
    ]);
  });

  it('that takes a path from a younger one says whom', async () => {
    const scene = await sceneOf();
    scene.put(
      ingress({
        name: 'younger',
        created: '2030-01-01T00:00:00Z',
        rules: [{ host: 'a.example', paths: ['/'] }],
      }),
    );
    scene.accept();
    expect(warningsOf(await scene.create(web))).toEqual([
      expect.stringMatching(/^Ingress shop\/younger: spec\.rules/),
    ]);
  });

  it('is warned about annotations that nothing reads, with what may have been meant', async () => {
    const scene = await sceneOf({
      own: {
        templateSnippets: {
          'backends-900-note': {
            template: '{{!-- reads haproxy.org/timeout --}}',
          },
        },
      },
    });
    scene.accept();
    const annotated = (annotations: Record<string, string>) =>
      scene.create({ ...web, metadata: { ...web.metadata, annotations } });
    expect(warningsOf(await annotated({ 'haproxy.org/timeuot': '5s', 'example.com/x': 'y' }))).toEqual([
      'metadata.annotations[haproxy.org/timeuot]: nothing reads this annotation; did you mean haproxy.org/timeout?',
    ]);
    expect(warningsOf(await annotated({ 'haproxy.org/timeout': '5s' }))).toEqual([]);
    expect(warningsOf(await annotated({ 'haproxy-haptic.org/timeout-sever': '5s' }))).toEqual([
      expect.stringContaining('did you mean haproxy-haptic.org/timeout-server?'),
    ]);
    for (const [theirs, ours] of [
      ['nginx.ingress.kubernetes.io/proxy-read-timeout', 'timeout-server'],
      ['haproxy-ingress.github.io/ssl-redirect', 'ssl-redirect'],
      ['ingress.kubernetes.io/whitelist-source-range', 'allowlist-source-range'],
      ['haproxy.com/set-host', 'upstream-vhost'],
    ] as const) {
      const name = `haproxy-haptic.org/${ours}`;
      expect(warningsOf(await annotated({ [theirs]: 'x' }))).toEqual([
        `metadata.annotations[${theirs}]: nothing reads this annotation; did you mean ${name}?`,
      ]);
    }
    expect(
      warningsOf(
        await annotated({
          'nginx.ingress.kubernetes.io/ssl-redirect': 'true',
          'haproxy-haptic.org/ssl-redirect': 'true',
          'nginx.ingress.kubernetes.io/satisfy': 'any',
        }),
      ),
    ).toEqual(['metadata.annotations[nginx.ingress.kubernetes.io/satisfy]: nothing reads this annotation']);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`haproxy.org/${i}`, ''] as const));
    const warnings = warningsOf(await annotated(many));
    expect(warnings).toHaveLength(33);
    expect(warnings.at(-1)).toBe('metadata.annotations: nothing reads 468 more of these annotations');
  });
});

describe('an update', () => {
  it('with the version that is stored is looked at all the same', async () => {
    const scene = await sceneOf();
    scene.put(web);
    scene.accept();
    const worse = { ...web, spec: ingress({ rules: [{ host: 'no host', paths: ['/'] }] })['spec'] };
    expect(worse.metadata.resourceVersion).toBe('1');
    expect((await scene.update(worse)).kind).toBe('denied');
  });

  it('that changes nothing for HAProxy asks it nothing', async () => {
    const scene = await sceneOf();
    scene.put(web);
    scene.accept();
    const labelled = { ...web, metadata: { ...web.metadata, labels: { team: 'a' } } };
    expect(await scene.update(labelled)).toEqual({ kind: 'allowed', warnings: [], scope: 'none' });
  });

  it('of an object that is wrong already is allowed as long as it makes nothing worse', async () => {
    const scene = await sceneOf();
    const wrong = ingress({
      rules: [
        { host: 'bad_host!', paths: ['/'] },
        { host: 'worse_host!', paths: ['/'] },
      ],
    });
    scene.put(wrong);
    scene.accept();
    const with_ = (...hosts: string[]) =>
      scene.update({
        ...wrong,
        spec: ingress({ rules: hosts.map((host) => ({ host, paths: ['/'] })) })['spec'],
      });
    expect((await with_('a.example', 'worse_host!')).kind).toBe('allowed');
    // The second rule is the first now: the same fault in another place.
    expect((await with_('worse_host!')).kind).toBe('allowed');
    expect((await with_('bad_host!', 'worse_host!', 'third_host!')).kind).toBe('denied');
    expect(causesOf(await with_('bad_host!', 'other_host!'))).toHaveLength(1);
  });

  it('that leaves our class is allowed, and one that enters it is judged', async () => {
    const scene = await sceneOf();
    scene.put(ingressClass({ name: 'other', controller: 'example.com/other' }));
    const foreign = ingress({ className: 'other', rules: [{ host: 'bad_host!', paths: ['/'] }] });
    scene.put(foreign);
    scene.accept();
    expect(
      (
        await scene.update({
          ...foreign,
          spec: { ...(foreign['spec'] as object), ingressClassName: 'haptic' },
        })
      ).kind,
    ).toBe('denied');
    scene.put(web);
    scene.accept();
    expect(
      (await scene.update({ ...web, spec: { ...(web['spec'] as object), ingressClassName: 'other' } })).kind,
    ).toBe('allowed');
  });

  it('of an object on its way out is never refused', async () => {
    const scene = await sceneOf();
    scene.put(web);
    scene.accept();
    const going = {
      ...ingress({ rules: [{ host: 'bad_host!', paths: ['/'] }] }),
      metadata: { ...web.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    };
    expect(await scene.update(going)).toMatchObject({
      kind: 'allowed',
      warnings: [expect.stringContaining('spec.rules[0].host')],
    });
  });
});

describe('selectors', () => {
  const own = {
    watchedResources: {
      ingresses: {
        apiVersion: 'networking.k8s.io/v1',
        resources: 'ingresses',
        labelSelector: 'tier in (web, api)',
      },
    },
  };
  const labelled = (tier: string | undefined, host: string) => ({
    ...ingress({ rules: [{ host, paths: ['/'] }] }),
    metadata: { ...web.metadata, ...(tier === undefined ? {} : { labels: { tier } }) },
  });

  it('let what does not match pass', async () => {
    const scene = await sceneOf({ own });
    scene.accept();
    expect((await scene.create(labelled('batch', 'bad_host!'))).kind).toBe('allowed');
    expect((await scene.create(labelled(undefined, 'bad_host!'))).kind).toBe('allowed');
    expect((await scene.create(labelled('web', 'bad_host!'))).kind).toBe('denied');
  });

  it('make an object that leaves them a deletion, and one that enters them new', async () => {
    const scene = await sceneOf({ own });
    scene.put(labelled('web', 'a.example'));
    scene.accept();
    expect(await scene.update(labelled('batch', 'bad_host!'))).toMatchObject({
      kind: 'allowed',
      scope: 'known',
    });
    expect((await scene.update(labelled('api', 'bad_host!'))).kind).toBe('denied');
  });
});

describe('a deletion', () => {
  it('is allowed with what would break', async () => {
    const scene = await sceneOf();
    scene.put(web);
    scene.accept();
    expect(await scene.remove(service())).toMatchObject({
      kind: 'allowed',
      warnings: [
        'Ingress shop/echo: spec.rules[0].http.paths[0].backend.service.name: Service shop/echo does not exist: answered with 503',
      ],
    });
    expect(warningsOf(await scene.remove(web))).toEqual([]);
  });
});

describe('what cannot be said', () => {
  it('is not said before HAProxy has accepted a first configuration', async () => {
    const scene = await sceneOf();
    scene.render();
    expect(await scene.create(web)).toEqual({
      kind: 'unknown',
      message: 'HAProxy has not accepted a first configuration yet',
    });
  });

  it('is not said when HAProxy does not run', async () => {
    const scene = await sceneOf({ haproxy: '/nowhere/haproxy' });
    scene.accept();
    expect(await scene.create(web)).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('could not run') as unknown,
    });
  });

  it('is a question about a kind that is not watched', async () => {
    const scene = await sceneOf();
    scene.accept();
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'shop' } };
    expect(await scene.create(pod)).toEqual({
      kind: 'unwatched',
      message:
        "pods.v1 is in no entry of watchedResources: take it out of the rules of the webhook's configuration",
    });
    const old = { ...web, apiVersion: 'networking.k8s.io/v1beta1' };
    expect((await scene.create(old)).kind).toBe('unwatched');
  });
});

describe('nothing is changed by a question', () => {
  it('neither the render nor the stores', async () => {
    const scene = await sceneOf();
    scene.put(web);
    const before = scene.accept();
    await scene.create(ingress({ name: 'new', rules: [{ host: 'new.example', paths: ['/'] }] }));
    await scene.remove(web);
    await scene.update({ ...web, spec: ingress({ rules: [{ host: 'b.example', paths: ['/x'] }] })['spec'] });
    const after = scene.render();
    expect(after.plan.id).toBe(before.plan.id);
    expect(after.problems).toEqual(before.problems);
    expect(scene.world.stores.get('ingresses')?.keys()).toEqual(['shop/echo']);
    expect(scene.world.graph.stats().nodes.every(({ undo }) => undo === 0)).toBe(true);
  });

  it('nor what is held back: a held object is judged by its new state', async () => {
    const scene = await sceneOf();
    scene.put(web);
    const before = scene.accept();
    const owner = { kind: 'Ingress', namespace: 'shop', name: 'echo' };
    const quarantine = new Map([
      [formatOwner(owner), { kind: 'excluded' as const, owner, at: emptyOrderedMap<never>() }],
    ]);
    scene.hold(quarantine, before);
    const held = scene.accept();
    const admission = await scene.update({
      ...web,
      spec: ingress({ rules: [{ host: 'b.example', paths: ['/x'] }] })['spec'],
    });
    expect(admission).toMatchObject({ kind: 'allowed', scope: 'known' });
    expect(scene.render().plan.id).toBe(held.plan.id);
  });
});

it('ends when its time is over', async () => {
  const scene = await sceneOf();
  scene.accept();
  const over = new AbortController();
  over.abort(new Error('over'));
  await expect(scene.admit(admissionRequest(web, 'CREATE'), over.signal)).rejects.toThrow('over');
});
