import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { librariesPath } from '../../../src/cli/libraries-path.ts';
import { readConfig } from '../../../src/cli/read-config.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haptic-config-'));
});
afterEach(() => rm(folder, { recursive: true }));

const shipped = librariesPath(new URL('../../../src/cli/run.ts', import.meta.url).href);

describe('readConfig', () => {
  it('reads the shipped libraries, in which a change is never made to wait', async () => {
    const { watchedResources, haproxyConfig } = await readConfig(shipped, []);
    expect(Object.keys(watchedResources).sort()).toEqual([
      'endpointslices',
      'ingressclasses',
      'ingresses',
      'secrets',
      'services',
    ]);
    expect(Object.values(watchedResources).map(({ debounceInterval }) => debounceInterval)).toEqual(
      Array(5).fill('0'),
    );
    expect(haproxyConfig.template).toContain('frontend http');
  });

  it('merges the libraries in the order of their names, then the values as they are given', async () => {
    const contextOf = (name: string) =>
      `templatingSettings: {extraContext: {last: ${name}, ${name}: true}}\n`;
    await writeFile(join(folder, 'b.yaml'), contextOf('b'));
    await writeFile(join(folder, 'a.yaml'), `${contextOf('a')}haproxyConfig: {template: global}\n`);
    await writeFile(join(folder, 'README.md'), 'no library');
    await writeFile(join(folder, 'z.yml'), 'no: library');
    expect((await readConfig(folder, [])).templatingSettings.extraContext).toEqual({
      last: 'b',
      a: true,
      b: true,
    });
    const values = join(folder, 'values');
    await writeFile(values, contextOf('c'));
    expect((await readConfig(folder, [values])).templatingSettings.extraContext).toMatchObject({ last: 'c' });
  });

  it('names the path that cannot be read', async () => {
    const missing = join(folder, 'missing');
    await expect(readConfig(missing, [])).rejects.toMatchObject({
      code: 'HAPTIC_ERR_CONFIG_READ',
      message: expect.stringContaining(missing) as string,
    });
    await expect(readConfig(folder, [])).rejects.toThrow(`${folder}: no *.yaml in this folder`);
    await expect(readConfig(shipped, [missing])).rejects.toMatchObject({
      code: 'HAPTIC_ERR_CONFIG_READ',
      message: expect.stringContaining(missing) as string,
    });
  });

  it('names file and field of what is wrong', async () => {
    const values = join(folder, 'values.yaml');
    await writeFile(values, 'dataplane: {port: 0}\n');
    await expect(readConfig(shipped, [values])).rejects.toMatchObject({
      code: 'HAPTIC_ERR_CONFIG_INVALID',
      message: expect.stringMatching(/values\.yaml.*dataplane\.port/s) as string,
    });
  });
});
