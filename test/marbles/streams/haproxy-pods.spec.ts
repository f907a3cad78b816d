import { marbles } from 'rxjs-marbles';
import { map, NEVER, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeRequest } from '../../../src/kube/kube-transport.ts';
import { haproxyPods, type HaproxyPodsOptions } from '../../../src/streams/haproxy-pods.ts';
import {
  failed,
  line,
  marblePolicy,
  marker,
  opened,
  scriptedApi,
  text,
  type ScriptedAnswer,
} from '../../fixtures/kube-stream.ts';

interface PodWords {
  readonly version: string;
  readonly ip?: string;
  readonly container?: string;
  readonly label?: string;
  readonly terminating?: boolean;
}

function pod(name: string, { version, ip, container, label, terminating }: PodWords) {
  return {
    metadata: {
      name,
      namespace: 'edge',
      uid: `uid-${name}`,
      resourceVersion: version,
      ...(label === undefined ? {} : { labels: { label } }),
      ...(terminating === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    status: {
      podIP: ip,
      containerStatuses: [{ name: 'haproxy', containerID: 'h', state: { running: {} } }],
      initContainerStatuses: [
        {
          name: 'agent',
          containerID: container,
          state: container === undefined ? { waiting: {} } : { running: {} },
        },
      ],
    },
  };
}

const items = {
  o: opened,
  e: text(marker('5')),
  S: text(
    line('ADDED', pod('b', { version: '1', ip: '10.0.0.2', container: 'c2' })),
    line('ADDED', pod('a', { version: '2', ip: '10.0.0.1', container: 'c1' })),
    line('ADDED', pod('pending', { version: '3' })),
    marker('5'),
  ),
  r: text(line('MODIFIED', pod('b', { version: '6', ip: '10.0.0.2', container: 'c3' }))),
  l: text(line('MODIFIED', pod('b', { version: '7', ip: '10.0.0.2', container: 'c2', label: 'new' }))),
  t: text(line('MODIFIED', pod('b', { version: '8', ip: '10.0.0.2', container: 'c2', terminating: true }))),
  d: text(line('DELETED', pod('b', { version: '9', ip: '10.0.0.2' }))),
  p: text(line('MODIFIED', pod('pending', { version: '10', ip: '10.0.0.3', container: 'c4' }))),
  f: failed(403),
};

function fleet(...answers: readonly ScriptedAnswer[]) {
  return fleetUntil(NEVER, ...answers);
}

function fleetUntil(stop$: Observable<unknown>, ...answers: readonly ScriptedAnswer[]) {
  const deps = {
    open: scriptedApi(answers),
    random: () => 0.5,
    stop$,
    policy: { ...marblePolicy, idleMargin: 1_000_000 },
    notice: () => undefined,
  };
  return haproxyPods(deps, { labels: { app: 'haproxy' }, port: 5555 }).pipe(
    map(({ pods, leaving = [], rejected }) =>
      [
        ...pods.map(
          ({ key, uid, address, port, containerId }) => `${key} ${uid} ${address}:${port} ${containerId}`,
        ),
        ...leaving.map(({ key, uid }) => `~${key} ${uid}`),
        ...rejected.map(({ key, reason }) => `-${key} ${reason}`),
      ].join(', '),
    ),
  );
}

const a = 'edge/a uid-a 10.0.0.1:5555 c1';
const b = 'edge/b uid-b 10.0.0.2:5555 c2';
const noAddress = '-edge/pending no_address';
const lists = {
  z: '',
  s: `${a}, ${b}, ${noAddress}`,
  r: `${a}, edge/b uid-b 10.0.0.2:5555 c3, ${noAddress}`,
  g: `${a}, ${noAddress}`,
  p: `${a}, ${b}, edge/pending uid-pending 10.0.0.3:5555 c4`,
};

describe('haproxyPods', () => {
  it(
    'lists the pods that can be delivered to, sorted, once all were seen',
    marbles((m) => {
      const watch = m.cold('  o-S', items);
      const subs = '          ^----!';
      m.expect(fleet(['watch', watch]), subs).toBeObservable('--s', lists);
      m.expect(watch).toHaveSubscriptions('^ 30004ms !');
    }),
  );

  it(
    'lists nothing where there is no pod',
    marbles((m) => {
      const watch = m.cold('  o-e', items);
      const subs = '          ^----!';
      m.expect(fleet(['watch', watch]), subs).toBeObservable('--z', lists);
      m.expect(watch).toHaveSubscriptions('^ 30004ms !');
    }),
  );

  it(
    'says nothing of a change that does not concern delivery, and something of a restarted agent',
    marbles((m) => {
      const watch = m.cold('  o-S-l-r-', items);
      const subs = '          ^-------!';
      const expected = '      --s---r-';
      m.expect(fleet(['watch', watch]), subs).toBeObservable(expected, lists);
      m.expect(watch).toHaveSubscriptions('^ 30007ms !');
    }),
  );

  it(
    'tells of a pod that it ends from when it does until it is gone, and takes one in when its agent runs',
    marbles((m) => {
      const watch = m.cold('  o-S-p-----t-d---', items);
      const subs = '          ^---------------!';
      const expected = '      --s-p-----t-q---';
      const q = `${a}, edge/pending uid-pending 10.0.0.3:5555 c4`;
      m.expect(fleet(['watch', watch]), subs).toBeObservable(expected, {
        ...lists,
        t: `${q}, ~edge/b uid-b`,
        q,
      });
      m.expect(watch).toHaveSubscriptions('^ 30015ms !');
    }),
  );

  it(
    'tells why a pod cannot be delivered to, as far as the API knows',
    marbles((m) => {
      const watch = m.cold('  o-e-i-w-p-n-h-', {
        ...items,
        i: text(line('ADDED', pod('c', { version: '6' }))),
        w: text(line('MODIFIED', pod('c', { version: '7', ip: '10.0.0.3' }))),
        p: text(line('MODIFIED', pod('c', { version: '8', ip: '10.0.0.3', container: 'c4' }))),
        n: text(
          line('MODIFIED', {
            metadata: { name: 'c', namespace: 'edge', uid: 'uid-c', resourceVersion: '9' },
            status: { podIP: '10.0.0.3', containerStatuses: [] },
          }),
        ),
        h: text(line('MODIFIED', pod('c', { version: '10', terminating: true }))),
      });
      const subs = '          ^--------------!';
      const expected = '      --z-i-w-p-n-z-';
      m.expect(fleet(['watch', watch]), subs).toBeObservable(expected, {
        z: '',
        i: '-edge/c no_address',
        w: '-edge/c agent_not_running',
        p: 'edge/c uid-c 10.0.0.3:5555 c4',
        n: '-edge/c agent_missing',
      });
      m.expect(watch).toHaveSubscriptions('^ 30014ms !');
    }),
  );

  it(
    'takes another HAProxy beside the same agent for another pod',
    marbles((m) => {
      const withHaproxy = (version: string, haproxy: string) => ({
        ...pod('a', { version, ip: '10.0.0.1', container: 'c1' }),
        status: {
          podIP: '10.0.0.1',
          containerStatuses: [
            { name: 'haproxy', containerID: haproxy, state: { running: {} } },
            { name: 'agent', containerID: 'c1', state: { running: {} } },
          ],
        },
      });
      const watch = m.cold('  o-S-r-s-', {
        ...items,
        S: text(line('ADDED', withHaproxy('1', 'h1')), marker('5')),
        r: text(line('MODIFIED', withHaproxy('6', 'h2'))),
        s: text(line('MODIFIED', withHaproxy('7', 'h2'))),
      });
      const subs = '          ^-------!';
      m.expect(fleet(['watch', watch]), subs).toBeObservable('--a-a---', { a });
      m.expect(watch).toHaveSubscriptions('^ 30007ms !');
    }),
  );

  it(
    'ends at once when told to stop',
    marbles((m) => {
      const watch = m.cold('  o-S-----', items);
      const stop = m.hot('    -----s');
      m.expect(fleetUntil(stop, ['watch', watch])).toBeObservable('--s--|', lists);
      m.expect(watch).toHaveSubscriptions('^----!');
    }),
  );

  it(
    'drops a deleted pod',
    marbles((m) => {
      const watch = m.cold('  o-S-d-', items);
      const subs = '          ^-----!';
      m.expect(fleet(['watch', watch]), subs).toBeObservable('--s-g-', lists);
      m.expect(watch).toHaveSubscriptions('^ 30005ms !');
    }),
  );

  it(
    'keeps the last list while the API refuses to be watched',
    marbles((m) => {
      const first = m.cold('  o-S---|', items);
      const second = m.cold('       f', items);
      const third = m.cold('  o-d', items);
      const subs = '          ^ 49ms !';
      m.expect(fleet(['watch', first], ['watch rv=5', second], ['watch rv=5', third]), subs).toBeObservable(
        '--s 35ms g',
        lists,
      );
      m.expect(first).toHaveSubscriptions(' ^-----!');
      m.expect(second).toHaveSubscriptions('------(^!)');
      m.expect(third).toHaveSubscriptions(' 36ms ^ 30013ms !');
    }),
  );
});

describe('haproxyPods: the request', () => {
  const requested = (options: HaproxyPodsOptions): Pick<KubeRequest, 'path' | 'query'> => {
    const requests: KubeRequest[] = [];
    const open = (request: KubeRequest) => {
      requests.push(request);
      return scriptedApi([])(request);
    };
    haproxyPods({ open, random: () => 0, notice: () => undefined }, options).subscribe({
      error: () => undefined,
    });
    return requests[0]!;
  };

  it('selects by all labels, in all namespaces unless one is named', () => {
    const { path, query } = requested({ labels: { b: '2', a: '1' }, port: 5555 });
    expect(path).toBe('/api/v1/pods');
    expect(query?.['labelSelector']).toBe('a=1,b=2');
    expect(requested({ labels: { a: '1' }, namespace: 'edge', port: 5555 }).path).toBe(
      '/api/v1/namespaces/edge/pods',
    );
  });
});
