import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { loadKubeConfig } from '../../../src/kube/kube-config.ts';

let dir = '';

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'haptic-kube-config-'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true, force: true });
});

interface Parts {
  readonly cluster?: Readonly<Record<string, unknown>>;
  readonly user?: Readonly<Record<string, unknown>>;
  readonly name?: string;
  readonly namespace?: string;
}

async function kubeconfig(file: string, ...parts: readonly Parts[]): Promise<string> {
  const path = join(dir, file);
  const named = parts.map((part, index) => ({ ...part, name: part.name ?? `c${index}` }));
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': named[0]?.name,
    clusters: named.map(({ name, cluster }) => ({
      name,
      cluster: { server: `https://${name}.test:6443/`, ...cluster },
    })),
    users: named.map(({ name, user }) => ({ name, user: user ?? {} })),
    contexts: named.map(({ name, namespace }) => ({
      name,
      context: { cluster: name, user: name, namespace },
    })),
  };
  await writeFile(path, stringify(content));
  return path;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('loadKubeConfig: kubeconfig files', () => {
  it('give server, namespace, token and TLS material of the current context', async () => {
    const kubeconfigPath = await kubeconfig('config', {
      cluster: { 'certificate-authority-data': base64('CA'), 'tls-server-name': 'api.test' },
      user: { token: 't1', 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
      namespace: 'edge',
    });
    const credentials = loadKubeConfig({ kubeconfigPath });
    expect(credentials.server).toBe('https://c0.test:6443');
    expect(credentials.namespace).toBe('edge');
    expect(await credentials.connection()).toEqual({
      server: 'https://c0.test:6443',
      headers: { Authorization: 'Bearer t1' },
      tls: { ca: 'CA', cert: 'CERT', key: 'KEY', servername: 'api.test', skipVerify: false },
    });
  });

  it('give another context when asked for', async () => {
    const kubeconfigPath = await kubeconfig('config', {}, { cluster: { 'insecure-skip-tls-verify': true } });
    const connection = await loadKubeConfig({ kubeconfigPath, context: 'c1' }).connection();
    expect(connection).toEqual({ server: 'https://c1.test:6443', headers: {}, tls: { skipVerify: true } });
  });

  it('give basic authentication and impersonation', async () => {
    const kubeconfigPath = await kubeconfig('config', {
      user: { username: 'u', password: 'p', as: 'somebody' },
    });
    const { headers } = await loadKubeConfig({ kubeconfigPath }).connection();
    expect(headers).toEqual({ Authorization: `Basic ${base64('u:p')}`, 'Impersonate-User': 'somebody' });
  });

  it('may name a server without TLS', async () => {
    const kubeconfigPath = await kubeconfig('config', { cluster: { server: 'http://127.0.0.1:8001' } });
    expect((await loadKubeConfig({ kubeconfigPath }).connection()).server).toBe('http://127.0.0.1:8001');
  });

  it('are merged as KUBECONFIG lists them, the earlier one first, missing ones left out', async () => {
    const first = await kubeconfig('first', { name: 'a', user: { token: 'of-first' } });
    const second = await kubeconfig('second', { name: 'b' }, { name: 'a', user: { token: 'of-second' } });
    const kubeconfigPath = [join(dir, 'missing'), first, second].join(delimiter);
    const { headers } = await loadKubeConfig({ kubeconfigPath }).connection();
    expect(headers).toEqual({ Authorization: 'Bearer of-first' });
    expect(loadKubeConfig({ kubeconfigPath, context: 'b' }).server).toBe('https://b.test:6443');
  });

  it('are read anew when rebuilt, and kept when that fails', async () => {
    const kubeconfigPath = await kubeconfig('config', { user: { token: 't1' } });
    const credentials = loadKubeConfig({ kubeconfigPath });
    await kubeconfig('config', { user: { token: 't2' } });
    expect((await credentials.connection()).headers).toEqual({ Authorization: 'Bearer t1' });
    credentials.rebuild();
    expect((await credentials.connection()).headers).toEqual({ Authorization: 'Bearer t2' });
    await rm(kubeconfigPath);
    expect(() => credentials.rebuild()).toThrow(`kubeconfig not found: ${kubeconfigPath}`);
    expect((await credentials.connection()).headers).toEqual({ Authorization: 'Bearer t2' });
  });

  it('run an exec plugin once, and again when rebuilt', async () => {
    const plugin = join(dir, 'plugin');
    const credential = (token: string): string =>
      JSON.stringify({
        apiVersion: 'client.authentication.k8s.io/v1',
        kind: 'ExecCredential',
        status: { token },
      });
    const answer = async (token: string): Promise<void> => {
      await writeFile(plugin, `#!/bin/sh\necho '${credential(token)}'\n`);
      await chmod(plugin, 0o755);
    };
    await answer('e1');
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin, interactiveMode: 'Never' };
    const credentials = loadKubeConfig({ kubeconfigPath: await kubeconfig('config', { user: { exec } }) });
    const token = async (): Promise<unknown> => (await credentials.connection()).headers['Authorization'];
    expect(await token()).toBe('Bearer e1');
    await answer('e2');
    expect(await token()).toBe('Bearer e1');
    credentials.rebuild();
    expect(await token()).toBe('Bearer e2');
    await writeFile(plugin, '#!/bin/sh\necho nope >&2\nexit 3\n');
    credentials.rebuild();
    await expect(token()).rejects.toThrow('nope');
  });
});

