import { NEVER } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { createResourceHub } from '../../../src/world/resource-hub.ts';

const hub = createResourceHub({ watch: () => NEVER, keep: 0, now: () => 1, constants: {} });
const config = (name: string, store: string) =>
  loadConfig([
    {
      name: 'test.yaml',
      text: `
haproxyConfig: {template: x}
watchedResources:
  ${name}: {apiVersion: example.com/v1, resources: ${name}, store: ${store}}
`,
    },
  ]);

describe('kinds of which routes and backends are made', () => {
  it.each(['ingresses', 'ingressclasses', 'services', 'endpointslices'])(
    'cannot be stored on demand: %s',
    (name) => {
      const words = `watchedResources.${name}.store`;
      expect(() => config(name, 'on-demand')).toThrow(`test.yaml: ${words} cannot be on-demand`);
      // Nor where nobody has looked at the configuration before.
      const { watchedResources, ...rest } = config(name, 'full');
      const onDemand = Object.entries(watchedResources).map(
        ([entry, resource]) => [entry, { ...resource, store: 'on-demand' as const }] as const,
      );
      expect(() => hub.hold({ ...rest, watchedResources: Object.fromEntries(onDemand) })).toThrow(
        `${words}: "on-demand" is not possible for ${name}`,
      );
      expect(hub.counts()).toStrictEqual({ stores: 0, facts: 0 });
    },
  );

  it('are stored in full, and others as one likes', () => {
    const full = hub.hold(config('services', 'full'));
    expect(full.stores.get('services')?.cache).toBeUndefined();
    full.release();
    const onDemand = hub.hold(config('secrets', 'on-demand'));
    expect(onDemand.stores.get('secrets')?.cache).toBeDefined();
    onDemand.release();
    expect(hub.counts()).toStrictEqual({ stores: 0, facts: 0 });
  });
});
