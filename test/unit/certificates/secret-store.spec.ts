import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultPolicy } from '../../../src/certificates/certificate-policy.ts';
import { renewCertificates } from '../../../src/certificates/renew-certificates.ts';
import { secretStore } from '../../../src/certificates/secret-store.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type KubeClient, kubeClient } from '../../../src/kube/kube-client.ts';
import { loadKubeConfig } from '../../../src/kube/kube-config.ts';
import { type KubeTransport, kubeTransport } from '../../../src/kube/kube-transport.ts';
import { type ApiServer } from '../../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../../src/sandbox/api/create-api-server.ts';
import { certificatesCommand } from '../../../src/cli/certificates-command.ts';
import { callOf } from '../cli/values-of.ts';

let folder: string;
let api: ApiServer;
let transport: KubeTransport;
let client: KubeClient;
let kubeconfig: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'haptic-secrets-'));
  api = await createApiServer({ port: 0 });
  kubeconfig = path.join(folder, 'kubeconfig');
  await writeFile(kubeconfig, api.kubeconfig());
  transport = kubeTransport(loadKubeConfig({ kubeconfigPath: kubeconfig }));
  client = kubeClient(transport);
});
afterEach(async () => {
  await transport.close();
  await api.close();
  await rm(folder, { recursive: true });
});

const ref = { apiVersion: 'v1', resources: 'secrets', namespace: 'default' };
const names = { issuer: 'issuer', server: 'agents', client: 'controller' };
const renew = (using = client) =>
  renewCertificates({
    store: secretStore(using, { namespace: 'default', names }),
    policy: defaultPolicy,
    now: Date.now,
  });
const secret = async (name: string) => {
  const result = await client.get(ref, name);
  if (!result.ok) throw new Error(`no Secret ${name}`);
  return result.value as unknown as {
    metadata: { labels?: object; annotations?: object };
    type?: string;
    data: Record<string, string>;
  };
};

describe('certificates in Secrets', () => {
  it('are of the type for TLS, and what volumes then hold', async () => {
    await renew();
    const agents = await secret('agents');
    expect(agents.type).toBe('kubernetes.io/tls');
    expect(Object.keys(agents.data).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
    expect(Buffer.from(agents.data['tls.crt'] ?? '', 'base64').toString()).toMatch(/^-----BEGIN CERTIFICATE/);
    expect((await secret('issuer')).data['ca.crt']).toBe(agents.data['ca.crt']);
    expect(await renew()).toEqual([]);
  });

  it('are written once by runs at the same time', async () => {
    const runs = await Promise.all([renew(), renew(), renew()]);
    expect(runs.flat().filter(({ holder }) => holder === 'issuer')).toHaveLength(1);
    const [issuer, agents, controller] = await Promise.all(['issuer', 'agents', 'controller'].map(secret));
    expect(agents?.data['ca.crt']).toBe(issuer?.data['ca.crt']);
    expect(controller?.data['ca.crt']).toBe(issuer?.data['ca.crt']);
  });

  it('fill an empty Secret and leave its labels and annotations', async () => {
    const metadata = { name: 'agents', labels: { team: 'edge' }, annotations: { note: 'x' } };
    await client.create(ref, { apiVersion: 'v1', kind: 'Secret', metadata });
    await renew();
    const agents = await secret('agents');
    expect(agents.metadata.labels).toMatchObject({
      team: 'edge',
      'haproxy-haptic.org/certificates': 'managed',
    });
    expect(agents.metadata.annotations).toEqual({ note: 'x' });
    expect(agents.data).toHaveProperty(['tls.key']);
  });

  it('do not replace what somebody else put there', async () => {
    const data = { 'tls.crt': 'eA==', 'tls.key': 'eA==' };
    await client.create(ref, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'agents' }, data });
    await expect(renew()).rejects.toMatchObject({
      code: 'HAPTIC_ERR_CERTIFICATES_FOREIGN',
      message: expect.stringContaining('Secret default/agents') as string,
    });
    expect((await secret('agents')).data).toEqual(data);
  });

  it('that cannot be written are an error with the API’s words', async () => {
    const refusing: KubeClient = {
      ...client,
      create: () =>
        Promise.resolve({
          ok: false,
          failure: { kind: 'http', status: 403, reason: 'Forbidden', message: 'secrets is forbidden' },
        }),
    };
    await expect(renew(refusing)).rejects.toMatchObject({
      code: 'HAPTIC_ERR_CERTIFICATES_STORE',
      message: 'Secret default/issuer cannot be written: 403 Forbidden: secrets is forbidden',
    });
  });

  it('are made by the command, which shows no key', async () => {
    const run = (...argv: string[]) =>
      callOf(certificatesCommand, ['--namespace', 'default', '--kubeconfig', kubeconfig, ...argv]);
    const [first, second] = [await run(), await run('--output', 'json')];
    expect([first.code, second.code]).toStrictEqual([0, 0]);
    expect(first.out).toMatch(/authority written: there was none; valid until/);
    expect(second.out).toBe('[]\n');
    expect(JSON.stringify([first, second])).not.toMatch(/PRIVATE|BEGIN/);
    expect(Object.keys((await secret('haptic-controller-tls')).data)).toContain('tls.key');
  });
});
