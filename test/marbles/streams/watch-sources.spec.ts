import { marbles } from 'rxjs-marbles';
import { map, type Observable, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeRequest } from '../../../src/kube/kube-transport.ts';
import type { StreamItem } from '../../../src/kube/open-stream.ts';
import { createWatchSources } from '../../../src/streams/watch-sources.ts';
import { failed, line, marblePolicy, marker, opened, text } from '../../fixtures/kube-stream.ts';

const named = (type: string, name: string, version: string) =>
  line(type, { metadata: { name, uid: `uid-${name}`, resourceVersion: version } });

const items: Readonly<Record<string, StreamItem>> = {
  o: opened,
  N: text(named('ADDED', 'shop', '1'), marker('5')),
  B: text(named('ADDED', 'blog', '6')),
  E: text(marker('5')),
  C: text(named('ADDED', 'widgets.example.com', '6')),
  f: failed(403),
};

function sources(watch: Observable<StreamItem>, stop$?: Observable<unknown>) {
  const requests: Omit<KubeRequest, 'signal'>[] = [];
  const asked: string[] = [];
  const notices: string[] = [];
  const made = createWatchSources({
    open: (request) => {
      requests.push(request);
      return watch;
    },
    read: ({ path }) => {
      asked.push(path);
      return of({ ok: true, value: { resources: asked.length > 1 ? [{ name: 'widgets' }] : [] } });
    },
    random: () => 0.5,
    policy: { ...marblePolicy, idleMargin: 1_000_000 },
    servedPolicy: {
      backoff: marblePolicy.backoff,
      settle: 2,
      followUps: [],
      recheck: 1_000,
    },
    notice: ({ kind, resource }) => void notices.push(`${resource} ${kind}`),
    ...(stop$ && { stop$ }),
  });
  const names = (selector: string) =>
    made
      .namespaces(selector)
      .pipe(map((event) => (event.kind === 'namespaces' ? [...event.names].sort().join(' ') : event.kind)));
  const served = () => made.kinds.served('example.com/v1', 'widgets').pipe(map(({ kind }) => kind));
  return { names, served, requests, asked, notices };
}

const sets: Readonly<Record<string, string>> = { n: 'shop', b: 'blog shop' };

describe('createWatchSources', () => {
  it(
    'watches the namespaces of a selector once, by their metadata, and tells late subscribers the set at once',
    marbles((m) => {
      const watch = m.cold('  o-N--B---', items);
      const early = '         ^--------!';
      const late = '          -------^-!';
      const { names, requests } = sources(watch);
      m.expect(names('team=a'), early).toBeObservable('--n--b---', sets);
      m.expect(names('team=a'), late).toBeObservable(' -------b-', sets);
      m.expect(watch).toHaveSubscriptions('^ 30008ms !');
      m.flush();
      expect(requests).toHaveLength(1);
      expect(requests[0]).toMatchObject({
        path: '/api/v1/namespaces',
        query: { labelSelector: 'team=a' },
        headers: { accept: expect.stringContaining('as=PartialObjectMetadata;') as string },
      });
    }),
  );

  it(
    'has a watch for each selector',
    marbles((m) => {
      const watch = m.cold('o-N--', items);
      const { names } = sources(watch);
      m.expect(names('team=a'), '^----!').toBeObservable('--n--', sets);
      m.expect(names('team=b'), '-^---!').toBeObservable('---n-', sets);
      m.expect(watch).toHaveSubscriptions(['^ 30004ms !', '-^ 30003ms !']);
    }),
  );

  it(
    'watches definitions for as long as a kind of somebody else is asked for, and asks the API when one comes',
    marbles((m) => {
      const watch = m.cold('  o-E--C-----', items);
      const subs = '          ^----------!';
      const expected = '      m----s-----';
      const { served, requests, asked } = sources(watch);
      const states = { m: 'missing' as const, s: 'served' as const };
      m.expect(served(), subs).toBeObservable(expected, states as Record<string, 'missing' | 'served'>);
      m.expect(watch).toHaveSubscriptions('^ 30010ms !');
      m.flush();
      expect(requests.map(({ path }) => path)).toStrictEqual([
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      ]);
      expect(asked).toStrictEqual(['/apis/example.com/v1', '/apis/example.com/v1']);
    }),
  );

  it(
    'says what stands in its way',
    marbles((m) => {
      const watch = m.cold('  o-f', items);
      const { names, notices } = sources(watch);
      m.expect(names('team=a'), '^---!').toBeObservable('--d-', { d: 'degraded' });
      m.flush();
      expect(notices.slice(0, 2)).toStrictEqual(['namespaces degraded', 'namespaces retrying']);
    }),
  );

  it(
    'ends with its stop',
    marbles((m) => {
      const watch = m.cold('  o-N----', items);
      const stop$ = m.hot('   ----x--', { x: 1 });
      const { names } = sources(watch, stop$);
      m.expect(names('team=a')).toBeObservable('--n-|', sets);
      m.expect(watch).toHaveSubscriptions('^---!');
    }),
  );
});