describe('loadKubeConfig: in a cluster', () => {
  it('uses the service account, whose token is trimmed', async () => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', 'fd00::1');
    vi.stubEnv('KUBERNETES_SERVICE_PORT', '443');
    const account = join(dir, 'var/run/secrets/kubernetes.io/serviceaccount');
    await mkdir(account, { recursive: true });
    await writeFile(join(account, 'token'), 'sa-token\n');
    await writeFile(join(account, 'ca.crt'), 'CA');
    await writeFile(join(account, 'namespace'), 'haptic');
    for (const options of [{ inCluster: true, rootDir: dir }, { rootDir: dir }]) {
      const credentials = loadKubeConfig(options);
      expect(credentials.namespace).toBe('haptic');
      expect(await credentials.connection()).toEqual({
        server: 'https://[fd00::1]:443',
        headers: { Authorization: 'Bearer sa-token' },
        tls: { ca: 'CA', skipVerify: false },
      });
    }
  });

  it('says when it is in none', () => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', undefined);
    vi.stubEnv('KUBERNETES_SERVICE_PORT', undefined);
    expect(() => loadKubeConfig({ inCluster: true, rootDir: dir })).toThrow('not in a pod');
  });
});

describe('loadKubeConfig: what cannot be used', () => {
  const failure = (options: Parameters<typeof loadKubeConfig>[0]): unknown => {
    try {
      loadKubeConfig(options);
      return 'nothing thrown';
    } catch (error) {
      return error;
    }
  };

  it('is said with the file, context or server that is wrong', async () => {
    const good = await kubeconfig('good', { name: 'a' }, { name: 'b' });
    const cases: [Parameters<typeof loadKubeConfig>[0], string][] = [
      [{ kubeconfigPath: join(dir, 'none') }, `kubeconfig not found: ${join(dir, 'none')}`],
      [{ kubeconfigPath: good, context: 'c' }, 'context "c" is not in the kubeconfig; it has: a, b'],
      [
        { kubeconfigPath: await kubeconfig('server', { cluster: { server: 'not a url' } }) },
        'cluster.server of context "c0" is not a URL: "not a url"',
      ],
      [
        { kubeconfigPath: await kubeconfig('proxy', { cluster: { 'proxy-url': 'socks5://p:1' } }) },
        'cluster "c0" has a proxy-url, which is not supported',
      ],
    ];
    for (const [options, message] of cases)
      expect(failure(options)).toMatchObject({ code: 'HAPTIC_ERR_KUBE_CONFIG', message });
  });

  it('is said of a file that is no kubeconfig, without its content', async () => {
    const kubeconfigPath = join(dir, 'bad');
    await writeFile(kubeconfigPath, 'users: [ {token: s3cret');
    const error = failure({ kubeconfigPath });
    expect(error).toMatchObject({ code: 'HAPTIC_ERR_KUBE_CONFIG' });
    expect(String(error)).toContain(kubeconfigPath);
    expect(String(error)).not.toContain('s3cret');
  });
});
