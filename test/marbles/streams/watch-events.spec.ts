import { marbles } from 'rxjs-marbles';
import { map, NEVER, type Observable, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeRequest } from '../../../src/kube/kube-transport.ts';
import type { StreamItem } from '../../../src/kube/open-stream.ts';
import type { ResolvedVersion } from '../../../src/streams/resolve-version.ts';
import type { NamespaceEvent } from '../../../src/streams/selected-namespaces.ts';
import { watchEvents } from '../../../src/streams/watch-events.ts';
import { watchSpecOf } from '../../../src/streams/watch-spec.ts';
import { failed, line, marblePolicy, marker, opened, showEvent, text } from '../../fixtures/kube-stream.ts';

type Resource = Parameters<typeof watchSpecOf>[1];

const widget = (type: string, name: string, version: string, className = 'x', namespace = 'ns') =>
  line(type, {
    metadata: { name, namespace, uid: `uid-${name}`, resourceVersion: version, labels: { app: 'shop' } },
    spec: { className, secret: 'hidden' },
  });

const items: Readonly<Record<string, StreamItem>> = {
  o: opened,
  a: text(widget('ADDED', 'a', '1'), marker('5')),
  b: text(widget('ADDED', 'b', '2'), marker('5')),
  2: text(widget('ADDED', 'a', '1'), widget('ADDED', 'b', '2', 'y'), marker('5')),
  Y: text(widget('MODIFIED', 'a', '6', 'y')),
  X: text(widget('MODIFIED', 'b', '7', 'x')),
  E: text(marker('5')),
  P: text(widget('ADDED', 'p', '1', 'x', 'n1'), widget('ADDED', 'q', '2', 'x', 'n9'), marker('5')),
  Q: text(widget('ADDED', 'r', '6', 'x', 'n9'), widget('ADDED', 's', '7', 'x', 'n2')),
  f: failed(404),
};

const shown = {
  i: 'init',
  a: '+a@1',
  b: '+b@2',
  B: 'delete b@2',
  d: 'done@5',
  e: 'done@',
  Y: 'delete a@6',
  X: 'apply b@7',
  n: 'absent',
  r: 'recovered',
  v: 'degraded vanished',
  t: 'retry 1 in 30',
  2: 'apply b@2',
  w: 'delete b@2',
  p: '+p@1',
  q: 'delete q@2',
  R: 'delete r@6',
  S: 'apply s@7',
  g: 'degraded forbidden',
};

const versions: Readonly<Record<string, ResolvedVersion>> = {
  1: { kind: 'served', apiVersion: 'example.com/v1' },
  b: { kind: 'served', apiVersion: 'example.com/v1beta1' },
  m: { kind: 'missing' },
  d: { kind: 'deleted' },
};

function watching(
  resource: Partial<Resource>,
  version$: Observable<ResolvedVersion>,
  answers: Readonly<Record<string, Observable<StreamItem>>>,
  namespaces$: Observable<NamespaceEvent> = NEVER,
  namespaceWatches = 2,
) {
  const requests: Omit<KubeRequest, 'signal'>[] = [];
  const spec = watchSpecOf('widgets', {
    apiVersion: 'example.com/v1',
    resources: 'widgets',
    ...resource,
  });
  const event$ = watchEvents(
    {
      open: (request) => {
        requests.push(request);
        return answers[request.path] ?? throwError(() => new Error(`nobody answers ${request.path}`));
      },
      random: () => 0.5,
      policy: { ...marblePolicy, idleMargin: 1_000_000 },
      namespaceWatches,
      sources: { namespaces: () => namespaces$ },
    },
    spec,
    version$,
  );
  return { event$, shown$: event$.pipe(map(showEvent)), requests };
}

const all = '/apis/example.com/v1/widgets';
const inNs = (namespace: string) => `/apis/example.com/v1/namespaces/${namespace}/widgets`;

