import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { templateConfigStatusSchema } from '../../src/api/schema/template-config-status-schema.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { loadStages } from '../../src/world/load-report.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { describeWithKubectl } from '../fixtures/kubectl.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
const blocksOf = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp('```' + language + '\\n([\\s\\S]*?)```', 'g'))].map((match) => match[1] ?? '');
const firstColumn = (heading: string): readonly string[] => {
  const section = page.slice(page.indexOf(heading));
  const rows = section.slice(0, section.indexOf('\n\n', section.indexOf('| ---')));
  return [...rows.matchAll(/^\| `(\w+)`/gm)].map((match) => match[1] ?? '');
};

describe('docs/configuration.md', () => {
  it('names the stages in their order', () => {
    expect(firstColumn('| stage ')).toEqual(loadStages);
  });

  it('names every reason of the condition', () => {
    const { description } = templateConfigStatusSchema.properties.conditions;
    const reasons = [...new Set([...page.matchAll(/^\| `\w+` +\| `(\w+)`/gm)].map((match) => match[1]))];
    for (const reason of description.match(
      /ValidationSucceeded|ConfigInvalid|HAProxyValidationFailed|LoadGateFailed/g,
    ) ?? [])
      expect(reasons).toContain(reason);
  });
});

describeWithKubectl('the examples of docs/configuration.md', () => {
  let sandbox: Sandbox;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'haptic-configuration-'));
    const line = newestHaproxyLine();
    sandbox = await startSandbox({ env: process.env, ...(line && { haproxy: line.path }) });
    writeFileSync(path.join(folder, 'hello.yaml'), blocksOf('yaml')[0] ?? '');
  }, 120_000);
  afterAll(async () => {
    await sandbox.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = async (commands: string) => {
    const { stdout } = await promisify(execFile)('sh', ['-e', '-c', commands], {
      cwd: folder,
      env: {
        ...process.env,
        HOME: folder,
        KUBECONFIG: sandbox.kubeconfigPath,
        HAPTIC_URL: sandbox.httpUrl,
        HAPTIC_DEBUG: `${sandbox.controllerUrl}/debug`,
      },
    });
    return stdout;
  };

  it('do what the page says, in its order', async () => {
    const [add = '', wrong = '', repair = '', ...others] = blocksOf('sh');
    expect(others).toEqual([]);
    const first =
      'kubectl wait -n haptic haproxytemplateconfig/haproxy-config --for=condition=Validated --timeout=60s';
    await run(first);
    expect(await run(withPatience(add))).toContain('hello');
    const place = (blocksOf('text')[0] ?? '').trim();
    expect(await run(wrong)).toContain(place);
    expect(await run(`curl -s $HAPTIC_URL/hello`)).toBe('hello');
    expect(await run(withPatience(repair))).toContain('hello');
  }, 240_000);
});

/** The status is written before every pod has the change. */
function withPatience(commands: string): string {
  return commands.replace(
    /^(curl .*)$/m,
    'for i in $(seq 200); do $1 | tee out; grep -q "^hello" out && break; sleep 0.1; done',
  );
}
