import { marbles } from 'rxjs-marbles';
import { map, NEVER, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { OpenStream, StreamItem } from '../../../src/kube/open-stream.ts';
import { type ConfigObjects, configObjects } from '../../../src/streams/config-objects.ts';
import { failed, line, marblePolicy, marker, opened, text } from '../../fixtures/kube-stream.ts';

const config = (version: string, generation: number) => ({
  metadata: { name: 'main', namespace: 'haptic', uid: 'config', resourceVersion: version, generation },
});
const library = (name: string, version: string) => ({
  metadata: { name, namespace: 'haptic', uid: name, resourceVersion: version },
});

const items: Record<string, StreamItem> = {
  o: opened,
  e: text(marker('5')),
  C: text(line('ADDED', config('1', 1)), marker('5')),
  c: text(line('MODIFIED', config('6', 2))),
  s: text(line('MODIFIED', config('7', 2))),
  D: text(line('DELETED', config('8', 2))),
  L: text(line('ADDED', library('b', '2')), line('ADDED', library('a', '3')), marker('5')),
  l: text(line('ADDED', library('c', '9'))),
  n: failed(404),
};

/** `main@2 a b`: the configuration in generation 2, and the libraries. */
const shown = map(({ isServed, config: found, libraries }: ConfigObjects) => {
  const words = libraries.map(({ metadata }) => metadata.name);
  const { name, generation } = found?.metadata ?? { name: isServed ? 'none' : 'unknown' };
  return [generation === undefined ? name : `${name}@${generation}`, ...words].join(' ');
});

const values = {
  a: 'main@1 a b',
  b: 'main@2 a b',
  c: 'main@2 a b c',
  n: 'none a b',
  N: 'none',
  u: 'unknown',
};

interface Answers {
  readonly configs: Observable<StreamItem>;
  readonly libraries: Observable<StreamItem>;
}

function scene({ configs, libraries }: Answers, stop$: Observable<unknown> = NEVER) {
  const asked: string[] = [];
  const open: OpenStream = ({ path, query = {} }) => {
    asked.push(`${path} ${String(query['fieldSelector'] ?? '')}`.trim());
    return path.endsWith('configs') ? configs : libraries;
  };
  const deps = {
    open,
    random: () => 0.5,
    stop$,
    policy: { ...marblePolicy, idleMargin: 1_000_000 },
    notice: () => undefined,
  };
  return { objects$: configObjects(deps, { namespace: 'haptic', name: 'main' }), asked };
}

describe('configObjects', () => {
  it(
    'comes when configuration and libraries are known, and then with each change of either',
    marbles((m) => {
      const configs = m.cold('  oC--c---s---', items);
      const libraries = m.cold('o-L---l-----', items);
      const expected = '        --a-b-c-c---';
      const { objects$, asked } = scene({ configs, libraries });
      m.expect(objects$.pipe(shown), '^----------!').toBeObservable(expected, values);
      m.expect(configs).toHaveSubscriptions('^----------!');
      m.expect(libraries).toHaveSubscriptions('^----------!');
      m.flush();
      expect(asked).toEqual([
        '/apis/haproxy-haptic.org/v1alpha1/namespaces/haptic/haproxytemplateconfigs metadata.name=main',
        '/apis/haproxy-haptic.org/v1alpha1/namespaces/haptic/haproxytemplatelibraries',
      ]);
    }),
  );

  it(
    'says that the configuration is gone, and keeps the libraries',
    marbles((m) => {
      const configs = m.cold('  oC--D---', items);
      const libraries = m.cold('oL------', items);
      const { objects$ } = scene({ configs, libraries });
      m.expect(objects$.pipe(shown), '^------!').toBeObservable('-a--n--', values);
    }),
  );

  it(
    'says that there is none of the name, and what is another matter, that the kind is not served',
    marbles((m) => {
      const none = scene({ configs: m.cold('oe------', items), libraries: m.cold('oe----', items) });
      m.expect(none.objects$.pipe(shown), '^------!').toBeObservable('-N-----', values);
      const unknown = scene({ configs: m.cold('(n|)', items), libraries: m.cold('(n|)', items) });
      m.expect(unknown.objects$.pipe(shown), '^-----!').toBeObservable('u-----', values);
    }),
  );

  it(
    'is one watch for all, and gives the newest value to whoever comes late',
    marbles((m) => {
      const configs = m.cold('  oC--c---', items);
      const libraries = m.cold('oL------', items);
      const { objects$ } = scene({ configs, libraries });
      const seen$ = objects$.pipe(shown);
      m.expect(seen$, '^------!').toBeObservable('     -a--b--', values);
      m.expect(seen$, '--^----!').toBeObservable('     --a-b--', values);
      m.expect(configs).toHaveSubscriptions('^------!');
    }),
  );

  it(
    'ends when everything ends',
    marbles((m) => {
      const configs = m.cold('  oC------', items);
      const libraries = m.cold('oL------', items);
      const stop$ = m.hot('     ----s---');
      const { objects$ } = scene({ configs, libraries }, stop$);
      m.expect(objects$.pipe(shown)).toBeObservable('-a--|', values);
      m.expect(configs).toHaveSubscriptions('^---!');
      m.expect(libraries).toHaveSubscriptions('^---!');
    }),
  );
});
