import path from 'node:path';
import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../../..');
const importRules = ['boundaries/dependencies', 'no-restricted-imports'];
const eslint = new ESLint({ cwd: root, ruleFilter: ({ ruleId }) => importRules.includes(ruleId) });

/** Which rules about imports a module at this place would break. */
async function broken(file: string, imported: string): Promise<readonly (string | null)[]> {
  const text = `import { x } from '${imported}';\nexport const y = x;\n`;
  const results = await eslint.lintText(text, { filePath: path.join(root, file) });
  return results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => ruleId ?? message));
}

describe('lint', { timeout: 120_000 }, () => {
  it.each([
    ['src/lib/owner.ts', '../protocol/plan.ts'],
    ['src/collections/node.ts', '../operators/taps.ts'],
    ['src/plan/diff.ts', '../gate/create-gate.ts'],
    ['src/sinks/deliver.ts', '../streams/reflect.ts'],
    ['src/server/health.ts', '../cli/run.ts'],
    ['src/agent/agent.ts', '../kube/kube-config.ts'],
    ['src/agent/agent.ts', '../fleet/agent-client.ts'],
    ['src/fleet/agent-client.ts', '../agent/agent.ts'],
  ])('does not let %s import %s', async (file, imported) => {
    expect(await broken(file, imported)).toStrictEqual(['boundaries/dependencies']);
  });

  it.each([
    ['src/render/layout.ts', '../pipeline.ts'],
    ['src/fleet/agent-client.ts', '@kubernetes/client-node'],
    ['src/sandbox/start-sandbox.ts', '@kubernetes/client-node'],
  ])('does not let %s reach for %s', async (file, imported) => {
    expect(await broken(file, imported)).toContain('no-restricted-imports');
  });

  it.each([
    ['src/sinks/deliver.ts', '../plan/diff.ts'],
    ['src/pipeline.ts', './sinks/deliver.ts'],
    ['src/agent/agent.ts', '../protocol/wire.ts'],
    ['src/cli/agent.ts', '../agent/agent.ts'],
    ['src/kube/kube-config.ts', '@kubernetes/client-node'],
  ])('lets %s import %s', async (file, imported) => {
    expect(await broken(file, imported)).toStrictEqual([]);
  });
});
