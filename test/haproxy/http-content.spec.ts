import { tmpdir } from 'node:os';
import pino from 'pino';
import { concatMap, tap, timer } from 'rxjs';
import { afterEach, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TemplateConfig } from '../../src/api/template-config.ts';
import type { Controller } from '../../src/cli/controller/controller-deps.ts';
import { startController } from '../../src/cli/start-controller.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import type { AgentClient } from '../../src/fleet/agent-client.ts';
import { checkRootsIn } from '../../src/gate/check-root.ts';
import { createGate, defaultGateLimits } from '../../src/gate/create-gate.ts';
import { runProcess } from '../../src/gate/run-process.ts';
import { valuesOf } from '../../src/lib/ordered-map.ts';
import type { Plan } from '../../src/protocol/plan.ts';
import { acceptingAgent } from '../bench/lib/accepting-agent.ts';
import { haproxyPod } from '../bench/lib/route-objects.ts';
import { scriptedApi } from '../bench/lib/scripted-api.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { scriptedServer, type ScriptedServer } from '../fixtures/scripted-server.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A server whose list a test changes; `undefined`: it answers 500. */
async function listServer(first: string | undefined) {
  const state = { list: first };
  const server = await scriptedServer((_request, response) => {
    if (state.list === undefined) response.writeHead(500).end();
    else response.writeHead(200, { 'content-type': 'text/plain' }).end(state.list);
  });
  cleanups.push(() => server.close());
  return { server, state };
}

const template = (url: string, more = '') => `
global
defaults
    mode http
    timeout connect 5s
    timeout client 5s
    timeout server 5s
frontend http
    bind 127.0.0.1:8080
{{#fragment}}
{{#each (lines (http "${url}" delay="1s" retries=0 ${more})) as |line|}}
    http-request deny if { src {{line}} }
{{/each}}
{{/fragment}}
`;

interface Scene {
  readonly controller: Controller;
  /** What happened: contents that were judged, and contents that a pod was sent. */
  readonly events: readonly string[];
  readonly delivered: () => readonly string[];
}

/** Addresses that a configuration denies. */
function denied(plan: Plan): string {
  const file = [...valuesOf(plan.files)].find(({ kind }) => kind === 'config');
  const text = Buffer.concat(file?.content() ?? []).toString();
  return [...text.matchAll(/src (\S+)/g)].map((match) => match[1] ?? '').join(' ') || 'none';
}

function start(haproxy: string, server: ScriptedServer, more = ''): Scene {
  const config: TemplateConfig = loadConfig([
    {
      name: 'lists.yaml',
      text: JSON.stringify({
        haproxyConfig: { template: template(server.url, more) },
        httpContent: { allowPrivateAddresses: true },
      }),
    },
  ]);
  const { transport } = scriptedApi({ pods: [haproxyPod('127.0.0.1', 0)] });
  const gate = createGate({
    haproxy,
    withRoot: checkRootsIn(tmpdir()),
    run: runProcess,
    limits: defaultGateLimits,
  });
  const events: string[] = [];
  const contents = new Map<string, string>();
  const agent = acceptingAgent();
  const client: AgentClient = {
    ...agent,
    apply: (pod, request) =>
      agent
        .apply(pod, request)
        .pipe(tap(() => events.push(`sent ${contents.get(request.manifest.plan_id) ?? 'unknown'}`))),
  };
  const controller = startController({
    config,
    transport,
    client,
    check: (plan) => {
      contents.set(plan.id, denied(plan));
      // What does not wait for the verdict has time to go out.
      return timer(200).pipe(
        concatMap(() => gate.check(plan)),
        tap(({ kind }) => events.push(`${kind} ${denied(plan)}`)),
      );
    },
    capabilities: {},
    watchTimeoutSeconds: 290,
    log: pino({ level: 'silent' }),
    onFatal: (error) => {
      throw error;
    },
  });
  cleanups.push(() => controller.stop());
  return {
    controller,
    events,
    delivered: () => events.filter((event) => event.startsWith('sent ')).map((event) => event.slice(5)),
  };
}

/** Each content that a pod was sent was accepted before. */
function expectCheckedBeforeSent(events: readonly string[]): void {
  events.forEach((event, index) => {
    const [, content = ''] = /^sent (.*)$/.exec(event) ?? [];
    if (content !== '') expect(events.slice(0, index)).toContain(`accepted ${content}`);
  });
}

const patience = { timeout: 20_000, interval: 20 };

describeEachLine('HTTP content in a configuration', ({ path }) => {
  it('reaches a pod after HAProxy has accepted it, and never if it is refused', async () => {
    const { server, state } = await listServer('10.0.0.1\n');
    const { events, delivered, controller } = start(path, server);
    await expect.poll(delivered, patience).toStrictEqual(['10.0.0.1']);
    state.list = '10.0.0.2\n10.0.0.3\n';
    await expect.poll(delivered, patience).toStrictEqual(['10.0.0.1', '10.0.0.2 10.0.0.3']);
    state.list = 'no.address.here\n';
    await expect.poll(() => events, patience).toContain('refused no.address.here');
    const asked = server.requests.length;
    await expect.poll(() => server.requests.length, patience).toBeGreaterThan(asked + 1);
    expect(delivered()).toStrictEqual(['10.0.0.1', '10.0.0.2 10.0.0.3']);
    expect(events.filter((event) => event === 'refused no.address.here')).toHaveLength(1);
    state.list = '10.0.0.4\n';
    await expect.poll(() => delivered().at(-1), patience).toBe('10.0.0.4');
    expectCheckedBeforeSent(events);
    const metrics = await controller.registry.metrics();
    expect(metrics).toContain('haptic_http_content_total{result="refused"} 1');
    expect(metrics).toContain('haptic_http_content_urls 1');
  });

  it('is waited for by the first render', async () => {
    const server = await scriptedServer((_request, response) => {
      void sleep(600).then(() => response.writeHead(200, { 'content-type': 'text/plain' }).end('10.0.0.1\n'));
    });
    cleanups.push(() => server.close());
    const { events, delivered } = start(path, server);
    await expect.poll(delivered, patience).toStrictEqual(['10.0.0.1']);
    expect(events).not.toContain('sent none');
    expectCheckedBeforeSent(events);
  });

  it('is empty where it cannot be had, unless it is critical: then nothing goes out before it is there', async () => {
    const lax = await listServer(undefined);
    const first = start(path, lax.server);
    await expect.poll(first.delivered, patience).toStrictEqual(['none']);
    const strict = await listServer(undefined);
    const second = start(path, strict.server, 'critical=true');
    await expect.poll(() => strict.server.requests.length, patience).toBeGreaterThan(1);
    expect(second.delivered()).toStrictEqual([]);
    strict.state.list = '10.0.0.1\n';
    await expect.poll(second.delivered, patience).toStrictEqual(['10.0.0.1']);
    expectCheckedBeforeSent(second.events);
  });

  it('is left out where the first content is refused', async () => {
    const { server } = await listServer('no.address.here\n');
    const { events, delivered } = start(path, server);
    await expect.poll(delivered, patience).toStrictEqual(['none']);
    expectCheckedBeforeSent(events);
  });
});
