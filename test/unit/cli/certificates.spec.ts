import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { certificatesCommand } from '../../../src/cli/certificates-command.ts';
import { isRecord } from '../../../src/lib/is-record.ts';
import type { ApiServer } from '../../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../../src/sandbox/api/create-api-server.ts';
import { callOf } from './values-of.ts';

let folder: string;
let api: ApiServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'haptic-certificates-'));
  api = await createApiServer({ port: 0 });
  writeFileSync(join(folder, 'kubeconfig'), api.kubeconfig());
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

const certificates = (...argv: readonly string[]) =>
  callOf(certificatesCommand, [
    ...['--kubeconfig', join(folder, 'kubeconfig'), '--namespace', 'default'],
    ...['--server-name', 'agents.example', '--client-name', 'controller.example'],
    ...['--self-signed-secret', 'self-signed', '-o', 'json', ...argv],
  ]);
const certificateIn = async (name: string) => {
  const secret = await firstValueFrom(api.client.get('v1/secrets', { namespace: 'default', name }));
  return isRecord(secret['data']) ? secret['data']['tls.crt'] : undefined;
};

it('makes all of them, and nothing where nothing is due', async () => {
  const holders = (out: string) => (JSON.parse(out) as { holder: string }[]).map(({ holder }) => holder);
  expect(holders((await certificates()).out)).toEqual(['issuer', 'server', 'client', 'fallback']);
  expect(holders((await certificates()).out)).toEqual([]);
});

it('renews the self-signed one while those of agents cannot be, and says what is wrong with these', async () => {
  await certificates('--rotate');
  const former = await certificateIn('self-signed');
  expect(former).toBeDefined();
  // The rotation before is not over.
  const { code, err } = await certificates('--rotate');
  expect(code).not.toBe(0);
  expect(err).toContain('rotate again after that');
  expect(await certificateIn('self-signed')).not.toBe(former);
});
