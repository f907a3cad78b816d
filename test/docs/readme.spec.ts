import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { skipKubectl } from '../fixtures/kubectl.ts';

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The fenced blocks of one language, in order. */
function blocks(language: string): readonly string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    (match) => match[1] ?? '',
  );
}

test('there are two set-up commands, and the script knows both', () => {
  expect(blocks('console')).toStrictEqual(['./dev sandbox\n./dev test\n']);
  const help = execFileSync(join(root, 'dev'), ['help'], { encoding: 'utf8' });
  for (const command of ['sandbox', 'test']) expect(help).toMatch(new RegExp(`^  ${command} `, 'm'));
});

test('an unknown command of the script is a usage error', async () => {
  const run = promisify(execFile)(join(root, 'dev'), ['nonsense']);
  await expect(run).rejects.toMatchObject({ code: 2 });
});

test('every linked page is there', () => {
  const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1] ?? '');
  expect(links.length).toBeGreaterThan(3);
  for (const link of links) expect(existsSync(join(root, link)), link).toBe(true);
});

describe.skipIf(skipKubectl)('the first walk', () => {
  let sandbox: Sandbox;
  let home: string;
  const walk = blocks('sh');
  const outputs: string[] = [];

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'haptic-walk-'));
    sandbox = await startSandbox({ env: process.env });
  });
  afterAll(async () => {
    await sandbox.stop();
    rmSync(home, { recursive: true, force: true });
  });

  test.each(walk.map((script, i) => [i + 1, script] as const))('step %i: %s', async (_, script) => {
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      timeout: 120_000,
      cwd: home,
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        KUBECONFIG: sandbox.kubeconfigPath,
        HAPTIC_URL: sandbox.httpUrl,
        HAPTIC_DEBUG: `${sandbox.controllerUrl}/debug`,
      },
    });
    expect(stdout).not.toBe('');
    outputs.push(stdout);
  });

  test('shows what it promises', async () => {
    expect(outputs).toHaveLength(walk.length);
    expect(outputs[1]).toMatch(/"pod":"hello-/);
    expect(outputs[2]!.match(/^pod: hello-\S+$/gm)).toHaveLength(5);
    expect(outputs[3]).toMatch(/deliveries/);
    expect(outputs.at(-1)).toMatch(/deleted/);
    const answer = await fetch(sandbox.httpUrl);
    expect([404, 503]).toContain(answer.status);
  });

  test('uses what the sandbox prints', () => {
    const printed = readFileSync(join(root, 'src/cli/sandbox.ts'), 'utf8');
    for (const name of ['KUBECONFIG', 'HAPTIC_URL', 'HAPTIC_DEBUG']) expect(printed).toContain(`${name}=`);
  });
});
