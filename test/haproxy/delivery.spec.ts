import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type Observable,
  NEVER,
  Subject,
  filter,
  firstValueFrom,
  lastValueFrom,
  take,
  tap,
  timeout,
  toArray,
} from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { AgentOptions } from '../../src/agent/agent-options.ts';
import { createAgentClient } from '../../src/fleet/agent-client.ts';
import { singleWriter } from '../../src/fleet/single-writer.ts';
import { createSlots } from '../../src/operators/create-slots.ts';
import { decodePlan } from '../../src/plan/decode-plan.ts';
import { encodePlan } from '../../src/plan/encode-plan.ts';
import type { DeliveryReport } from '../../src/protocol/delivery-report.ts';
import type { DeliveryTarget } from '../../src/protocol/delivery-target.ts';
import type { Plan } from '../../src/protocol/plan.ts';
import type { HaproxyPod } from '../../src/protocol/pod.ts';
import { createDelivery, type DeliveryTiming } from '../../src/sinks/deliver.ts';
import { createPlanCache } from '../../src/sinks/plan-cache.ts';
import { createPodBook } from '../../src/sinks/pod-book.ts';
import { createPodReader } from '../../src/sinks/read-pod.ts';
import { useAgentScene, type AgentScene } from '../fixtures/agent-scene.ts';
import { podOf } from '../fixtures/delivery-reports.ts';
import { allAtOnce, fakeTiming } from '../fixtures/fake-pod.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { globalSection } from '../fixtures/haproxy-process.ts';
import { makePlan } from '../fixtures/make-plan.ts';
import { visit } from '../fixtures/site-config.ts';

const patience = 20_000;
const timing: DeliveryTiming = {
  ...fakeTiming,
  retry: { min: 50, max: 500 },
  syncTimeout: patience,
  deploymentTimeout: patience,
  observeInterval: 100,
};

/** What a controller has: forgotten with it, but for what pods keep. */
function controller(scene: AgentScene, overrides: Partial<DeliveryTiming> = {}) {
  const client = createAgentClient({ username: 'admin', password: 'secret' });
  const plans = createPlanCache(4);
  const book = createPodBook(plans);
  const accepted = new Set<string>();
  const readPod = createPodReader({
    client,
    plans,
    book,
    decodePlan: async (blob) => {
      const decoded = await decodePlan(blob);
      return decoded.kind === 'decoded' ? decoded.plan : undefined;
    },
    onDivergence: () => undefined,
  });
  const deliver = createDelivery({
    client,
    readPod,
    epoch: singleWriter(),
    plans,
    book,
    isAccepted: (id) => accepted.has(id),
    blobOf: () => undefined,
    slots: createSlots({ total: 16, suspects: 8 }),
    slices: allAtOnce,
    random: () => 0,
    timing: { ...timing, ...overrides },
  });
  const pod: HaproxyPod = {
    ...podOf('ns/p'),
    address: '127.0.0.1',
    port: Number(new URL(scene.harness.url).port),
  };
  const start = (target: DeliveryTarget, newer$: Observable<void> = NEVER) =>
    deliver(target, newer$).pipe(timeout({ each: patience }));
  const targetOf = (plan: Plan): DeliveryTarget => ({
    kind: 'deliver',
    pod,
    epoch: 0,
    bundle: { plan, revision: 1, problems: [] },
  });
  return {
    accepted,
    client,
    pod,
    /** Reports until as many have come. */
    reports: (plan: Plan, count: number) => lastValueFrom(start(targetOf(plan)).pipe(take(count), toArray())),
    /** The first report, with nothing done afterwards. */
    deliver: (plan: Plan) => firstValueFrom(start(targetOf(plan))),
    watch: (plan: Plan, newer$?: Observable<void>) => start(targetOf(plan), newer$),
    revert: (planId: string) =>
      lastValueFrom(start({ kind: 'revert', pod, epoch: 0, planId }).pipe(toArray())),
  };
}

