import { marbles } from 'rxjs-marbles';
import { NEVER, map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { openWorld } from '../../../src/world/open-world.ts';
import { createResourceHub } from '../../../src/world/resource-hub.ts';

type Marbles = Parameters<Parameters<typeof marbles>[0]>[0];

/** A configuration of so many snippets, opened with a clock of which every look takes a millisecond. */
function scene(m: Marbles, snippets: number, last = '# last\n') {
  const hub = createResourceHub({ watch: () => NEVER, keep: 0, now: () => 1, constants: {} });
  const templateSnippets = Object.fromEntries(
    Array.from({ length: snippets }, (_, i) => [`part-${100 + i}`, { template: `# ${i}\n` }]),
  );
  const config = loadConfig([
    {
      name: 'test',
      text: JSON.stringify({
        haproxyConfig: { template: 'global\n{{snippets "part-*"}}' },
        templateSnippets: { ...templateSnippets, 'part-999': { template: last } },
        watchedResources: { services: { apiVersion: 'v1', resources: 'services' } },
      }),
    },
  ]);
  let clock = 0;
  const pause$ = m.cold('-p');
  const opened$ = openWorld(
    { constants: {}, hub },
    { config, sourceOfTemplate: (name) => name },
    {
      pause$,
      now: () => clock++,
      sliceMs: 50,
    },
  );
  return { hub, pause$, opened$ };
}

describe('openWorld', () => {
  it(
    'lets the event loop have its turn before, and again and again while it compiles',
    marbles((m) => {
      const { pause$, opened$ } = scene(m, 40);
      const kind$ = opened$.pipe(map(({ ok }) => (ok ? 'world' : 'errors')));
      m.expect(kind$).toBeObservable('---(w|)', { w: 'world' });
      m.expect(pause$).toHaveSubscriptions(['^!', '-^!', '--^!']);
    }),
  );

  it(
    'gives up half-way when it is superseded, and lets go of its stores',
    marbles((m) => {
      const { hub, pause$, opened$ } = scene(m, 100);
      m.expect(opened$, '^--!').toBeObservable('---');
      m.expect(pause$).toHaveSubscriptions(['^!', '-^!', '--^!']);
      m.scheduler.schedule(() => expect(hub.counts().stores).toBe(1), m.time('--|'));
      m.flush();
      expect(hub.counts()).toEqual({ stores: 0, facts: 0 });
    }),
  );

  it(
    'tells what is wrong with the last of the templates, and lets go of its stores',
    marbles((m) => {
      const { hub, opened$ } = scene(m, 40, '{{nonsense 1}}');
      const text$ = opened$.pipe(map((result) => (result.ok ? '' : result.errors.join())));
      m.expect(text$).toBeObservable('--(e|)', { e: 'part-999:1:1: unknown helper "nonsense"' });
      m.flush();
      expect(hub.counts()).toEqual({ stores: 0, facts: 0 });
    }),
  );
});
