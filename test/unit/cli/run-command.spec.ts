import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { runControllerCommand } from '../../../src/cli/run.ts';

let folder: string;
let written: { stdout: string; stderr: string };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haptic-run-'));
  written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      written[name] += String(chunk);
      return true;
    });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

const credentials = { DATAPLANE_USERNAME: 'haptic', DATAPLANE_PASSWORD: 'secret' };
const run = (argv: readonly string[], env: Readonly<Record<string, string>> = credentials) =>
  runControllerCommand(argv, env, new AbortController().signal);

test('what is wrong with its flags or environment goes to stderr, with exit code 2', async () => {
  expect(await run(['--nonsense'])).toBe(2);
  expect(written.stderr).toContain("haptic run: Unknown option '--nonsense'");
  expect(await run(['--no-agent-tls'], {})).toBe(2);
  expect(written.stderr).toContain('DATAPLANE_USERNAME and DATAPLANE_PASSWORD must be set');
  expect(written.stdout).toBe('');
});

test('--help goes to stdout', async () => {
  expect(await run(['--help'])).toBe(0);
  expect(written.stdout).toMatch(/^usage: haptic run/);
});

test('--print-config prints what is in effect, values and defaults included, and starts nothing', async () => {
  const values = join(folder, 'values.yaml');
  await writeFile(values, 'dataplane: {port: 6000}\n');
  expect(await run(['--print-config', '--values', values], {})).toBe(0);
  expect(parse(written.stdout)).toMatchObject({
    dataplane: { port: 6000, driftPreventionInterval: '60s' },
    watchedResources: { ingresses: { apiVersion: 'networking.k8s.io/v1' } },
  });
});

test('--print-config of a configuration that is wrong says file and field, with exit code 1', async () => {
  const values = join(folder, 'values.yaml');
  await writeFile(values, 'dataplane: {port: 0}\n');
  expect(await run(['--print-config', '--values', values], {})).toBe(1);
  expect(written.stderr).toMatch(/^haptic run: .*values\.yaml.*dataplane\.port/s);
  expect(written.stdout).toBe('');
});

test('a HAProxy that does not run ends it with exit code 1 and one log line that names the flag', async () => {
  const main = join(import.meta.dirname, '../../../src/main.ts');
  const none = join(folder, 'none');
  const ended = promisify(execFile)(process.execPath, [main, 'run', '--haproxy', none], {
    env: { ...process.env, ...credentials },
  });
  const failure = (await ended.catch((error: unknown) => error)) as { code: number; stdout: string };
  expect(failure.code).toBe(1);
  expect(JSON.parse(failure.stdout)).toMatchObject({
    code: 'HAPTIC_ERR_CLI_HAPROXY',
    reason: expect.stringContaining(`--haproxy ${none} does not run`) as string,
    msg: 'controller failed',
  });
  expect(failure.stdout).not.toContain('secret');
});
