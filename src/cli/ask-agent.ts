import { X509Certificate } from 'node:crypto';
import { request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import path from 'node:path';
import { CodedError } from '../lib/coded-error.ts';
import { hasDnsName } from '../lib/tls/has-dns-name.ts';
import { followTlsFolder } from '../lib/tls/tls-folder.ts';
import type { AgentState } from '../protocol/wire.ts';
import type { agentDrainOptions, agentHealthOptions, agentStateOptions } from './agent-command.ts';
import type { CliCall, CliValues } from './cli-command.ts';
import { describeState } from './describe-state.ts';

const silenceMs = 5_000;

/** `haptic agent health`: exit code 0 when the agent answers. */
export async function askHealth({
  values,
  signal,
  out,
}: CliCall<typeof agentHealthOptions>): Promise<number> {
  const socket = socketOf(values['base-dir'], values['admin-socket']);
  await get({ ...socket, path: '/healthz', signal, timeout: silenceMs });
  out('ok\n');
  return 0;
}

/** `haptic agent drain`: prints which end the wait had. */
export async function askDrain({ values, signal, out }: CliCall<typeof agentDrainOptions>): Promise<number> {
  out(`${await get({ ...socketOf(values['base-dir'], values['drain-socket']), path: '/drain', signal })}\n`);
  return 0;
}

type StateValues = CliValues<typeof agentStateOptions>;

/** `haptic agent state`: what the agent of this pod, or of another by `--url`, holds and runs. */
export async function askState({ values, signal, out }: CliCall<typeof agentStateOptions>): Promise<number> {
  const { url } = values;
  if (url !== undefined && !(URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol)))
    throw new CodedError('HAPTIC_ERR_AGENT_USAGE', '--url must be http://… or https://…');
  const query = `/v1/state?plan=0&verify=${values.verify ? '1' : '0'}`;
  const to = url === undefined ? socketOf(values['base-dir'], values['admin-socket']) : remote(url, values);
  const text = await get({ ...to, path: query, signal });
  const state = JSON.parse(text) as AgentState;
  if (values.output === 'text') {
    out(describeState(state, values.files));
    return 0;
  }
  const { files, ...rest } = state;
  // Probes and hooks come through this file: only who asks for it loads the printer.
  const { printed } = await import('./printed.ts');
  out(printed(values.output, values.files ? { ...rest, files } : rest, () => ''));
  return 0;
}

function socketOf(baseDir: string, socket: string): RequestOptions {
  return { socketPath: path.resolve(baseDir, socket) };
}

/** As the controller: by the client certificate over HTTPS, by the credentials of the URL over HTTP. */
function remote(text: string, values: StateValues): RequestOptions {
  const url = new URL(text);
  const { protocol, hostname, port } = url;
  const to = {
    protocol,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 5555 : Number(port),
  };
  if (protocol === 'http:')
    return { ...to, auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` };
  const serverName = values['server-name'];
  const { cert, key, trust } = followTlsFolder(path.resolve(values['tls-dir'])).current();
  const tls = {
    ...{ cert, key, ca: trust.map(String), servername: serverName, minVersion: 'TLSv1.3' },
    checkServerIdentity: (_host: string, { raw }: { raw: Buffer }) =>
      hasDnsName(new X509Certificate(raw), serverName)
        ? undefined
        : new Error(`the agent's certificate is not for ${serverName}`),
  };
  return { ...to, ...tls };
}

/**
 * The body of a 200; any other answer is an error with its words. Without a `timeout` it waits for as long as the agent takes: Node's
 * global agent, which is not used, gives up after 5 s of silence, and a drain may take minutes.
 */
function get(options: RequestOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = options.protocol === 'https:' ? requestHttps : requestHttp;
    const asked = request({ ...options, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`the agent answered ${String(response.statusCode)}: ${text.slice(0, 500)}`));
      });
    });
    asked.on('timeout', () => asked.destroy(new Error('the agent does not answer')));
    asked.on('error', reject);
    asked.end();
  });
}
