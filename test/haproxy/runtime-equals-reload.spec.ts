import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { getEntry, valuesOf } from '../../src/lib/ordered-map.ts';
import type { Baseline } from '../../src/plan/baseline.ts';
import { buildApply } from '../../src/plan/build-apply.ts';
import { capabilitiesOf } from '../../src/plan/capabilities.ts';
import { diff } from '../../src/plan/diff.ts';
import type { Plan } from '../../src/protocol/plan.ts';
import type { AgentState } from '../../src/protocol/wire.ts';
import { applyBody, startAgent, startEcho, type AgentHarness } from '../fixtures/agent-harness.ts';
import { describeEachLine, type HaproxyLine } from '../fixtures/haproxy-lines.ts';
import { eventually, startHaproxy, type HaproxyProcess } from '../fixtures/haproxy-process.ts';
import { makePlan, type BackendSketch, type ServerSketch, type Sketch } from '../fixtures/make-plan.ts';
import { shareStructure } from '../fixtures/share-structure.ts';

const steps = 8;

/** Paths are relative to the base dir, in which HAProxy runs: two processes can run the same text at once. */
const core = {
  global: [
    'global',
    '  default-path config',
    '  stats socket unix@haproxy-worker.sock mode 600 level admin',
    '  hard-stop-after 1s',
    '  maxconn 200',
    'defaults std',
    '  mode http',
    '  timeout connect 1s',
    '  timeout client 5s',
    '  timeout server 5s',
    'frontend web from std',
    '  bind unix@front.sock',
    '  http-request set-var(txn.fact) path,map_str(maps/facts.map)',
    '  http-request set-var(txn.rule) path,map_reg(maps/rules.map)',
    '  http-request set-var(txn.be) path,map_str(maps/routes.map)',
    '  use_backend %[var(txn.be)]',
    '',
  ].join('\n'),
};
const profiles = {
  pool: [
    'mode http',
    'balance roundrobin',
    'timeout connect 1s',
    'timeout server 5s',
    'default-server maxconn 9',
  ],
};

const server: fc.Arbitrary<ServerSketch> = fc
  .record({
    name: fc.constantFrom('pod-1', 'pod-2', 'pod-3', 'pod-4'),
    address: fc.constantFrom('127.0.0.1', '127.0.0.2', '::1'),
    port: fc.constantFrom(81, 82),
    weight: fc.constantFrom(0, 1, 77, 256),
    disabled: fc.boolean(),
  })
  .map((one) => ({ ...one, extra: [{ name: 'maxqueue', args: [one.name.slice(-1)] }] }));
const servers = fc.uniqueArray(server, { selector: ({ name }) => name, maxLength: 4 });
const odd = fc.constantFrom(
  'x',
  'two  words',
  'semi;colon',
  '<<x',
  'back\\slash',
  '#hash',
  '${HOME}',
  '%[src]',
  'ü€',
);
const rule = fc.tuple(fc.constantFrom('^/a\\.b$', '^/c;d', '^/(?<n>e)', '^/f\\d+'), odd);

/** Servers, weights, maintenance and maps change on every line; backends come and go where HAProxy can follow. */
function sketches(dynamicBackends: boolean): fc.Arbitrary<Sketch> {
  const names = ['api', 'blog', 'shop'];
  return fc
    .record({
      pools: fc.tuple(servers, servers, servers),
      present: dynamicBackends ? fc.subarray(names) : fc.constant(names),
      facts: fc.dictionary(fc.constantFrom('/k', '/k;1', '/k\\2', '/<k>', '/"k"'), odd, {
        noNullPrototype: true,
      }),
      rules: fc.uniqueArray(rule, { selector: ([key]) => key, maxLength: 4 }),
    })
    .map(({ pools, present, facts, rules }) => ({
      core,
      profiles,
      backends: Object.fromEntries(
        present.map((name): [string, BackendSketch] => [
          name,
          { profile: 'pool', servers: pools[names.indexOf(name)] ?? [] },
        ]),
      ),
      maps: {
        'maps/facts.map': { entries: Object.entries(facts) },
        'maps/routes.map': { entries: present.map((name): [string, string] => [`/${name}`, name]) },
        'maps/rules.map': { ordered: true, entries: rules },
      },
    }));
}

/** What a worker has in memory, as far as plans say it. */
async function observe({ cli }: HaproxyProcess): Promise<Readonly<Record<string, unknown>>> {
  const stat = (await cli('show stat')).split('\n').filter((row) => row !== '');
  const header = (stat[0] ?? '').replace('# ', '').split(',');
  const columns = [
    'pxname',
    'svname',
    'status',
    'weight',
    'act',
    'bck',
    'slim',
    'qlimit',
    'addr',
    'mode',
    'algo',
  ];
  const proxies = stat.slice(1).map((row) => {
    const cells = row.split(',');
    const cell = (column: string) => cells[header.indexOf(column)] ?? '';
    // Not of this row: the weight of a server in maintenance, and a backend's fullconn, which is only for minconn.
    const shown = columns
      .filter((column) => column !== 'weight' || cell('status') !== 'MAINT')
      .filter((column) => column !== 'slim' || cell('svname') !== 'BACKEND');
    return shown.map(cell).join(' ');
  });
  const state = (await cli('show servers state')).split('\n').filter((row) => /^\d+ /.test(row));
  const rows = state.map((row) => {
    const cells = row.split(' ');
    const [name, address, maint, weight, port] = [3, 4, 6, 7, 18].map((at) => cells[at] ?? '');
    return `${cells[1] ?? ''}/${name ?? ''} ${address ?? ''}:${port ?? ''} weight ${weight ?? ''} ${maint === '0' ? 'in use' : 'maint'}`;
  });
  const map = async (path: string) =>
    (await cli(`show map ${path}`))
      .split('\n')
      .filter((row) => row !== '')
      .map((row) => row.replace(/^0x[0-9a-f]+ /, ''));
  return {
    proxies: proxies.sort(),
    servers: rows.sort(),
    facts: (await map('maps/facts.map')).sort(),
    routes: (await map('maps/routes.map')).sort(),
    rules: await map('maps/rules.map'),
  };
}

