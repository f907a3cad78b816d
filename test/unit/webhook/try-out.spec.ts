import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { Want } from '../../../src/collections/on-demand-cache.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { valuesOf } from '../../../src/lib/ordered-map.ts';
import { buildFacts, factOptionsOf } from '../../../src/world/build-facts.ts';
import { buildWorld, type World } from '../../../src/world/build-world.ts';
import { createLiveStore, type LiveStore } from '../../../src/world/live-store.ts';
import { tryOut } from '../../../src/webhook/try-out.ts';

const text = `
podSelector: {matchLabels: {app: haproxy}}
watchedResources:
  widgets: {apiVersion: example.com/v1, resources: widgets, enableValidationWebhook: true}
  secrets: {apiVersion: v1, resources: secrets, store: on-demand}
haproxyConfig:
  template: |
    global
    {{#forEach resources.widgets as |w|}}
    {{#with (fetch "secrets" w.metadata.namespace w.secret) as |s|}}
    # {{s.data.value}}
    {{else}}
    # none
    {{/with}}
    {{/forEach}}
`;
const meta = (name: string) => ({ name, namespace: 'shop', uid: name, resourceVersion: '1' });
const secret: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: meta('s'), data: { value: 'read' } };
const widget: KubeObject = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: meta('w'), secret: 's' };

let world: World;
let secrets: LiveStore;
let wanted: Want[] = [];
/** What becomes of an object that is wanted. */
let onWant: (want: Want) => void;

beforeEach(() => {
  const config = loadConfig([{ name: 'test.yaml', text }]);
  const limits = { cacheSize: 10, cacheTtlMs: 0, now: () => performance.now() };
  secrets = createLiveStore('secrets', limits);
  const stores = new Map([['widgets', createLiveStore('widgets')], ['secrets', secrets]]); // prettier-ignore
  world = buildWorld({
    config,
    constants: {},
    ground: { stores, facts: buildFacts(stores, factOptionsOf(config, {})) },
  });
  secrets.store.set('shop/s', { metadata: meta('s') });
  wanted = [];
  onWant = (want) => setImmediate(() => secrets.cache?.arrived(want, secret));
  secrets.cache?.wanted$.subscribe((want) => {
    wanted.push(want);
    onWant(want);
  });
  world.graph.advance();
  world.renderer.bundle();
});
afterEach(() => world.dispose());

const tried = async (readsMs: number, signal = new AbortController().signal) => {
  const store = world.stores.get('widgets');
  if (store === undefined) throw new Error('no widgets');
  const edits = [{ collection: store, key: 'shop/w', value: widget }];
  const deps = {
    // The pipeline's own turns.
    pause: () =>
      new Promise<void>((resolve) => {
        setImmediate(() => {
          world.graph.advance();
          resolve();
        });
      }),
    now: () => performance.now(),
    sliceMs: 8,
    readsMs,
  };
  const { preview } = await tryOut(world, edits, 'Widget shop/w', deps, signal);
  return [...valuesOf(preview.plan.sections)].map((section) => section.text).join('');
};

describe('among changes without end', () => {
  /** Renders so many new objects at once, a millisecond of work for each look at the clock; with every pause something else changes. */
  const amongChanges = async (count: number) => {
    const store = world.stores.get('widgets');
    if (store === undefined) throw new Error('no widgets');
    const widgetOf = (name: string) => ({ ...widget, metadata: meta(name), secret: 'none' });
    const edits = Array.from({ length: count }, (_, at) => ({
      collection: store,
      key: `shop/w${at}`,
      value: widgetOf(`w${at}`),
    }));
    let now = 0;
    let pauses = 0;
    const deps = {
      pause: () => {
        const resourceVersion = String(++pauses);
        store.set('shop/other', { ...widgetOf('other'), metadata: { ...meta('other'), resourceVersion } });
        world.graph.advance();
        world.renderer.bundle();
        return Promise.resolve();
      },
      now: () => ++now,
      sliceMs: 8,
      readsMs: 0,
    };
    const { preview } = await tryOut(world, edits, 'Widget shop/w', deps, new AbortController().signal);
    return { text: [...valuesOf(preview.plan.sections)].map((section) => section.text).join(''), pauses };
  };

  it('is done in longer slices each time that it is overtaken', async () => {
    const { text, pauses } = await amongChanges(10);
    expect(pauses).toBeGreaterThan(0);
    expect(text.match(/# none/g)?.length).toBeGreaterThanOrEqual(10);
  });

  it('ends where no slice is long enough', async () => {
    await expect(amongChanges(10_000)).rejects.toMatchObject({ code: 'HAPTIC_ERR_WEBHOOK_OVERDUE' });
  });
});

it('reads what is read on demand before it says what an object would do', async () => {
  expect(await tried(5_000)).toContain('# read\n');
  expect(wanted).toHaveLength(1);
});

it('does not wait for it without end', async () => {
  onWant = () => undefined;
  expect(await tried(20)).toBe('global\n');
});

it('does not wait for it when the time of the request is over', async () => {
  onWant = () => undefined;
  const overdue = new AbortController();
  const answer = tried(60_000, overdue.signal);
  await expect.poll(() => wanted.length).toBe(1);
  overdue.abort(new Error('overdue'));
  await expect(answer).rejects.toThrow('overdue');
});
