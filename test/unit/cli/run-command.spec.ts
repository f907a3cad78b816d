import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../../../src/cli/run-command.ts';
import { callOf } from './values-of.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haptic-run-'));
});
afterEach(() => rm(folder, { recursive: true }));

const credentials = { DATAPLANE_USERNAME: 'haptic', DATAPLANE_PASSWORD: 'secret' };
const run = (argv: readonly string[], env: Readonly<Record<string, string>> = credentials) =>
  callOf(runCommand, argv, { env });

test('what is wrong with its flags or environment goes to stderr, with exit code 2', async () => {
  const unknown = await run(['--nonsense']);
  expect(unknown).toMatchObject({ code: 2, out: '' });
  expect(unknown.err).toContain("haptic run: unknown option '--nonsense'");
  const lacking = await run(['--no-agent-tls'], {});
  expect(lacking).toMatchObject({ code: 2, out: '' });
  expect(lacking.err).toContain('DATAPLANE_USERNAME and DATAPLANE_PASSWORD must be set');
});

test('--help goes to stdout', async () => {
  const { code, out } = await run(['--help']);
  expect(code).toBe(0);
  expect(out).toMatch(/^Usage: haptic run/);
});

test('--print-config prints what is in effect, values and defaults included, and starts nothing', async () => {
  const values = join(folder, 'values.yaml');
  await writeFile(values, 'dataplane: {port: 6000}\n');
  const { code, out } = await run(['--print-config', '--values', values], {});
  expect(code).toBe(0);
  expect(parse(out)).toMatchObject({
    dataplane: { port: 6000, driftPreventionInterval: '60s' },
    watchedResources: { ingresses: { apiVersion: 'networking.k8s.io/v1' } },
  });
});

test('--print-config of a configuration that is wrong says file and field, with exit code 1', async () => {
  const values = join(folder, 'values.yaml');
  await writeFile(values, 'dataplane: {port: 0}\n');
  const { code, out, err } = await run(['--print-config', '--values', values], {});
  expect(code).toBe(1);
  expect(err).toMatch(/^haptic run: .*values\.yaml.*dataplane\.port/s);
  expect(out).toBe('');
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
