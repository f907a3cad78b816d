import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultPolicy } from '../../src/certificates/certificate-policy.ts';
import { folderStore } from '../../src/certificates/folder-store.ts';
import { renewCertificates } from '../../src/certificates/renew-certificates.ts';
import { createAgentClient } from '../../src/fleet/agent-client.ts';
import { tlsNames } from '../../src/protocol/tls-names.ts';
import { claimLoopbackRange } from '../../src/sandbox/runtime/loopback-range.ts';
import { type AgentPod, startAgentPod } from './lib/agent-pod.ts';
import { type ApplyWorld, startApplyWorld } from './lib/apply-world.ts';
import { findLines } from './lib/find-lines.ts';
import { simulatedAgent } from './lib/simulated-agent.ts';
import { mean, percentile, rounded } from './lib/statistics.ts';

const warmUp = 300;
const changes = 400;
const agentPort = 5555;

/**
 * One replaced endpoint (a server comes, another goes) from its bundle to the acknowledgement: diff, request and client in the
 * product's own controller, mutual TLS, a real agent process, a real HAProxy. One pod with 3,000 and 10,000 routes, and 64 pods with 1,000
 * routes, of which 60 are simulated in a process of their own and 4 real. Changes go to a pod that nothing else happens to.
 */
export async function run(): Promise<object> {
  if (process.env['HAPTIC_BENCH_SIMULATED'] !== undefined) return simulate();
  const [newest] = findLines();
  const haproxyPath = newest?.path ?? 'haproxy';
  await using resources = new AsyncDisposableStack();
  const addresses = await claimLoopbackRange();
  resources.defer(addresses.release);
  const certificates = await mkdtemp(path.join(tmpdir(), 'haptic-certificates-'));
  resources.defer(() => rm(certificates, { recursive: true, force: true }));
  await renewCertificates({ store: folderStore(certificates), policy: defaultPolicy, now: Date.now });
  const take = (count: number) => Array.from({ length: count }, () => addresses.take());
  const only = process.env['HAPTIC_BENCH_ONLY']?.split(',');
  const wants = (part: string) => only?.includes(part) ?? true;

  const single = async (routes: number) => {
    process.stderr.write(`  1 pod, ${routes} routes\n`);
    const measured = await measure({ haproxyPath, certificates, routes, real: take(1), simulated: [] });
    const { modes, agentRssMiB, samples, requests, agent } = measured;
    return { ...quantiles(requests), modes, agentRssMiB, bundleToAck: quantiles(samples), agent };
  };
  const small = wants('3000') ? await single(3_000) : undefined;
  const large = wants('10000') ? await single(10_000) : undefined;
  let fleet: Measured | undefined;
  if (wants('fleet')) {
    process.stderr.write('  64 pods, 1000 routes\n');
    fleet = await measure({
      haproxyPath,
      certificates,
      routes: 1_000,
      real: take(4),
      simulated: take(60),
    });
  }
  return {
    routes3000: small,
    routes10000: large,
    agentRssMiB: large?.agentRssMiB,
    fleet64Ms: fleet === undefined ? undefined : quantiles(fleet.samples).p50Ms,
    fleet64: fleet === undefined ? undefined : { ...quantiles(fleet.samples), modes: fleet.modes },
  };
}

interface Measured {
  /** From the bundle to the last acknowledgement. */
  readonly samples: readonly number[];
  /** From the first request to the last answer. */
  readonly requests: readonly number[];
  /** Medians of what the last agent to answer spent, by phase. */
  readonly agent: Readonly<Record<string, number>>;
  /** How the pods did the last change: mode → pods. */
  readonly modes: Readonly<Record<string, number>>;
  readonly agentRssMiB: number;
}

async function measure(setup: {
  readonly haproxyPath: string;
  readonly certificates: string;
  readonly routes: number;
  readonly real: readonly string[];
  readonly simulated: readonly string[];
}): Promise<Measured> {
  await using resources = new AsyncDisposableStack();
  const serverDir = path.join(setup.certificates, 'server');
  if (setup.simulated.length > 0)
    resources.defer(await startSimulated({ addresses: setup.simulated, serverDir }));
  const pods: AgentPod[] = [];
  for (const address of setup.real) {
    const { haproxyPath } = setup;
    const pod = await startAgentPod({
      haproxyPath,
      address,
      port: agentPort,
      agentArgs: ['--tls-dir', serverDir],
    });
    resources.defer(pod.stop);
    pods.push(pod);
  }
  const client = createAgentClient({
    tls: { dir: path.join(setup.certificates, 'client'), serverName: tlsNames.agent },
  });
  const world: ApplyWorld = await startApplyWorld({
    routes: setup.routes,
    addresses: [...setup.real, ...setup.simulated],
    port: agentPort,
    client,
  });
  resources.defer(world.stop);
  const samples: number[] = [];
  const requests: number[] = [];
  const spent = new Map<string, number[]>();
  const modes = new Map<string, number>();
  for (let i = 0; i < warmUp + changes; i++) {
    // At no fixed phase of anybody's timer.
    await sleep(5 + Math.random() * 10);
    const { ms, requestMs, agent, modes: each } = await world.change(i);
    if (i < warmUp) continue;
    samples.push(ms);
    requests.push(requestMs);
    for (const [phase, took] of Object.entries(agent)) spent.set(phase, [...(spent.get(phase) ?? []), took]);
    for (const mode of each) modes.set(mode, (modes.get(mode) ?? 0) + 1);
  }
  const resident = await Promise.all(pods.map((pod) => pod.agentRssMiB()));
  const agent = Object.fromEntries([...spent].map(([phase, took]) => [phase, percentile(took, 0.5)]));
  return { samples, requests, agent, modes: Object.fromEntries(modes), agentRssMiB: Math.max(...resident) };
}

/** The simulated agents, in another process: a controller does not share its thread with them. */
interface Simulated {
  readonly addresses: readonly string[];
  readonly serverDir: string;
}

async function startSimulated(simulated: Simulated): Promise<() => Promise<void>> {
  const child = fork(process.argv[1] ?? '', [], {
    env: { ...process.env, HAPTIC_BENCH_SIMULATED: JSON.stringify(simulated) },
  });
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', (code) => reject(new Error(`simulated agents ended with ${code}`)));
  });
  return async () => {
    child.removeAllListeners('exit');
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  };
}

async function simulate(): Promise<never> {
  process.once('disconnect', () => process.exit(0));
  const { addresses, serverDir } = JSON.parse(process.env['HAPTIC_BENCH_SIMULATED'] ?? '') as Simulated;
  const pem = (name: string) => readFile(path.join(serverDir, name));
  const tls = {
    cert: await pem('tls.crt'),
    key: await pem('tls.key'),
    ca: await pem('ca.crt'),
    requestCert: true,
    minVersion: 'TLSv1.3' as const,
  };
  for (const address of addresses) {
    const server = https.createServer({ ...tls, keepAliveTimeout: 120_000 }, simulatedAgent());
    server.listen(agentPort, address);
    await once(server, 'listening');
  }
  process.send?.('listening');
  return new Promise(() => undefined);
}

function quantiles(samples: readonly number[]) {
  return {
    p50Ms: rounded(percentile(samples, 0.5)),
    p99Ms: rounded(percentile(samples, 0.99)),
    meanMs: rounded(mean(samples)),
    maxMs: rounded(Math.max(...samples)),
  };
}
