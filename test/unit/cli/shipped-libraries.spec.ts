import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { shippedLibraries } from '../../../src/cli/shipped-libraries.ts';
import { resolveConfig } from '../../../src/config/resolve-config.ts';

describe('shippedLibraries', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'haptic-libraries-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const put = (name: string, text: string) => writeFile(path.join(folder, name), text);

  it('are the files of a folder under their names, in the version of the program', async () => {
    await put('site.yaml', 'templateSnippets: {a: {template: x}}\n');
    await put('base.yaml', 'maps: {}\n');
    await put('README.md', '# no library\n');
    expect(await shippedLibraries(folder)).toEqual([
      { name: 'base', revision: manifest.version, spec: { maps: {} } },
      { name: 'site', revision: manifest.version, spec: { templateSnippets: { a: { template: 'x' } } } },
    ]);
  });

  it('may be objects, which have the name that they say, in the version of the program all the same', async () => {
    await put(
      'file.yaml',
      `apiVersion: haproxy-haptic.org/v1alpha1
kind: HAProxyTemplateLibrary
metadata: {name: mine}
spec: {revision: "7", maps: {}}
---
apiVersion: haproxy-haptic.org/v1alpha1
kind: HAProxyTemplateConfig
metadata: {name: not-a-library}
spec: {}
`,
    );
    expect(await shippedLibraries(folder)).toEqual([
      { name: 'mine', revision: manifest.version, spec: { maps: {} } },
    ]);
  });

  it('say what cannot be read, with file and line', async () => {
    await put('base.yaml', 'maps: {}\nmaps: {}\n');
    await put('site.yaml', '- 1\n');
    await expect(shippedLibraries(folder)).rejects.toMatchObject({
      code: 'HAPTIC_ERR_CONFIG_INVALID',
      message: expect.stringMatching(/base\.yaml: .*line 2[^]*site\.yaml: an object is expected/) as string,
    });
    await expect(shippedLibraries(path.join(folder, 'none'))).rejects.toMatchObject({
      code: 'HAPTIC_ERR_CONFIG_READ',
    });
  });

  it('of this program can all be referred to', async () => {
    const shipped = await shippedLibraries(
      path.resolve(import.meta.dirname, '../../../charts/haptic/libraries'),
    );
    const libraryRefs = shipped.map(({ name }) => ({ name, revision: manifest.version }));
    const podSelector = { matchLabels: { app: 'haproxy' } };
    expect(libraryRefs.map(({ name }) => name)).toContain('base');
    expect(
      resolveConfig({ name: 'all', spec: { libraryRefs, podSelector }, libraries: [], shipped }),
    ).toMatchObject({ ok: true });
  });
});
