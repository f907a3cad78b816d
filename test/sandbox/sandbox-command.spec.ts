import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, afterAll, describe, expect, test } from 'vitest';
import { bundle } from '../../scripts/bundle.ts';
import { eventually } from '../fixtures/haproxy-process.ts';

const root = join(import.meta.dirname, '../..');
let built: string;

beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), 'haptic-dist-'));
  await bundle({ haptic: join(root, 'src/main.ts') }, built);
  cpSync(join(root, 'charts/haptic/libraries'), join(built, 'libraries'), { recursive: true });
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function run(main: string, ...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: tmpdir(),
  });
  started.push(child);
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.err += chunk.toString()));
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  return { child, output, ended };
}

const fromSource = () => join(root, 'src/main.ts');
const fromBuild = () => join(built, 'haptic.js');

/** Every process whose command line names the sandbox's folder. */
function processesOf(folder: string): readonly string[] {
  return execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(folder));
}

const folderOf = (text: string) => /KUBECONFIG=(\/\S+)\/kubeconfig/.exec(text)?.[1];

describe.each([
  ['from source', fromSource],
  ['as built', fromBuild],
])('%s', (_, main) => {
  test('--once checks its sample, tells what it found, leaves nothing and ends with 0', async () => {
    const { output, ended } = run(main(), 'sandbox', '--once');
    const [code] = await ended;
    expect(output.err).toBe('');
    expect(code).toBe(0);
    expect(output.out).toContain('ok     HAProxy did not reload: 0 reloads\n');
    expect(output.out.match(/^ok /gm)).toHaveLength(5);
    expect(output.out).not.toContain('FAILED');
    const folder = folderOf(output.out)!;
    expect(existsSync(folder)).toBe(false);
    expect(processesOf(folder)).toStrictEqual([]);
  });
});

describe('the end of a sandbox', () => {
  const start = async () => {
    const sandbox = run(fromBuild(), 'sandbox');
    const folder = await eventually('it introduces itself', () => folderOf(sandbox.output.out));
    await eventually('HAProxy, agent and controller run', () =>
      processesOf(folder).length >= 4 ? true : undefined,
    );
    return { ...sandbox, folder };
  };

  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends all of it with exit code 0', async (signal) => {
    const { child, ended, folder, output } = await start();
    child.kill(signal);
    expect(await ended).toStrictEqual([0, null]);
    expect(output.err).toBe('');
    expect(existsSync(folder)).toBe(false);
    expect(processesOf(folder)).toStrictEqual([]);
  });

  test('SIGKILL leaves no process and no folder either', async () => {
    const { child, ended, folder } = await start();
    child.kill('SIGKILL');
    await ended;
    await eventually('all is gone', () =>
      processesOf(folder).length === 0 && !existsSync(folder) ? true : undefined,
    );
  });
});

describe('usage', () => {
  test.each([
    [['--http-port', '0'], '--http-port must be a port from 1 to 65535, not "0"'],
    [['--https-port', 'x'], '--https-port must be a port from 1 to 65535, not "x"'],
    [['--api-port', '65536'], '--api-port must be a port from 1 to 65535, not "65536"'],
    [['--nonsense'], "unknown option '--nonsense'"],
    [['--once', '--no-sample'], '--once checks the sample, so it cannot go with --no-sample'],
    [['/no/such/folder'], '/no/such/folder is no folder'],
  ])('%j is refused with exit code 2', async (args, message) => {
    const { output, ended } = run(fromBuild(), 'sandbox', ...args);
    expect((await ended)[0]).toBe(2);
    expect(output.err).toContain(message);
    expect(output.out).toBe('');
  });

  test('a HAProxy that does not run here fails with exit code 1', async () => {
    const { output, ended } = run(fromBuild(), 'sandbox', '--haproxy', '/no/such/haproxy');
    expect((await ended)[0]).toBe(1);
    expect(output.err).toBe('haptic sandbox: --haproxy /no/such/haproxy is no HAProxy that runs here\n');
  });

  test('--help, and the program without a command, tell how it is used', async () => {
    const help = run(fromBuild(), 'sandbox', '--help');
    expect((await help.ended)[0]).toBe(0);
    expect(help.output.out).toContain('--http-port PORT');
    const bare = run(fromBuild());
    expect((await bare.ended)[0]).toBe(0);
    expect(bare.output.out).toMatch(/^Usage: haptic COMMAND/);
    const wrong = run(fromBuild(), 'nonsense');
    expect((await wrong.ended)[0]).toBe(2);
    expect(wrong.output.err).toMatch(/^haptic: unknown command 'nonsense'\n/);
  });

  test('version is that of the package', async () => {
    const { output, ended } = run(fromBuild(), 'version');
    expect((await ended)[0]).toBe(0);
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(output.out).toBe(`haptic ${version}\n`);
  });

  test('a taken API port is an error that names it', async () => {
    const first = run(fromBuild(), 'sandbox');
    await eventually('it introduces itself', () => folderOf(first.output.out));
    const port = /^Kubernetes +https:\/\/127\.0\.0\.1:(\d+)/m.exec(first.output.out)![1]!;
    const second = run(fromBuild(), 'sandbox', '--api-port', port);
    expect((await second.ended)[0]).toBe(1);
    expect(second.output.err).toContain(`127.0.0.1:${port}`);
    first.child.kill('SIGTERM');
    await first.ended;
  });
});
