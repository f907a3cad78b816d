import pino from 'pino';
import { type Observable, Subject, from, of, switchMap } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { Controller } from '../../../src/cli/controller/controller-deps.ts';
import { startController } from '../../../src/cli/start-controller.ts';
import type { Verdict } from '../../../src/gate/verdict.ts';
import type { KubeTransport } from '../../../src/kube/kube-transport.ts';
import { valuesOf } from '../../../src/lib/ordered-map.ts';
import type { Plan } from '../../../src/protocol/plan.ts';
import { acceptingAgent } from '../../bench/lib/accepting-agent.ts';
import { haproxyPod } from '../../bench/lib/route-objects.ts';
import { scriptedApi } from '../../bench/lib/scripted-api.ts';
import { bundleFile } from '../../fixtures/ingress-renderer.ts';

const widget = (name: string, word: string, labels: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'ns', uid: name, labels },
  spec: { word },
});

const template = (greeting: string) => `global
defaults std
{{#forEach resources.widgets as |w|}}
{{#backend w.metadata.name profile="std"}}
  description ${greeting} {{w.spec.word}}
{{/backend}}
{{/forEach}}
`;

type Spec = Readonly<Record<string, unknown>>;

const specOf = (greeting: string, widgets: Spec = {}): Spec => ({
  podSelector: { matchLabels: { app: 'haproxy' } },
  haproxyConfig: { template: template(greeting) },
  watchedResources: {
    widgets: { apiVersion: 'example.com/v1', resources: 'widgets', debounceInterval: '0', ...widgets },
    gadgets: { apiVersion: 'example.com/v1', resources: 'gadgets' },
  },
});

interface Load {
  readonly kind: string;
  readonly stage?: string;
  readonly errors?: readonly string[];
  readonly generation?: number;
}

interface Scene {
  readonly controller: Controller;
  readonly apply: (spec: Spec) => void;
  readonly api: ReturnType<typeof scriptedApi>;
  readonly configObject: (spec: Spec) => KubeObject;
  /** Resources that were requested, in order. */
  readonly requests: string[];
  /** Ids of plans that were checked, in order. */
  readonly checked: string[];
  readonly loads: Load[];
  /** Conditions that were written: status and generation. */
  readonly statuses: string[];
  /** haproxy.cfg as it is out. */
  readonly released: () => string;
  readonly bundles: string[];
}

/** Machines are busy at times. */
const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 20_000 });

const started: Controller[] = [];
afterEach(async () => {
  for (const controller of started.splice(0)) await controller.stop();
});

/** HAProxy refuses `bad…`, and names the widget. */
function verdictOf(plan: Plan): Verdict {
  const bad = [...valuesOf(plan.sections)].filter(({ text }) => / bad/.test(text));
  if (bad.length === 0) return { kind: 'accepted', planId: plan.id, warnings: [] };
  return {
    kind: 'refused',
    planId: plan.id,
    output: 'no',
    findings: bad.map((section) => ({
      severity: 'alert',
      message: `bad word in ${section.name}`,
      ...(section.owner && { owner: section.owner }),
    })),
  };
}

