import { marbles } from 'rxjs-marbles';
import { NEVER, type Observable, ReplaySubject, merge, share, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { TemplateConfig } from '../../../src/api/template-config.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import type { ResourceToken } from '../../../src/streams/resource-token.ts';
import { createResourceHub } from '../../../src/world/resource-hub.ts';

type Marbles = Parameters<Parameters<typeof marbles>[0]>[0];

const resource = (change: object = {}) => ({
  apiVersion: 'networking.k8s.io/v1',
  resources: 'ingresses',
  ...change,
});

const configOf = (watchedResources: Readonly<Record<string, object>>): TemplateConfig =>
  loadConfig([
    { name: 'test', text: JSON.stringify({ haproxyConfig: { template: 'global\n' }, watchedResources }) },
  ]);

const services = { apiVersion: 'v1', resources: 'services' };
const token = (name: string): ResourceToken => ({ kind: 'synced', resource: name, revision: 1 });

function scene(m: Marbles) {
  const started: string[] = [];
  const hub = createResourceHub({
    watch: (spec): Observable<ResourceToken> => {
      started.push(`${spec.name} ${spec.labelSelector}`.trim());
      return m
        .cold('-t---', { t: token(spec.name) })
        .pipe(share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: () => timer(30) }));
    },
    keep: 5,
    now: () => 1,
    constants: {},
  });
  return { hub, started };
}

describe('createResourceHub', () => {
  it(
    'gives configurations that watch the same the same stores, facts and tokens',
    marbles((m) => {
      const { hub, started } = scene(m);
      const one = hub.hold(configOf({ ingresses: resource(), services }));
      const other = hub.hold(configOf({ ingresses: resource({ indexBy: ['metadata.name'] }), services }));
      expect(other.stores.get('ingresses')).toBe(one.stores.get('ingresses'));
      expect(other.facts).toBe(one.facts);
      expect(started).toEqual(['ingresses', 'services']);
      const tokens$ = merge(one.tokens.get('ingresses')!, other.tokens.get('ingresses')!);
      m.expect(tokens$, '^---!').toBeObservable('-(tt)', { t: token('ingresses') });
    }),
  );

  it(
    'gives another store to another watch, and other facts to what stands on it; the rest is kept',
    marbles((m) => {
      const { hub, started } = scene(m);
      const one = hub.hold(configOf({ ingresses: resource(), services }));
      const other = hub.hold(configOf({ ingresses: resource({ labelSelector: 'tier=x' }), services }));
      expect(other.stores.get('ingresses')).not.toBe(one.stores.get('ingresses'));
      expect(other.stores.get('services')).toBe(one.stores.get('services'));
      expect(other.facts).not.toBe(one.facts);
      expect(started).toEqual(['ingresses', 'services', 'ingresses tier=x']);
      expect(hub.counts()).toEqual({ stores: 3, facts: 2 });
      m.flush();
    }),
  );

  it(
    'keeps the facts of a configuration that watches something more',
    marbles((m) => {
      const { hub } = scene(m);
      const widgets = { apiVersion: 'example.com/v1', resources: 'widgets' };
      const one = hub.hold(configOf({ ingresses: resource() }));
      const other = hub.hold(configOf({ ingresses: resource(), widgets }));
      expect(other.facts).toBe(one.facts);
      m.flush();
    }),
  );

  it(
    'forgets a store a while after the last one let it go, and not one that was taken up again meanwhile',
    marbles((m) => {
      const { hub, started } = scene(m);
      const config = configOf({ ingresses: resource() });
      const seen: number[] = [];
      const at = (ms: number, act: () => void) => m.cold(`${ms}ms (a|)`).subscribe(act);
      let held = hub.hold(config);
      at(1, () => {
        held.release();
        held.release();
      });
      at(4, () => (held = hub.hold(config)));
      at(10, () => seen.push(hub.counts().stores));
      at(11, () => held.release());
      at(18, () => seen.push(hub.counts().stores, hub.counts().facts));
      m.flush();
      expect(seen).toEqual([1, 0, 0]);
      expect(started).toEqual(['ingresses']);
    }),
  );

  it(
    'waits for nothing once it is disposed of, whatever is let go then',
    marbles((m) => {
      const { hub } = scene(m);
      const waiting = hub.hold(configOf({ services }));
      const one = hub.hold(configOf({ ingresses: resource() }));
      waiting.release();
      hub.dispose();
      expect(hub.counts()).toEqual({ stores: 1, facts: 1 });
      one.release();
      expect(hub.counts()).toEqual({ stores: 0, facts: 0 });
      m.flush();
    }),
  );

  it('holds nothing when a store or the facts cannot be made', () => {
    const hub = createResourceHub({
      watch: ({ name }) => {
        if (name === 'services') throw new Error('no such watch');
        return NEVER;
      },
      keep: 0,
      now: () => 1,
      constants: {},
    });
    expect(() => hub.hold(configOf({ ingresses: resource(), services }))).toThrow('no such watch');
    expect(hub.counts()).toEqual({ stores: 0, facts: 0 });
  });

  it('refuses a path that does not parse, and holds nothing then', () => {
    const hub = createResourceHub({
      watch: () => {
        throw new Error('nothing is to be watched');
      },
      keep: 5,
      now: () => 1,
      constants: {},
    });
    const config = configOf({ ingresses: resource() });
    const wrong: TemplateConfig = {
      ...config,
      watchedResources: { ingresses: { ...config.watchedResources['ingresses']!, indexBy: ['spec..['] } },
    };
    expect(() => hub.hold(wrong)).toThrow(expect.objectContaining({ code: 'HAPTIC_ERR_TEMPLATE_JSONPATH' }));
    expect(hub.counts()).toEqual({ stores: 0, facts: 0 });
  });
});
