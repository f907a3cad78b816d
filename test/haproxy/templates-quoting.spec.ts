import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawn, execFile, type ChildProcess } from 'node:child_process';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTemplateEnvironment } from '../../src/templates/create-template-environment.ts';
import { describeEachLine, type HaproxyLine } from '../fixtures/haproxy-lines.ts';

const run = promisify(execFile);

/** What users write into annotations, and what attackers do. */
const hostile: Readonly<Record<string, string>> = {
  quotes: 'a "double" and a \'single\' quote',
  spaces: '  two  before, two after  ',
  semicolon: 'a;b; c',
  hash: 'a # not a comment',
  'sample expression': '%[src] %[env(HOME)] %{+Q}o %t %%',
  'environment variable': '${HOME} $HOME ${HOME-x} "$HOME"',
  backslashes: '\\ \\\\ \\n \\x41 \\" \\$ \\#',
  'a directive': 'x" if TRUE',
  'braces and pipes': '{ x } || !y && (z), [w] <v> `id` *',
  'non-ASCII': 'ä € 日本 🚀',
  'a long text': 'ab"\\$% '.repeat(585),
};

/** One frontend that answers with each value in each way that a template can print it. */
const template = `defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
frontend f
  bind 127.0.0.1:{{extraContext.port}}
{{#each extraContext.values as |value index|}}
  http-request return status 200 content-type text/plain string {{quoted value}} if { path /quoted/{{index}} }
  http-request return status 200 content-type text/plain lf-string {{logformat value}} if { path /logformat/{{index}} }
  http-request set-var(txn.given) str({{index}}),map_str({{extraContext.map}}) if { path /map/{{index}} }
  http-request return status 200 content-type text/plain lf-string "%[var(txn.given)]" if { path /map/{{index}} }
  acl matches-{{index}} url_param(v),url_dec(1) -m str -- {{quoted value}}
  http-request return status 200 content-type text/plain string matches if { path /acl/{{index}} } matches-{{index}}
  acl reg-{{index}} url_param(v),url_dec(1) -m reg -- {{regex (concat "^" (regexEscape value) "$")}}
  http-request return status 200 content-type text/plain string matches if { path /regex/{{index}} } reg-{{index}}
  {{comment value}}
{{/each}}
  http-request return status 404
`;

const values = Object.values(hostile);

