import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { capabilitiesOf } from '../../src/plan/capabilities.ts';
import { bundleFiles, createIngressRenderer } from '../fixtures/ingress-renderer.ts';
import { startBareHaproxy } from './lib/bare-haproxy.ts';
import { countInstructions } from './lib/count-instructions.ts';
import { findLines } from './lib/find-lines.ts';
import { freePort } from './lib/free-port.ts';
import { endpointSliceOf, ingressClass, ingressOf, routeOf, serviceOf } from './lib/route-objects.ts';
import { percentile, rounded } from './lib/statistics.ts';
import { wrkLoad } from './lib/wrk.ts';

const routeCount = Number(process.env['HAPTIC_BENCH_ROUTES'] ?? 10_000);
const rounds = Number(process.env['HAPTIC_BENCH_ROUNDS'] ?? 40);
const seconds = Number(process.env['HAPTIC_BENCH_SECONDS'] ?? 2);
/** Services that requests go to. Few, so that connections to servers are used again as often as with the one of the minimal configuration. */
const shared = 10;
const connections = 64;

/**
 * Requests per second through the rendered configuration at 10,000 routes over those through a minimal one: the same `global`, defaults, bind,
 * logging and threads, one frontend with `default_backend`, one backend with one server. 5,000 hosts have two paths each: one for
 * a Service of its own, the other for one of ten; requests are for the latter, of all hosts. Load (`wrk`) and server (a HAProxy that
 * answers by itself) share the machine; all configurations run at the same time and are measured in turns, forth and back. `ratio` is that of
 * the medians of requests per second, `cpuRatio` that of HAProxy's own CPU time per request, which neither load nor server dilutes. `control`
 * is the minimal one again: as far as its ratios are from 1, the machine was not quiet. `instructions`, where valgrind is installed, do not
 * depend on that.
 */
export async function run(): Promise<object> {
  requireWrk();
  const [newest] = findLines();
  const haproxy = newest?.path ?? 'haproxy';
  const folder = await mkdtemp(path.join(tmpdir(), 'haptic-dataplane-'));
  await using resources = new AsyncDisposableStack();
  resources.defer(() => rm(folder, { recursive: true, force: true }));

  const serverPort = await freePort();
  const ports = {
    rendered: await freePort(),
    minimal: await freePort(),
    control: await freePort(),
    https: await freePort(),
    status: await freePort(),
  };
  const files = renderRoutes(haproxy, ports, serverPort);
  const minimalFiles = (port: number) => ({
    'haproxy.cfg': minimalConfig(files['haproxy.cfg'] ?? '', ports.rendered, port, serverPort),
  });
  const start = async (name: string, own: Readonly<Record<string, string>>, port: number) => {
    const process = await startBareHaproxy(haproxy, path.join(folder, name), own, port);
    resources.defer(process.stop);
    return { name, port, process, perSecond: [] as number[], cpuUs: [] as number[] };
  };
  await start('server', { 'haproxy.cfg': serverConfig(serverPort) }, serverPort);
  const rendered = await start('rendered', files, ports.rendered);
  const minimal = await start('minimal', minimalFiles(ports.minimal), ports.minimal);
  const control = await start('control', minimalFiles(ports.control), ports.control);

  const hosts = Array.from({ length: routeCount / 2 }, (_, i) => routeOf(i).host);
  const target = '/shop/items?page=2';
  const load = await wrkLoad(folder, { hosts, target, connections });
  const forth = [minimal, rendered, control];
  for (const { port } of forth) await load.run(port, 1);
  for (let round = 0; round < rounds; round++) {
    // Whatever else the machine does meets all alike.
    for (const one of round % 2 === 0 ? forth : forth.toReversed()) {
      const before = await one.process.cpuUs();
      const { requests, perSecond } = await load.run(one.port, seconds);
      one.perSecond.push(perSecond);
      one.cpuUs.push(((await one.process.cpuUs()) - before) / requests);
    }
    const last = forth.map(({ name, perSecond }) => `${name} ${perSecond.at(-1)}`);
    process.stderr.write(`  round ${round + 1}/${rounds}: ${last.join(', ')}\n`);
  }

  const single = await wrkLoad(folder, { hosts, target, connections: 1 });
  const count = async (name: string, own: Readonly<Record<string, string>>, port: number) =>
    countInstructions(haproxy, path.join(folder, name), own, { port, load: single });
  for (const { process } of forth) await process.stop();
  const counted = {
    rendered: await count('counted-rendered', files, ports.rendered),
    minimal: await count('counted-minimal', minimalFiles(ports.minimal), ports.minimal),
  };
  return {
    ...ratios(rendered, minimal),
    routes: routeCount,
    rounds,
    rendered: figures(rendered),
    minimal: figures(minimal),
    control: ratios(control, minimal),
    ...(counted.rendered !== undefined &&
      counted.minimal !== undefined && {
        instructions: {
          rendered: rounded(counted.rendered, 0),
          minimal: rounded(counted.minimal, 0),
          ratio: rounded(counted.minimal / counted.rendered, 3),
        },
      }),
  };
}

