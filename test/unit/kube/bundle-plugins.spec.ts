import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { kubeConfigOnly } from '../../../scripts/bundle-plugins.ts';

let dir = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'haptic-bundle-'));
});

afterAll(() => rm(dir, { recursive: true, force: true }));

describe('the bundle of the Kubernetes credentials', () => {
  it('has none of the API models and connections of the client library, and still reads a kubeconfig', async () => {
    const outfile = join(dir, 'out.mjs');
    const { metafile } = await build({
      stdin: {
        contents: `import { loadKubeConfig } from './src/kube/kube-config.ts';
          const credentials = loadKubeConfig({ kubeconfigPath: process.argv[2] });
          process.stdout.write(JSON.stringify(await credentials.connection()));`,
        resolveDir: process.cwd(),
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
      metafile: true,
      plugins: [kubeConfigOnly],
    });
    const inputs = Object.keys(metafile.inputs);
    expect(inputs.some((path) => path.endsWith('client-node/dist/config.js'))).toBe(true);
    expect(
      inputs.filter((path) => /client-node\/dist\/gen|\/(undici|socks|hpagent|ws|tar-fs)\//.test(path)),
    ).toEqual([]);

    const kubeconfig = join(dir, 'config');
    await writeFile(
      kubeconfig,
      stringify({
        'current-context': 'c',
        clusters: [{ name: 'c', cluster: { server: 'https://api.test' } }],
        users: [{ name: 'u', user: { token: 't' } }],
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      }),
    );
    const { stdout } = await promisify(execFile)(process.execPath, [outfile, kubeconfig]);
    expect(JSON.parse(stdout)).toEqual({
      server: 'https://api.test',
      headers: { Authorization: 'Bearer t' },
      tls: { skipVerify: false },
    });
  });
});
