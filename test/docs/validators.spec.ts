import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { templateConfigSchema } from '../../src/api/template-config-schema.ts';
import { askSocket } from '../../src/gate/ask-socket.ts';
import { createValidator } from '../../src/gate/create-validator.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { makePlan } from '../fixtures/make-plan.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/validators.md'), 'utf8');
const blockOf = (language: string): string =>
  new RegExp('```' + language + '\\n([\\s\\S]*?)```').exec(page)?.[1] ?? '';

describe('docs/validators.md', () => {
  let folder: string;
  let program: ChildProcess;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'haptic-validator-'));
    const script = path.join(folder, 'require-checks.mjs');
    const socket = path.join(folder, 'v.sock');
    writeFileSync(script, blockOf('js'));
    program = spawn(process.execPath, [script, socket], { stdio: 'inherit' });
    await eventually('it listens', () => (existsSync(socket) ? true : undefined));
  });
  afterAll(() => {
    program.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const config = () =>
    loadConfig([{ name: 'page', text: blockOf('yaml') + '\nhaproxyConfig: {template: x}\n' }]).validators[0]!;

  it('has an example that refuses and accepts as it says', async () => {
    const validator = createValidator({ ...config(), socketPath: path.join(folder, 'v.sock') }, askSocket);
    const server = { name: 's', address: '10.0.0.1', port: 80 };
    const checked = { ...server, extra: [{ name: 'check', args: [] }] };
    const good = makePlan({ backends: { a: { servers: [checked] } } });
    const bad = makePlan({ backends: { a: { servers: [checked] }, b: { servers: [server] } } });
    expect(await firstValueFrom(validator.check(good))).toEqual([]);
    expect(await firstValueFrom(validator.check(bad))).toMatchObject([
      {
        severity: 'alert',
        message: 'server without check',
        file: 'haproxy.cfg',
        validator: 'require-checks',
      },
    ]);
  });

  it('names every field of the configuration, with its default', () => {
    const { properties } = templateConfigSchema.properties.validators.items;
    const rows = [...page.matchAll(/^\| `(\w+)` +\| .* \| +(?:`(.*)`)? *\|$/gm)].map(([, name, value]) => [
      name,
      value,
    ]);
    const documented = Object.fromEntries(
      rows.map(([name = '', value]) => [name, value === undefined ? undefined : parse(value)]),
    );
    const defaults = Object.entries(properties).map(([name, schema]) => [
      name,
      'default' in schema ? schema.default : undefined,
    ]);
    expect(documented).toEqual(Object.fromEntries(defaults));
  });
});