interface Measured {
  readonly perSecond: readonly number[];
  readonly cpuUs: readonly number[];
}

const median = (samples: readonly number[]): number => percentile(samples, 0.5);

function ratios(one: Measured, minimal: Measured) {
  const ofRounds = one.perSecond.map(
    (perSecond, round) => perSecond / (minimal.perSecond[round] ?? Number.NaN),
  );
  return {
    ratio: rounded(median(one.perSecond) / median(minimal.perSecond), 3),
    /** Ratios of single rounds: how far to trust the one above. */
    ratioQuartiles: [0.25, 0.5, 0.75].map((p) => rounded(percentile(ofRounds, p), 3)),
    cpuRatio: rounded(median(minimal.cpuUs) / median(one.cpuUs), 3),
  };
}

const figures = ({ perSecond, cpuUs }: Measured) => ({
  requestsPerSecond: rounded(median(perSecond), 0),
  cpuUsPerRequest: rounded(median(cpuUs)),
});

interface Ports {
  readonly rendered: number;
  readonly https: number;
  readonly status: number;
}

function renderRoutes(haproxy: string, ports: Ports, serverPort: number): Readonly<Record<string, string>> {
  const version = /version (\S+)/.exec(execFileSync(haproxy, ['-v'], { encoding: 'utf8' }))?.[1] ?? '';
  const { operations: _operations, ...capabilities } = capabilitiesOf({ version }, []);
  const bind = (port: number) => `127.0.0.1:${port}`;
  const renderer = createIngressRenderer({
    extraContext: {
      httpBind: bind(ports.rendered),
      httpsBind: bind(ports.https),
      statusBind: bind(ports.status),
    },
    capabilities,
  });
  const at = (i: number) => ({ ...routeOf(i), addresses: ['127.0.0.1'], port: serverPort });
  renderer.put(ingressClass);
  for (let i = 0; i < routeCount / 2; i++)
    renderer.put(withSharedPath(ingressOf(at(i)), i), serviceOf(at(i)), endpointSliceOf(at(i)));
  return bundleFiles(renderer.bundle());
}

/** A second path, for the Service of one of the first routes. */
function withSharedPath(ingress: KubeObject, i: number): KubeObject {
  const service = { name: routeOf(i % shared).name, port: { number: 80 } };
  const { rules, ...spec } = ingress['spec'] as { readonly rules: readonly [Rule] };
  const [{ host, http }] = rules;
  const paths = [...http.paths, { path: '/shop', pathType: 'Prefix', backend: { service } }];
  return { ...ingress, spec: { ...spec, rules: [{ host, http: { paths } }] } };
}

interface Rule {
  readonly host: string;
  readonly http: { readonly paths: readonly object[] };
}

/** What the rendered one begins with, down to its first frontend, and nothing that routes. */
function minimalConfig(rendered: string, renderedPort: number, port: number, serverPort: number): string {
  const frontend = /^frontend http from haptic-frontend\n\s+bind .*\n\s+maxconn \d+\n/m.exec(rendered)?.[0];
  const server = /^\s+server \S+ 127\.0\.0\.1:\d+(.*)$/m.exec(rendered)?.[1];
  if (frontend === undefined || server === undefined) throw new Error('the configuration is none of ours');
  return [
    rendered.slice(0, rendered.indexOf('\nfrontend ')),
    frontend.replace(`:${renderedPort}`, `:${port}`) + '    default_backend app',
    `backend app from haptic-http\n    server one 127.0.0.1:${serverPort}${server}\n`,
  ].join('\n\n');
}

const serverConfig = (port: number) => `global
    nbthread 1
    maxconn 9000
defaults
    mode http
    timeout client 1h
    timeout http-keep-alive 1h
frontend answers
    bind 127.0.0.1:${port}
    http-request return status 200 content-type text/plain string "ok"
`;

function requireWrk(): void {
  try {
    execFileSync('wrk', ['-v'], { stdio: 'ignore' });
  } catch (error) {
    // It prints its version and exits with 1.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Error('wrk is missing: install it (apt-get install wrk)', { cause: error });
  }
}
