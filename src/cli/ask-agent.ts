import { X509Certificate } from 'node:crypto';
import { request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { CodedError } from '../lib/coded-error.ts';
import { errorMessage } from '../lib/error-message.ts';
import { hasDnsName } from '../lib/tls/has-dns-name.ts';
import { followTlsFolder } from '../lib/tls/tls-folder.ts';
import { tlsNames } from '../protocol/tls-names.ts';
import type { AgentState } from '../protocol/wire.ts';
import { describeState } from './describe-state.ts';

export type AgentQuestion = 'state' | 'health' | 'drain';

const usages: Readonly<Record<AgentQuestion, string>> = {
  state: `usage: haptic agent state [options]

What a pod holds and runs. Reads only.

  --verify              compare the files on disk with the agent's record first
  --files               list the files
  --output text|json    (text)
  --url URL             an agent elsewhere, https://HOST:5555, as the controller asks it
  --tls-dir DIR         the controller's certificate, for --url (/etc/haptic/agent-tls/..data)
  --server-name NAME    DNS name in the agent's certificate, for --url (${tlsNames.agent})
  --base-dir DIR        the agent's (/etc/haproxy)
  --admin-socket FILE   the agent's (haptic-agent-admin.sock)
`,
  health: `usage: haptic agent health [--base-dir DIR] [--admin-socket FILE]

Exit code 0 when the agent of this pod answers, 1 when not.
`,
  drain: `usage: haptic agent drain [--base-dir DIR] [--drain-socket FILE]

Waits until no new connections come to this pod's HAProxy, or the agent's --drain-max-wait is over, and says which. For the preStop
hook. Exit code 0 whatever it was, since the pod ends anyway; 1 when the agent does not answer.
`,
};

/** Asks a running agent. Answers go to stdout. Exit codes: 0 answered, 1 not, 2 usage. */
export async function askAgentCommand(
  question: AgentQuestion,
  argv: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  let flags: Flags;
  try {
    flags = parseFlags(question, argv);
  } catch (error) {
    process.stderr.write(`haptic agent ${question}: ${errorMessage(error)}\n`);
    return 2;
  }
  if (flags.help === true) {
    process.stdout.write(usages[question]);
    return 0;
  }
  try {
    process.stdout.write(await ask(question, flags, signal));
    return 0;
  } catch (error) {
    process.stderr.write(`haptic agent ${question}: ${errorMessage(error)}\n`);
    return 1;
  }
}

interface Flags {
  readonly [flag: string]: string | boolean | undefined;
  readonly 'base-dir'?: string;
}

function parseFlags(question: AgentQuestion, argv: readonly string[]): Flags {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { values } = parseArgs({
    args: [...argv],
    strict: true,
    options: {
      help: flag,
      'base-dir': text,
      ...(question === 'drain' ? { 'drain-socket': text } : { 'admin-socket': text }),
      ...(question === 'state' && {
        ...{ verify: flag, files: flag, output: text, url: text, 'tls-dir': text, 'server-name': text },
      }),
    },
  });
  const flags = values as Flags;
  if (!['text', 'json', undefined].includes(textOf(flags, 'output')))
    throw new CodedError('HAPTIC_ERR_AGENT_USAGE', '--output must be text or json');
  const url = textOf(flags, 'url');
  if (url !== undefined && !(URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol)))
    throw new CodedError('HAPTIC_ERR_AGENT_USAGE', '--url must be http://… or https://…');
  return flags;
}

async function ask(question: AgentQuestion, flags: Flags, signal: AbortSignal): Promise<string> {
  const socket = (flag: 'admin-socket' | 'drain-socket', name: string): RequestOptions => ({
    socketPath: path.resolve(textOf(flags, 'base-dir') ?? '/etc/haproxy', textOf(flags, flag) ?? name),
  });
  switch (question) {
    case 'health':
      await get({
        ...socket('admin-socket', 'haptic-agent-admin.sock'),
        path: '/healthz',
        signal,
        timeout: 5_000,
      });
      return 'ok\n';
    case 'drain':
      return `${await get({ ...socket('drain-socket', 'haptic-agent-drain.sock'), path: '/drain', signal })}\n`;
    case 'state': {
      const query = `/v1/state?plan=0&verify=${flags['verify'] === true ? '1' : '0'}`;
      const url = textOf(flags, 'url');
      const to = url === undefined ? socket('admin-socket', 'haptic-agent-admin.sock') : remote(url, flags);
      const text = await get({ ...to, path: query, signal });
      if (textOf(flags, 'output') !== 'json')
        return describeState(JSON.parse(text) as AgentState, flags['files'] === true);
      const { files, ...rest } = JSON.parse(text) as AgentState;
      return `${JSON.stringify(flags['files'] === true ? { ...rest, files } : rest, undefined, 2)}\n`;
    }
  }
}

/** As the controller: by the client certificate over HTTPS, by the credentials of the URL over HTTP. */
function remote(text: string, flags: Flags): RequestOptions {
  const url = new URL(text);
  const { protocol, hostname, port } = url;
  const to = {
    protocol,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 5555 : Number(port),
  };
  if (protocol === 'http:')
    return { ...to, auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` };
  const serverName = textOf(flags, 'server-name') ?? tlsNames.agent;
  const dir = textOf(flags, 'tls-dir') ?? '/etc/haptic/agent-tls/..data';
  const { cert, key, trust } = followTlsFolder(path.resolve(dir)).current();
  const tls = {
    ...{ cert, key, ca: trust.map(String), servername: serverName, minVersion: 'TLSv1.3' },
    checkServerIdentity: (_host: string, { raw }: { raw: Buffer }) =>
      hasDnsName(new X509Certificate(raw), serverName)
        ? undefined
        : new Error(`the agent's certificate is not for ${serverName}`),
  };
  return { ...to, ...tls };
}

/** The body of a 200; any other answer is an error with its words. */
function get(options: RequestOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = options.protocol === 'https:' ? requestHttps : requestHttp;
    const asked = request(options, (response) => {
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

function textOf(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}