function planOf(
  { haproxy, bind }: AgentScene,
  ports: readonly number[],
  extra: { maxconn?: number; line?: string; routes?: readonly (readonly [string, string])[] } = {},
): Plan {
  const { maxconn, line = '', routes = [['/', 'app']] } = extra;
  const frontend = [
    'defaults base',
    '  mode http',
    '  timeout client 5s',
    '  timeout server 5s',
    '  timeout connect 1s',
    'frontend http from base',
    `  bind ${bind.host}:${bind.port}`,
    ...(maxconn === undefined ? [] : [`  maxconn ${maxconn}`]),
    ...(line === '' ? [] : [`  ${line}`]),
    '  use_backend %[path,map(maps/path.map)]',
    '',
  ];
  return makePlan({
    core: { global: `${globalSection(haproxy.baseDir)}\n${frontend.join('\n')}` },
    profiles: { std: ['mode http', 'timeout server 5s', 'timeout connect 1s'] },
    backends: {
      app: { servers: ports.map((port, i) => ({ name: `s${i}`, address: '127.0.0.1', port, weight: 100 })) },
    },
    maps: { 'maps/path.map': { entries: routes } },
  });
}

describeEachLine('delivery to a real pod', (line) => {
  describe('that may be reloaded at any time', () => {
    const scene = useAgentScene(line);
    const site = () => scene().site({});

    it('takes what HAProxy can change at runtime without a reload, and says what it runs', async () => {
      const [one, two] = [await scene().echo('one'), await scene().echo('two')];
      const here = controller(scene());
      expect(await here.deliver(planOf(scene(), [one]))).toMatchObject({ mode: 'reload', converged: true });
      const next = planOf(scene(), [one, two], {
        routes: [
          ['/', 'app'],
          ['/b', 'app'],
        ],
      });
      const report = await here.deliver(next);
      expect(report).toMatchObject({ mode: 'runtime', converged: true, reloaded: false });
      expect((await visit(site(), '/b')).status).toBe(200);
      expect(await scene().haproxy.reloads()).toBe(1);
      expect(await here.deliver(next)).toMatchObject({ mode: 'noop', converged: true });
    });

    it('counts on what HAProxy accepted with the next apply, or after a while without one', async () => {
      const ports = [await scene().echo('one'), await scene().echo('two'), await scene().echo('three')];
      const here = controller(scene(), { driftInterval: 100 });
      const [a, b, c] = [1, 2, 3].map((count) => planOf(scene(), ports.slice(0, count))) as [
        Plan,
        Plan,
        Plan,
      ];
      await here.deliver(a);
      await here.deliver(b);
      expect(await scene().harness.state()).toMatchObject({ applied_plan_id: b.id, lkg_plan_id: a.id });
      here.accepted.add(b.id);
      await here.deliver(c);
      expect(await scene().harness.state()).toMatchObject({ applied_plan_id: c.id, lkg_plan_id: b.id });
      here.accepted.add(c.id);
      const reports = await here.reports(c, 3);
      expect(reports).toMatchObject([{ mode: 'noop' }, { mode: 'noop', cause: 'drift' }, { mode: 'noop' }]);
      expect(await scene().harness.state()).toMatchObject({ applied_plan_id: c.id, lkg_plan_id: c.id });
      expect(await scene().haproxy.reloads()).toBe(1);
    });

    it('goes back to its last known good plan when told that the one it has is refused, and only then', async () => {
      const [one, two] = [await scene().echo('one'), await scene().echo('two')];
      const here = controller(scene());
      const [good, bad] = [planOf(scene(), [one]), planOf(scene(), [two])];
      await here.deliver(good);
      expect(await here.revert(good.id)).toEqual([]);
      expect(await here.revert('another')).toEqual([]);
      expect(await here.deliver(bad)).toMatchObject({ mode: 'runtime' });
      expect((await visit(site(), '/')).body).toBe('two');
      expect(await here.revert(bad.id)).toMatchObject([{ kind: 'reverted', lkgPlanId: good.id }]);
      expect((await visit(site(), '/')).body).toBe('one');
      expect(await here.revert(bad.id)).toEqual([]);
      expect(await here.deliver(good)).toMatchObject({ mode: 'noop', converged: true });
    });

    it('keeps serving what it had when HAProxy refuses, and tells HAProxy’s words', async () => {
      const one = await scene().echo('one');
      const here = controller(scene());
      await here.deliver(planOf(scene(), [one]));
      const report = await here.deliver(planOf(scene(), [one], { line: 'no-such-keyword' }));
      expect(report).toMatchObject({ kind: 'failed', stage: 'rejected' });
      if (line.line !== '2.6')
        expect(report).toHaveProperty('message', expect.stringContaining('no-such-keyword') as string);
      expect((await visit(site(), '/')).body).toBe('one');
      const again = await here.deliver(planOf(scene(), [one], { maxconn: 99 }));
      expect(again).toMatchObject({ kind: 'acked', mode: 'reload', converged: true });
    });

    it('gets back the files that somebody changed, and goes on with small changes', async () => {
      const [one, two] = [await scene().echo('one'), await scene().echo('two')];
      const here = controller(scene(), { driftInterval: 100 });
      const plan = planOf(scene(), [one]);
      const file = path.join(scene().haproxy.baseDir, 'maps/path.map');
      const edited = new Subject<void>();
      const correction = firstValueFrom(
        here.watch(plan).pipe(
          tap((report) => {
            if (report.kind === 'acked' && report.mode === 'reload' && report.cause === 'change')
              edited.next();
          }),
          filter((report) => report.kind === 'acked' && report.drifted.length > 0),
        ),
      );
      await firstValueFrom(edited);
      const before = await readFile(file, 'utf8');
      await writeFile(file, '/ nobody\n');
      expect(await correction).toMatchObject({ cause: 'drift', drifted: ['maps/path.map'], converged: true });
      expect(await readFile(file, 'utf8')).toBe(before);
      expect(await here.deliver(planOf(scene(), [one, two]))).toMatchObject({ mode: 'runtime' });
    });

    it('is taken over by another controller without a reload, from the plan that it keeps', async () => {
      const [one, two] = [await scene().echo('one'), await scene().echo('two')];
      const former = controller(scene());
      const plan = planOf(scene(), [one]);
      const report = await former.deliver(plan);
      const proof = report.kind === 'acked' ? report.appliedProof : '';
      const blob = await encodePlan(plan);
      const kept = former.client.storePlan(former.pod, {
        id: plan.id,
        proof,
        blob: blob ?? new Uint8Array(),
      });
      expect(await firstValueFrom(kept)).toBe('stored');
      const next = controller(scene());
      expect(await next.deliver(planOf(scene(), [one, two]))).toMatchObject({
        mode: 'runtime',
        reloaded: false,
      });
      expect(await scene().haproxy.reloads()).toBe(1);
      // The former one comes to itself: the pod has moved on, and it starts from there.
      expect(await former.deliver(planOf(scene(), [two]))).toMatchObject({ kind: 'acked', converged: true });
      expect((await visit(site(), '/')).body).toBe('two');
    });
  });

  describe('that is reloaded every few seconds at most', () => {
    const options: Partial<AgentOptions> = { reloadIntervalMs: 2_000 };
    const scene = useAgentScene(line, options);

    it('is watched until it runs what it was given, and takes what can be done in place meanwhile', async () => {
      const [one, two] = [await scene().echo('one'), await scene().echo('two')];
      const here = controller(scene());
      const site = scene().site({});
      await here.deliver(planOf(scene(), [one]));
      const waiting = await here.deliver(planOf(scene(), [one], { maxconn: 99 }));
      expect(waiting).toMatchObject({ mode: 'scheduled', converged: false, reloaded: false });
      const seen: DeliveryReport[] = [];
      const done = firstValueFrom(
        here.watch(planOf(scene(), [two], { maxconn: 99 })).pipe(
          tap((report) => seen.push(report)),
          filter((report) => report.kind === 'acked' && report.converged),
        ),
      );
      // The address of the server moves before the reload that is to come.
      await expect.poll(async () => (await visit(site, '/')).body, { timeout: patience }).toBe('two');
      expect(await done).toMatchObject({ mode: 'reload', observed: true, reloaded: true });
      expect(seen).toMatchObject([
        { mode: 'scheduled', converged: false },
        { mode: 'reload', observed: true },
      ]);
      expect(await scene().haproxy.reloads()).toBe(2);
      const { running_plan_id, applied_plan_id } = await scene().harness.state();
      expect(running_plan_id).toBe(applied_plan_id);
    });
  });
});