function start(
  initial: Spec,
  widgets: readonly KubeObject[],
  options: {
    readonly answer?: (path: string) => Promise<void> | undefined;
    readonly check?: (plan: Plan) => Observable<Verdict>;
  } = {},
): Scene {
  let generation = 0;
  const configObject = (spec: Spec): KubeObject => ({
    apiVersion: 'haproxy-haptic.org/v1alpha1',
    kind: 'HAProxyTemplateConfig',
    metadata: { name: 'main', namespace: 'haptic', uid: 'config', generation: ++generation },
    spec,
  });
  const api = scriptedApi({
    widgets,
    gadgets: [],
    pods: [haproxyPod('10.255.0.1', 0)],
    haproxytemplateconfigs: [configObject(initial)],
  });
  const requests: string[] = [];
  const transport: KubeTransport = {
    ...api.transport,
    request: async (request) => {
      const resource = request.path.split('/').at(-1) ?? '';
      requests.push(resource);
      await options.answer?.(String(request.query?.['labelSelector'] ?? ''));
      return api.transport.request(request);
    },
  };
  const checked: string[] = [];
  const bundles: string[] = [];
  let out = '';
  const statuses: string[] = [];
  const check = options.check ?? ((plan: Plan) => of(verdictOf(plan)));
  const verdicts = new Map<string, Verdict>();
  const controller = startController({
    config: {
      namespace: 'haptic',
      name: 'main',
      shipped: [],
      test: () => of({ ok: true, value: undefined }),
      applyStatus: (object) => {
        const { conditions } = object['status'] as {
          conditions: { status: string; reason: string; observedGeneration: number }[];
        };
        for (const { status, reason, observedGeneration } of conditions)
          statuses.push(`${observedGeneration} ${status} ${reason}`);
        return of({ kind: 'written' });
      },
    },
    transport,
    client: acceptingAgent(),
    check: (plan) => {
      // Like the real one, it knows what it judged before.
      const known = verdicts.get(plan.id);
      if (known !== undefined) return of(known);
      checked.push(plan.id);
      return check(plan).pipe(
        switchMap((verdict) => {
          verdicts.set(plan.id, verdict);
          return of(verdict);
        }),
      );
    },
    capabilities: {},
    watchTimeoutSeconds: 290,
    log: pino({ level: 'silent' }),
    parts: [
      (runtime) => {
        const part = runtime.bundle$.subscribe((bundle) => {
          out = bundleFile(bundle, 'haproxy.cfg');
          bundles.push(bundle.plan.id);
        });
        return part;
      },
    ],
    onFatal: (error) => {
      throw error;
    },
  });
  started.push(controller);
  const loads: Load[] = [];
  controller.debug.taps.watch('config.load')?.subscribe((report) => loads.push(report as Load));
  return {
    controller,
    api,
    configObject,
    apply: (spec) => api.push('haproxytemplateconfigs', 'MODIFIED', configObject(spec)),
    requests,
    checked,
    loads,
    statuses,
    released: () => out,
    bundles,
  };
}