describe('watchEvents', () => {
  it(
    'lets the API select what it can, and compares the other fields itself',
    marbles((m) => {
      const watch = m.cold(' -o-2-------Y-X-', items);
      const version$ = m.cold('1', versions);
      const subs = '         ^--------------!';
      const expected = '     -i-(aBd)---Y-X-';
      const { shown$, requests } = watching(
        { labelSelector: 'app in (shop)', fieldSelector: 'spec.className=x,metadata.namespace!=kube-system' },
        version$,
        { [all]: watch },
      );
      m.expect(shown$, subs).toBeObservable(expected, shown);
      m.expect(watch).toHaveSubscriptions(subs);
      m.flush();
      expect(requests).toHaveLength(1);
      expect(requests[0]?.query).toMatchObject({
        labelSelector: 'app=shop',
        fieldSelector: 'metadata.namespace!=kube-system',
      });
      expect(requests[0]?.headers).toBeUndefined();
    }),
  );

  it(
    'watches metadata only when references need no more, and gives references',
    marbles((m) => {
      const watch = m.cold(' -oa---', items);
      const version$ = m.cold('1', versions);
      const { event$, requests } = watching(
        {
          store: 'on-demand',
          indexBy: ['metadata.labels.app'],
          fieldSelector: "metadata.labels['app']=shop",
        },
        version$,
        { [all]: watch },
      );
      const object$ = event$.pipe(map((event) => ('object' in event ? event.object : event.kind)));
      const metadata = {
        name: 'a',
        namespace: 'ns',
        uid: 'uid-a',
        resourceVersion: '1',
        labels: { app: 'shop' },
      };
      m.expect(object$, '^-----!').toBeObservable('-i(ad)', {
        i: 'init',
        a: { metadata },
        d: 'init-done',
      });
      m.expect(watch).toHaveSubscriptions('^-----!');
      m.flush();
      expect(requests[0]?.headers?.['accept']).toContain('as=PartialObjectMetadata;');
    }),
  );

  it(
    'reads whole objects where references need a field of them, and keeps that field only',
    marbles((m) => {
      const watch = m.cold(' -oa---', items);
      const version$ = m.cold('1', versions);
      const { event$, requests } = watching({ store: 'on-demand', indexBy: ['spec.className'] }, version$, {
        [all]: watch,
      });
      const text$ = event$.pipe(map((event) => JSON.stringify(event)));
      m.expect(text$.pipe(map((words) => words.includes('hidden'))), '^-----!').toBeObservable('-i(ad)', {
        i: false,
        a: false,
        d: false,
      });
      m.flush();
      expect(requests[0]?.headers).toBeUndefined();
    }),
  );

  it(
    'takes out the fields to be ignored after it has compared them',
    marbles((m) => {
      const watch = m.cold(' -o2----', items);
      const version$ = m.cold('1', versions);
      const { event$ } = watching(
        { ignoreFields: ['spec.className'], fieldSelector: 'spec.className=x' },
        version$,
        {
          [all]: watch,
        },
      );
      const spec$ = event$.pipe(map((event) => ('object' in event ? event.object['spec'] : event.kind)));
      m.expect(spec$, '^------!').toBeObservable('-i(abd)', {
        i: 'init',
        a: { secret: 'hidden' },
        b: { secret: 'hidden' },
        d: 'init-done',
      });
    }),
  );

  it(
    'says absent while the kind is not served, lists it when it is, and anew in another version',
    marbles((m) => {
      const version$ = m.cold('m--b--------1-------', versions);
      const old = m.cold('        -oa--------------', items);
      const now = m.cold('                 -o-a----', items);
      const subs = '              ^-------------------!';
      const expected = '          n---i(ad)----i-(ad)';
      const { shown$ } = watching({ apiVersion: 'example.com/v1' }, version$, {
        '/apis/example.com/v1beta1/widgets': old,
        [all]: now,
      });
      m.expect(shown$, subs).toBeObservable(expected, shown);
      m.expect(old).toHaveSubscriptions('---^--------!');
      m.expect(now).toHaveSubscriptions('------------^-------!');
    }),
  );

  it(
    'is empty and absent when the kind was deleted, and well again when it is made anew',
    marbles((m) => {
      const version$ = m.cold('1--------d-----1-----', versions);
      const watch = m.cold('   -oa------------------', items);
      const subs = '           ^--------------------!';
      const expected = '       -i(ad)---(ien)--i(ad)';
      const { shown$ } = watching({}, version$, { [all]: watch });
      m.expect(shown$, subs).toBeObservable(expected, shown);
      m.expect(watch).toHaveSubscriptions(['^--------!', '---------------^-----!']);
    }),
  );

  it(
    'watches each of the namespaces that are named',
    marbles((m) => {
      const version$ = m.cold('1', versions);
      const first = m.cold('   -oa------', items);
      const second = m.cold('  -o-b-----', items);
      const subs = '           ^--------!';
      const expected = '       ---(iabd)';
      const { shown$, requests } = watching({ namespaces: ['n2', 'n1', 'n2'] }, version$, {
        [inNs('n1')]: first,
        [inNs('n2')]: second,
      });
      m.expect(shown$, subs).toBeObservable(expected, shown);
      m.expect(first).toHaveSubscriptions(subs);
      m.flush();
      expect(requests.map(({ path }) => path)).toStrictEqual([inNs('n1'), inNs('n2')]);
    }),
  );

  const names = (...list: readonly string[]): NamespaceEvent => ({
    kind: 'namespaces',
    names: new Set(list),
  });
  const sets: Readonly<Record<string, NamespaceEvent>> = {
    1: names('n1'),
    2: names('n1', 'n2'),
    3: names('n1', 'n2', 'n3'),
    g: { kind: 'degraded', reason: 'forbidden', message: 'no' },
    r: { kind: 'recovered' },
  };

  it(
    'follows the set of selected namespaces, each with a watch of its own',
    marbles((m) => {
      const version$ = m.cold('  1', versions);
      const selected$ = m.cold(' 1 299ms 2 299ms 1', sets);
      const first = m.cold('     -oa---', items);
      const second = m.cold('    -ob---', items);
      const subs = '             ^ 699ms !';
      const expected = '         --(iad) 295ms 2 297ms w';
      const { shown$ } = watching(
        { namespaceSelector: 'team=a' },
        version$,
        { [inNs('n1')]: first, [inNs('n2')]: second },
        selected$,
      );
      m.expect(shown$, subs).toBeObservable(expected, shown);
      m.expect(first).toHaveSubscriptions(subs);
      m.expect(second).toHaveSubscriptions('300ms ^ 299ms !');
    }),
  );

  it(
    'watches the whole cluster once where many are selected, and lists it anew when the set changes',
    marbles((m) => {
      const version$ = m.cold('  1', versions);
      const selected$ = m.cold(' 3 299ms 2', sets);
      const whole = m.cold('     -o-P------Q---', items);
      const first = m.cold('     -oa---', items);
      const second = m.cold('    -o-b---', items);
      const subs = '             ^ 399ms !';
      const expected = '         -i-(pqd)--(RS) 289ms (iabd)';
      const { shown$ } = watching(
        { namespaceSelector: 'team=a' },
        version$,
        { [all]: whole, [inNs('n1')]: first, [inNs('n2')]: second },
        selected$,
      );
      m.expect(shown$, subs).toBeObservable(expected, shown);
      m.expect(whole).toHaveSubscriptions('^ 299ms !');
      m.expect(first).toHaveSubscriptions('300ms ^ 99ms !');
    }),
  );

  it(
    'is degraded while the namespaces cannot be watched',
    marbles((m) => {
      const version$ = m.cold('  1', versions);
      const selected$ = m.cold(' 1------g---r--', sets);
      const first = m.cold('     -oa-----------', items);
      const subs = '             ^-------------!';
      const expected = '         --(iad)g---r--';
      const { shown$ } = watching(
        { namespaceSelector: 'team=a' },
        version$,
        { [inNs('n1')]: first },
        selected$,
      );
      m.expect(shown$, subs).toBeObservable(expected, shown);
      m.expect(selected$).toHaveSubscriptions(subs);
    }),
  );
});
