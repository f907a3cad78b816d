import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../../../scripts/bundle.ts';

const root = join(import.meta.dirname, '../../..');
let outputs: Metafile['outputs'];

beforeAll(async () => {
  const result = await bundle({ haptic: join(root, 'src/main.ts') }, 'dist', { write: false });
  outputs = result.metafile.outputs;
});

/** What is loaded together with the chunk of `entryPoint`: its own sources and those of all that it imports statically. */
function sourcesOf(entryPoint: string): readonly string[] {
  const seen = new Set<string>();
  const visit = (name: string) => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const { path, kind } of outputs[name]?.imports ?? [])
      if (kind === 'import-statement' && path in outputs) visit(path);
  };
  const start = Object.keys(outputs).find((name) => outputs[name]?.entryPoint === entryPoint);
  expect(start, `a chunk of ${entryPoint}`).toBeDefined();
  visit(start!);
  return [...seen].flatMap((name) => Object.keys(outputs[name]?.inputs ?? {}));
}

const isKubernetes = (source: string) => /@kubernetes\/client-node|^src\/kube\//.test(source);

describe('the agent', () => {
  test('loads its own code and no Kubernetes code', () => {
    const sources = sourcesOf('src/cli/serve-agent.ts');
    expect(sources.some((source) => source.startsWith('src/agent/'))).toBe(true);
    expect(sources.filter(isKubernetes)).toStrictEqual([]);
  });

  test.each(['main', 'cli/agent', 'cli/serve-agent'])('%s loads nothing of the others either', (name) => {
    const foreign =
      /^src\/(?!agent|protocol|lib|cli|main)|node_modules\/(rxjs|undici|handlebars|@peculiar|yaml|commander)\//;
    expect(sourcesOf(`src/${name}.ts`).filter((source) => foreign.test(source))).toStrictEqual([]);
  });

  test('is asked by code that loads nothing of it, since probes and hooks start it anew each time', () => {
    const heavy = /^src\/agent\/|node_modules\/(fastify|ajv|prom-client)\//;
    expect(sourcesOf('src/cli/ask-agent.ts').filter((source) => heavy.test(source))).toStrictEqual([]);
  });
});

test('the controller loads the credentials of client-node and none of its generated models', () => {
  const sources = sourcesOf('src/cli/run.ts');
  expect(sources.filter(isKubernetes).length).toBeGreaterThan(0);
  expect(sources.filter((source) => source.includes('client-node/dist/gen/'))).toStrictEqual([]);
});

test('what decides on the command loads none of them', () => {
  const commands = /^src\/(agent|sandbox|kube|streams|render|server)\//;
  expect(sourcesOf('src/main.ts').filter((source) => commands.test(source))).toStrictEqual([]);
});

test('nothing is left to be found in node_modules at run time', () => {
  const external = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter((one) => one.external === true),
  );
  const packages = external.map((one) => one.path).filter((path) => !path.startsWith('node:'));
  expect(packages.filter((path) => !isBuiltinModule(path))).toStrictEqual([]);
});

function isBuiltinModule(path: string): boolean {
  return process.getBuiltinModule(path) !== undefined;
}