/** The same of a fresh process that was started on the plan's files. */
async function observeFresh(line: HaproxyLine, plan: Plan): Promise<Readonly<Record<string, unknown>>> {
  const text = (path: string) => Buffer.concat([...getEntry(plan.files, path)!.content()]).toString();
  const files = Object.fromEntries([...valuesOf(plan.maps)].map(({ path }) => [path, text(path)]));
  const fresh = await startHaproxy(line, { config: () => text('haproxy.cfg'), files });
  try {
    return await observe(fresh);
  } finally {
    await fresh.stop();
  }
}

function baselineFrom(state: AgentState, applied: Plan | undefined): Baseline {
  return {
    applied,
    inventory: state.runtime_inventory,
    capabilities: capabilitiesOf(state.haproxy, state.agent_ops),
    pendingServerDeletes: state.pending_deletes.servers,
    pendingBackendDeletes: state.pending_deletes.backends,
    reloadPending: false,
  };
}

describeEachLine('runtime equals reload', (line) => {
  let haproxy: HaproxyProcess;
  let agent: AgentHarness;
  beforeEach(async () => {
    haproxy = await startHaproxy(line);
    agent = await startAgent(haproxy);
  });
  afterEach(async () => {
    await agent.stop();
    await haproxy.stop();
  });

  async function deliver(plan: Plan, held: Plan | undefined) {
    const state = await agent.state('?plan=0');
    const decision = diff(plan, baselineFrom(state, held));
    const { manifest, parts } = buildApply({
      plan,
      decision,
      roles: state,
      appliedToken: state.applied_token,
      token: { leader_epoch: 1, render_seq: state.applied_token.render_seq + 1 },
      held: (path) => state.files[path],
      ...(held === undefined ? {} : { heldPlan: held }),
      features: state.features,
    });
    const bodies = parts.map(({ path, bytes }) => [path, new Uint8Array(Buffer.concat(bytes))] as const);
    const reply = await agent.send(applyBody(manifest, Object.fromEntries(bodies)));
    expect(reply, JSON.stringify(decision)).toMatchObject({ status: 200, body: { ok: true } });
    expect(reply.body.reload?.reason, JSON.stringify(reply.body)).toBeUndefined();
    expect(reply.body.mode).toBe(decision.verdict);
    await eventually('deletions end', async () => {
      const { servers: left, backends } = (await agent.state('?plan=0')).pending_deletes;
      return left.length + backends.length === 0 ? true : undefined;
    });
    return decision;
  }

  it('whatever changes in whatever order', async () => {
    const dynamicBackends = line.line === '3.4';
    const [first, ...more] = fc.sample(sketches(dynamicBackends), { seed: 20_261_129, numRuns: steps + 1 });
    let held = makePlan(first!);
    await deliver(held, undefined);
    const before = await haproxy.reloads();
    const verdicts: string[] = [];
    for (const sketch of more) {
      const plan = shareStructure(held, makePlan(sketch));
      const decision = await deliver(plan, held);
      verdicts.push([decision.verdict, ...decision.reasons].join(' '));
      expect(await observe(haproxy), JSON.stringify(decision.batches)).toEqual(
        await observeFresh(line, plan),
      );
      held = plan;
    }
    expect(verdicts).toEqual(more.map(() => 'runtime'));
    expect(await haproxy.reloads()).toBe(before);
  });

  it('checks a server that came at runtime, out of maintenance too, as it checks one of the file', async () => {
    const echo = await startEcho('pod');
    const check = [
      { name: 'check', args: [] },
      { name: 'inter', args: ['50ms'] },
    ];
    const pod = (name: string, disabled: boolean): ServerSketch => ({
      name,
      address: '127.0.0.1',
      port: echo.port,
      disabled,
      extra: check,
    });
    const sketch = (...servers: ServerSketch[]): Sketch => ({
      core: { global: core.global.replaceAll(/^.*map_.*\n/gm, '') },
      profiles,
      backends: { api: { profile: 'pool', servers } },
    });
    const statusOf = async (name: string) =>
      /^(?:[^,]*,){17}([^,]*)/.exec(
        (await haproxy.cli('show stat')).split('\n').find((row) => row.startsWith(`api,${name},`)) ?? '',
      )?.[1];
    const became = (name: string, status: string) =>
      eventually(`${name} is ${status}`, async () => ((await statusOf(name)) === status ? true : undefined));
    try {
      const plans = [
        sketch(pod('old', true)),
        sketch(pod('old', true), pod('new', false), pod('later', true)),
        sketch(pod('old', false), pod('new', false), pod('later', false)),
      ].map(makePlan);
      await deliver(plans[0]!, undefined);
      await became('old', 'MAINT');
      await deliver(plans[1]!, plans[0]);
      await became('new', 'UP');
      await became('later', 'MAINT');
      await deliver(plans[2]!, plans[1]);
      await became('old', 'UP');
      await became('later', 'UP');
    } finally {
      await echo.close();
    }
    for (const name of ['old', 'new', 'later']) await became(name, 'DOWN');
  });
});
