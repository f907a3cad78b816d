import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import net, { isIP } from 'node:net';
import path from 'node:path';
import { firstValueFrom } from 'rxjs';
import type { TrafficRequest } from '../../api/template-config.ts';
import type { WithCheckRoot } from '../../gate/check-root.ts';
import { errorMessage } from '../../lib/error-message.ts';
import { abortable } from '../../operators/abortable.ts';
import type { Plan } from '../../protocol/plan.ts';
import { assertionError } from '../assertion-error.ts';
import { parseHaproxyOutput } from '../../gate/parse-haproxy-output.ts';
import {
  chosenHeader,
  trafficConfig,
  type Address,
  type BindPoint,
  type TrafficConfig,
} from './move-config.ts';
import { proxyHeader } from './proxy-header.ts';
import { runHaproxy } from './run-haproxy.ts';
import { sendRequest, type HttpAnswer } from './send-request.ts';
import { startStubServers, stubHeader, type StubRequest, type StubServers } from './stub-servers.ts';

/** What came of one request. */
export interface TrafficOutcome {
  /** Absent when HAProxy ended the connection without one. */
  readonly answer?: HttpAnswer;
  /** How the connection ended without an answer. */
  readonly failure?: string;
  /** Backend that HAProxy chose; empty: none. */
  readonly backend: string;
  /** What the server was asked; absent when none was. */
  readonly forwarded?: StubRequest;
}

/** A HAProxy that runs what was rendered, in front of stubs. */
export interface Traffic {
  /** @throws CodedError `HAPTIC_ERR_VALIDATION_ASSERTION` where the request cannot be sent as it is written */
  ask(request: TrafficRequest, field: string): Promise<TrafficOutcome>;
}

export interface TrafficDeps {
  /** The HAProxy binary. */
  readonly haproxy: string;
  readonly env: Readonly<Record<string, string>>;
  readonly withRoot: WithCheckRoot;
  /** Told of a process as long as it runs, so that it can be ended when this thread is. */
  readonly onProcess: (pid: number, runs: boolean) => void;
}

/**
 * Starts HAProxy on the files of a plan, `bind` and `server` lines moved to addresses of its own ({@link trafficConfig}), and ends it
 * after `use`. Rejects with HAProxy's words when it does not start.
 */
export function withTraffic<T>(
  { haproxy, env, withRoot, onProcess }: TrafficDeps,
  plan: Plan,
  use: (traffic: Traffic) => Promise<T>,
): Promise<T> {
  const inRoot = async (root: string): Promise<T> => {
    const file = path.join(root, 'haproxy.cfg');
    const config = trafficConfig(await readFile(file, 'utf8'));
    const host = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
    const stubs = await startStubServers(host, config.servers);
    try {
      const binds = await Promise.all(config.binds.map(() => freeAddress(host)));
      await writeFile(file, config.move(binds, stubs.addresses), { mode: 0o600 });
      const entrances = binds.filter((_, index) => config.binds[index]?.protocol === 'tcp');
      const running = await runHaproxy({
        haproxy,
        env,
        cwd: root,
        entrances,
        onProcess,
        explain: (output) => alertsOf(output, config) || output.replaceAll(`${root}/`, '').trim(),
      });
      try {
        return await use({ ask: asker(config.binds, binds, config.frontends, stubs) });
      } finally {
        await running.stop();
      }
    } finally {
      await stubs.stop();
    }
  };
  return firstValueFrom(withRoot(plan, (root) => abortable(() => inRoot(root))));
}

/** HAProxy's own words about what is wrong, with the lines of the configuration as it was rendered. */
function alertsOf(output: string, { originalLine }: TrafficConfig): string {
  return parseHaproxyOutput(output)
    .filter(({ severity }) => severity === 'alert')
    .map(({ file, line, message }) =>
      file === undefined || line === undefined ? message : `${file}:${originalLine(line)}: ${message}`,
    )
    .join('\n');
}

function asker(
  points: readonly BindPoint[],
  addresses: readonly Address[],
  frontends: ReadonlySet<string>,
  stubs: StubServers,
): Traffic['ask'] {
  return async (request, field) => {
    const isSecure = request.scheme === 'https';
    const port = request.port ?? (isSecure ? 443 : 80);
    const at = points.findIndex(
      (point) => point.port === port && point.protocol === 'tcp' && frontends.has(point.proxy),
    );
    const point = points[at];
    const address = addresses[at];
    if (point === undefined || address === undefined)
      throw assertionError(`${field}.port: ${noSuchPort(port, points)}`);
    const client = request.clientAddress ?? '127.0.0.1';
    if (isIP(client) === 0)
      throw assertionError(`${field}.clientAddress is no IP address: ${JSON.stringify(client)}`);
    const host = request.host ?? 'localhost';
    stubs.answerWith(request.answer ?? {});
    try {
      const answer = await sendRequest(address, {
        method: request.method ?? 'GET',
        path: request.path ?? '/',
        headers: { ...hostHeader(request.headers, host), ...request.headers },
        body: request.body ?? '',
        proxyHeader: point.takesProxyHeader ? proxyHeader(client, point) : '',
        ...(isSecure ? { tls: request.sni ?? (isIP(host) === 0 ? host.replace(/:\d+$/, '') : '') } : {}),
      });
      return outcomeOf(answer, frontends, stubs);
    } catch (error) {
      return { failure: errorMessage(error), backend: '' };
    }
  };
}

/** Headers that a request brings itself are sent as they are. */
function hostHeader(headers: TrafficRequest['headers'], host: string): Readonly<Record<string, string>> {
  const isGiven = Object.keys(headers ?? {}).some((name) => name.toLowerCase() === 'host');
  return isGiven ? {} : { host };
}

function noSuchPort(port: number, points: readonly BindPoint[]): string {
  const ports = [...new Set(points.map((point) => point.port))].sort((a, b) => a - b);
  return `no bind line has port ${port}; there ${ports.length === 0 ? 'is none' : `is ${ports.join(', ')}`}`;
}

function outcomeOf(answer: HttpAnswer, frontends: ReadonlySet<string>, stubs: StubServers): TrafficOutcome {
  const { [chosenHeader]: chosen = '', [stubHeader]: token, ...headers } = answer.headers;
  const forwarded = token === undefined ? undefined : stubs.requestOf(token);
  return {
    answer: { ...answer, headers },
    // A frontend that answers by itself is its own backend in HAProxy's words; in TCP mode it adds no header.
    backend: chosen === '' || frontends.has(chosen) ? (forwarded?.backend ?? '') : chosen,
    ...(forwarded === undefined ? {} : { forwarded }),
  };
}

async function freeAddress(host: string): Promise<Address> {
  const server = net.createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('unreachable: it listens on a port');
  return { host, port: address.port };
}