describeEachLine('what the context helpers print means exactly the value', (line) => {
  let directory = '';
  let haproxy: ChildProcess | undefined;
  let port = 0;

  beforeEach(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'haptic-quoting-'));
    port = await freePort();
    const map = path.join(directory, 'values.map');
    const lines = render('{{#each extraContext.values as |v i|}}{{mapKey i}} {{mapValue v}}\n{{/each}}', {
      values: values.map((value) => value.trim()),
    });
    writeFileSync(map, lines);
    writeFileSync(path.join(directory, 'haproxy.cfg'), render(template, { port, values, map }));
    await run(line.path, ['-c', '-f', path.join(directory, 'haproxy.cfg')], environmentOf(line));
    haproxy = spawn(line.path, ['-db', '-f', path.join(directory, 'haproxy.cfg')], {
      ...environmentOf(line),
      stdio: 'ignore',
    });
    await until(async () => (await get(port, '/none')).status === 404);
  });

  afterEach(() => {
    haproxy?.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });

  it('in quoted arguments, log-formats, map values, string and regular expression matches', async () => {
    for (const [index, value] of values.entries()) {
      const name = Object.keys(hostile)[index];
      expect([name, await get(port, `/quoted/${index}`)]).toStrictEqual([name, { status: 200, body: value }]);
      expect([name, await get(port, `/logformat/${index}`)]).toStrictEqual([
        name,
        { status: 200, body: value },
      ]);
      expect([name, await get(port, `/map/${index}`)]).toStrictEqual([
        name,
        { status: 200, body: value.trim() },
      ]);
      const query = `?v=${encodeURIComponent(value)}`;
      expect([name, await get(port, `/acl/${index}${query}`)]).toStrictEqual([
        name,
        { status: 200, body: 'matches' },
      ]);
      expect([name, await get(port, `/regex/${index}${query}`)]).toStrictEqual([
        name,
        { status: 200, body: 'matches' },
      ]);
      const other = `?v=${encodeURIComponent(`${value}x`)}`;
      expect([name, (await get(port, `/acl/${index}${other}`)).status]).toStrictEqual([name, 404]);
      expect([name, (await get(port, `/regex/${index}${other}`)).status]).toStrictEqual([name, 404]);
    }
  });

  it('and a server line is read as its address, IPv6 without brackets included', async () => {
    const config = path.join(directory, 'servers.cfg');
    const { pieces } = environment(
      `{{#backend "b"}}
{{server "v4" "192.0.2.1" 80 weight=0}}
{{server "v6" "fd00::10" 8080 disabled=true}}
{{server "local" "::1" 65535 weight=256 check=true inter="2s" cookie="c d"}}
{{server "name" "localhost" 1}}
{{/backend}}`,
      {},
    ).renderWhole('t');
    const [piece] = pieces;
    if (piece?.kind !== 'backend') throw new Error('a backend is expected');
    const socket = path.join(directory, 'socket');
    writeFileSync(
      config,
      `global
  stats socket ${socket} level admin
defaults
  timeout connect 1s
  timeout server 1s
${piece.backend.text}`,
    );
    haproxy?.kill('SIGKILL');
    haproxy = spawn(line.path, ['-db', '-f', config], { ...environmentOf(line), stdio: 'ignore' });
    await until(async () => (await command(socket, 'show servers state b')).includes('local'));
    const rows = (await command(socket, 'show servers state b'))
      .split('\n')
      .filter((row) => /^\d+ b /.test(row));
    // Columns of management.txt, "show servers state": name 4, address 5, administrative state 7, weight 8, port 19.
    const servers = rows.map((row) => row.split(' ')).map((cells) => [3, 4, 6, 7, 18].map((at) => cells[at]));
    // Maintenance by command (1), inherited from the configuration (4).
    const [disabled, enabled] = ['5', '0'];
    expect(servers).toStrictEqual([
      ['v4', '192.0.2.1', enabled, '0', '80'],
      ['v6', 'fd00::10', disabled, '1', '8080'],
      ['local', '::1', enabled, '256', '65535'],
      ['name', '127.0.0.1', enabled, '1', '1'],
    ]);
  });
});

function command(socket: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket, () => connection.end(`${text}\n`));
    let answer = '';
    connection.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    connection.on('end', () => resolve(answer));
    connection.on('error', reject);
  });
}

function environment(source: string, extraContext: Readonly<Record<string, unknown>>) {
  return createTemplateEnvironment({
    templates: [{ name: 't', document: 'config', source }],
    snippets: {},
    vocabulary: { collections: [], resources: {} },
    constants: { extraContext, capabilities: {} },
  });
}

function render(source: string, extraContext: Readonly<Record<string, unknown>>): string {
  return environment(source, extraContext)
    .renderWhole('t')
    .pieces.map((piece) => (piece.kind === 'text' ? piece.text : ''))
    .join('');
}

function environmentOf({ path: binary }: HaproxyLine) {
  return {
    env: { ...process.env, HOME: '/home/expanded', LD_LIBRARY_PATH: path.join(path.dirname(binary), 'lib') },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

function get(port: number, target: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path: target, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    call.on('error', reject);
    call.end();
  });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 400; i++) {
    if (await condition().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the condition did not come true');
}

describe('the hostile values', () => {
  it('cannot be printed as bare words', () => {
    for (const value of values)
      expect(() => render('{{extraContext.value}}', { value })).toThrow(/is not a bare word/);
  });
});
