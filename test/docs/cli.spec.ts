import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cliCommands } from '../../src/cli/cli-commands.ts';
import { sandboxConfig } from '../../src/sandbox/system-config.ts';
import { systemNamespace } from '../../src/sandbox/system-objects.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/start-sandbox.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/cli.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] ?? '');

test('every command has its section, with every flag', () => {
  for (const { name, options } of cliCommands) {
    const section = page.split(`\n### ${name}\n`)[1]?.split('\n### ')[0];
    expect(section, name).toBeDefined();
    for (const flag of Object.keys(options)) expect(section).toContain(`--${flag}`);
  }
});

describe('the tasks of the page, against a sandbox', () => {
  let sandbox: Sandbox;
  let home: string;
  const outputs: string[] = [];

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'haptic-cli-'));
    const program = join(home, 'haptic');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'src/main.ts')}' "$@"\n`);
    chmodSync(program, 0o755);
    sandbox = await startSandbox({ env: process.env });
  });
  afterAll(async () => {
    await sandbox.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const run = (script: string) =>
    promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      timeout: 150_000,
      cwd: home,
      env: {
        PATH: `${home}${delimiter}${process.env['PATH'] ?? ''}`,
        HOME: home,
        KUBECONFIG: sandbox.kubeconfigPath,
        HAPTIC_DEBUG: `${sandbox.controllerUrl}/debug`,
        POD_NAMESPACE: systemNamespace,
        CRD_NAME: sandboxConfig.name,
        HAPTIC_CONTROLLER_TLS_DIR: sandbox.agentTlsDir,
        HAPTIC_HAPROXY: sandbox.haproxy.path,
      },
    });

  test('the controller brings its pod to a first configuration', async () => {
    const wanted = 'haptic tap deployments --filter converged=1 --limit 1 --for 60s';
    await expect
      .poll(async () => (await run(wanted).catch(() => ({ stdout: '' }))).stdout, {
        timeout: 120_000,
        interval: 500,
      })
      .not.toBe('');
  });

  test.each(blocks.map((script, i) => [i + 1, script] as const))('block %i: %s', async (_, script) => {
    const { stdout } = await run(script);
    outputs.push(stdout);
  });

  test('show what they promise', () => {
    expect(outputs).toHaveLength(blocks.length);
    const [taps, graph, change, pods, folders, doctor, , crds] = outputs;
    expect(taps).toMatch(/^config$/m);
    expect(taps).toMatch(/^\{"pod\.key":"haptic\/haproxy-0","mode":"\w+","reasons":/m);
    expect(graph).toMatch(/^flowchart LR\n/);
    expect(change).toMatch(
      /^before\.yaml -> after\.yaml: reload, HAProxy reloads\n {2}reason: [^]*\n--- a\/haproxy\.cfg\n\+\+\+ b\/haproxy\.cfg\n/,
    );
    expect(pods).toMatch(/^haptic\/haproxy-0: reload, /m);
    expect(pods).toMatch(/^haptic\/haproxy-0: noop, nothing changes\n$/m);
    expect(folders).toMatch(/^haproxyConfig: after\.yaml\/haproxyConfig\n[^]*verdict: reload/);
    expect(doctor).toMatch(/^ok +kubernetes /m);
    expect(doctor).toMatch(/^ok +pods +haptic\/haproxy-0 answers: agent /m);
    expect(doctor).not.toMatch(/^FAILED/m);
    expect(crds).toMatch(/unchanged \(dry run\)\n[^]*unchanged\n/);
  });

  test('the bundle of the page has all of its parts, and no private key', () => {
    const file = join(home, 'haptic-doctor.zip');
    expect(existsSync(file)).toBe(true);
    const files = Object.entries(unzipSync(readFileSync(file)));
    expect(files.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'findings.json',
        'live/haproxy.cfg',
        'pods/haptic/haproxy-0/state.json',
        'taps/fleet.json',
      ]),
    );
    for (const [, bytes] of files) expect(strFromU8(bytes)).not.toContain('PRIVATE KEY');
  });

  test('the sandbox prints what the page uses', () => {
    const printed = readFileSync(join(root, 'src/cli/sandbox.ts'), 'utf8');
    for (const name of ['HAPTIC_DEBUG', 'POD_NAMESPACE', 'CRD_NAME', 'HAPTIC_CONTROLLER_TLS_DIR'])
      expect(printed).toContain(`${name}=`);
  });
});