describe('a configuration that is followed', () => {
  it('hands over the render that was accepted: one render, one check, nothing listed again', async () => {
    const scene = start(specOf('hello'), [widget('a', 'one')]);
    await eventually(scene.released).toContain('description hello one');
    const { requests, checked } = scene;
    const before = { requests: requests.length, checked: checked.length };
    scene.apply(specOf('welcome'));
    await eventually(scene.released).toContain('description welcome one');
    await eventually(() => scene.statuses.at(-1)).toBe('2 True ValidationSucceeded');
    expect(requests.length).toBe(before.requests);
    expect(checked.length).toBe(before.checked + 1);
    expect(scene.bundles.at(-1)).toBe(checked.at(-1));
    scene.api.push('widgets', 'MODIFIED', widget('a', 'two'));
    await eventually(scene.released).toContain('description welcome two');
    expect(scene.controller.debug.vars['resources']?.()).toMatchObject({ stores: 2, facts: 1 });
  });

  it('keeps the last good one, and says what is wrong and where', async () => {
    const scene = start(specOf('hello'), [widget('a', 'one')]);
    await eventually(scene.released).toContain('description hello one');
    scene.apply({ ...specOf('x'), haproxyConfig: { template: 'global\n{{nonsense 1}}\n' } });
    await eventually(() => scene.statuses.at(-1)).toBe('2 False ConfigInvalid');
    expect(scene.loads.at(-1)).toMatchObject({ kind: 'refused', stage: 'template' });
    expect(scene.loads.at(-1)?.errors?.[0]).toContain('spec.haproxyConfig:2:');
    scene.apply(specOf('bad'));
    await eventually(() => scene.statuses.at(-1)).toBe('3 False HAProxyValidationFailed');
    expect(scene.released()).toContain('description hello one');
    scene.api.push('widgets', 'MODIFIED', widget('a', 'two'));
    await eventually(scene.released).toContain('description hello two');
    scene.apply(specOf('hello'));
    await eventually(() => scene.statuses.at(-1)).toBe('4 True ValidationSucceeded');
    expect(scene.loads.at(-1)).toMatchObject({ kind: 'unchanged' });
  });

  it('starts a watch that is another one, keeps the others, and changes over only when it is synced', async () => {
    const held = Promise.withResolvers<undefined>();
    const scene = start(specOf('hello'), [widget('a', 'one', { tier: 'x' })], {
      answer: (selector) => (selector === '' ? undefined : held.promise),
    });
    await eventually(scene.released).toContain('description hello one');
    const before = scene.requests.length;
    scene.apply(specOf('welcome', { labelSelector: 'tier=x' }));
    await eventually(() => scene.requests.slice(before)).toEqual(['widgets']);
    expect(scene.released()).toContain('description hello one');
    held.resolve(undefined);
    await eventually(scene.released).toContain('description welcome one');
    expect(scene.requests.slice(before)).toEqual(['widgets']);
  });

  it('lets a newer one take the place of one that is in the gate', async () => {
    const answers = new Map<string, Subject<Verdict>>();
    let isHeld = false;
    const scene = start(specOf('hello'), [widget('a', 'one')], {
      check: (plan) => {
        if (!isHeld) return of(verdictOf(plan));
        const answer = new Subject<Verdict>();
        answers.set(plan.id, answer);
        return from(answer);
      },
    });
    await eventually(scene.released).toContain('description hello one');
    isHeld = true;
    scene.apply(specOf('second'));
    await eventually(() => answers.size).toBe(1);
    isHeld = false;
    scene.apply(specOf('third'));
    await eventually(scene.released).toContain('description third one');
    expect([...answers.values()].map(({ observed }) => observed)).toEqual([false]);
    const taken = scene.loads.filter(({ kind }) => kind === 'accepted').map(({ generation }) => generation);
    expect(taken).toEqual([1, 3]);
  });

  it('stays at work when the object is deleted', async () => {
    const scene = start(specOf('hello'), [widget('a', 'one')]);
    await eventually(scene.released).toContain('description hello one');
    scene.api.push('haproxytemplateconfigs', 'DELETED', scene.configObject(specOf('hello')));
    await eventually(() => scene.controller.debug.vars['load']?.()).toMatchObject({
      missing: 'there is no HAProxyTemplateConfig haptic/main',
    });
    scene.api.push('widgets', 'ADDED', widget('b', 'two'));
    await eventually(scene.released).toContain('description hello two');
  });

  it('takes a status, labels, and a library that it does not refer to, for no change', async () => {
    const scene = start(specOf('hello'), [widget('a', 'one')]);
    await eventually(() => scene.statuses.at(-1)).toBe('1 True ValidationSucceeded');
    const before = scene.loads.length;
    const { metadata, ...rest } = scene.configObject(specOf('hello'));
    const same = { ...rest, metadata: { ...metadata, generation: 1, labels: { touched: 'yes' } } };
    scene.api.push('haproxytemplateconfigs', 'MODIFIED', { ...same, status: { validationStatus: 'Valid' } });
    scene.api.push('haproxytemplatelibraries', 'ADDED', {
      apiVersion: 'haproxy-haptic.org/v1alpha1',
      kind: 'HAProxyTemplateLibrary',
      metadata: { name: 'other', namespace: 'haptic', uid: 'other' },
      spec: { revision: '1' },
    });
    scene.apply(specOf('welcome'));
    await eventually(scene.released).toContain('description welcome one');
    const basics = scene.loads.slice(before).filter(({ stage }) => stage === 'basic');
    expect(basics).toHaveLength(1);
  });

  it('holds an object that is held at what it was last, under the new configuration, too', async () => {
    const scene = start(specOf('hello'), [widget('a', 'one'), widget('b', 'fine')]);
    await eventually(scene.released).toContain('description hello fine');
    scene.api.push('widgets', 'MODIFIED', widget('b', 'bad1'));
    const quarantined = async () =>
      new Promise((resolve) =>
        scene.controller.debug.taps.watch('quarantine')?.subscribe((state) => resolve(JSON.stringify(state))),
      );
    await eventually(quarantined).toContain('pinned');
    scene.apply(specOf('welcome'));
    await eventually(scene.released).toContain('description welcome one');
    // What it printed under the former templates is all that is known to be good of it.
    expect(scene.released()).toContain('description hello fine');
    expect(scene.released()).not.toContain('bad1');
    scene.api.push('widgets', 'MODIFIED', widget('b', 'well'));
    await eventually(scene.released).toContain('description welcome well');
  });

  it('waits for a configuration that is not there yet', async () => {
    const scene = start(specOf('hello'), [widget('a', 'one')]);
    const failures = () =>
      scene.controller.health.ready.flatMap(({ name, failure }) => (failure() === undefined ? [] : [name]));
    expect(failures()).toEqual(['configuration', 'render']);
    await eventually(failures).toEqual([]);
  });
});
