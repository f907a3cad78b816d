import { pino } from 'pino';
import { BehaviorSubject, NEVER } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { createAgentLogin } from '../../../src/cli/agent-login.ts';
import { agentCredentialsPart } from '../../../src/cli/controller/agent-credentials-part.ts';
import { createAgentPool } from '../../../src/fleet/agent-pool.ts';
import { loadKubeConfig } from '../../../src/kube/kube-config.ts';
import { kubeTransport } from '../../../src/kube/kube-transport.ts';
import { createApiServer } from '../../../src/sandbox/api/create-api-server.ts';
import type { World } from '../../../src/world/build-world.ts';
import type { ControllerRuntime } from '../../../src/world/controller-runtime.ts';
import { eventually } from '../../fixtures/haproxy-process.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const started = { username: 'env', password: 'env' };
const base64 = (text: string) => Buffer.from(text).toString('base64');

interface Ref {
  readonly name: string;
  readonly namespace?: string;
}

async function start(ref: Ref | undefined) {
  const server = await createApiServer();
  const folder = await mkdtemp(path.join(tmpdir(), 'haptic-credentials-'));
  const kubeconfigPath = path.join(folder, 'kubeconfig');
  await writeFile(kubeconfigPath, server.kubeconfig());
  const transport = kubeTransport(loadKubeConfig({ kubeconfigPath }));
  const worldOf = (credentialsSecretRef: Ref | undefined) =>
    ({ config: { credentialsSecretRef } }) as unknown as World;
  const world$ = new BehaviorSubject(worldOf(ref));
  const lines: string[] = [];
  const login = createAgentLogin(started);
  const subscription = agentCredentialsPart(login)({
    world$,
    identity: { namespace: 'default', name: 'web', isObject: true },
    transport,
    stop$: NEVER,
    log: pino({ base: null }, { write: (line: string) => void lines.push(line) }),
    metrics: { watchDegraded: { set: () => undefined, remove: () => undefined } },
    onFatal: (error: unknown) => {
      throw error;
    },
  } as unknown as ControllerRuntime);
  cleanups.push(
    () => rm(folder, { recursive: true }),
    () => server.close(),
    () => transport.close(),
    () => subscription.unsubscribe(),
  );
  const write = async (method: 'POST' | 'PUT' | 'DELETE', name: string, password = '') => {
    const secrets = '/api/v1/namespaces/default/secrets';
    const result = await transport.request({
      method,
      path: method === 'POST' ? secrets : `${secrets}/${name}`,
      body: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name },
        data: { dataplane_username: base64('admin'), dataplane_password: base64(password) },
      },
    });
    if (!result.ok) throw new Error(JSON.stringify(result.failure));
    await result.value.body.text();
  };
  const password = (wanted: string) =>
    eventually(`the password is ${wanted}`, () => (login.access.password === wanted ? true : undefined));
  const told = (words: string) =>
    eventually(words, () => (lines.some((line) => line.includes(words)) ? true : undefined));
  return {
    login,
    lines,
    write,
    password,
    told,
    configure: (next: Ref | undefined) => world$.next(worldOf(next)),
  };
}

describe('credentials of agents', () => {
  it('are those of the environment where the configuration names no Secret', async () => {
    const { login, told } = await start(undefined);
    await told('"fromSecret":false');
    expect({ ...login.access }).toStrictEqual(started);
  });

  it('follow the Secret that the configuration names, through rotation and change of name', async () => {
    const { write, password, told, configure, lines } = await start({ name: 'login' });
    await told('there is no Secret default/login');
    await write('POST', 'login', 'one');
    await password('one');
    await write('PUT', 'login', 'two');
    await password('two');
    await write('POST', 'other', 'three');
    configure({ name: 'other', namespace: 'default' });
    await password('three');
    configure(undefined);
    await password('env');
    expect(lines.join('')).not.toMatch(/"(one|two|three)"/);
  });

  it('stay when the Secret goes', async () => {
    const { login, write, password, told } = await start({ name: 'login' });
    await told('there is no Secret default/login');
    await write('POST', 'login', 'one');
    await password('one');
    await write('DELETE', 'login');
    await told('credentials of the agents are not usable');
    expect(login.access.password).toBe('one');
  });

  it('are sent as they are at the time of the request', async () => {
    const login = createAgentLogin(started);
    const pool = createAgentPool(login.access);
    const sent = () =>
      Buffer.from((pool.headers['authorization'] ?? '').slice('Basic '.length), 'base64').toString();
    expect(sent()).toBe('env:env');
    login.set({ username: 'a', password: 'b' });
    expect(sent()).toBe('a:b');
    login.set(undefined);
    expect(sent()).toBe('env:env');
    await pool.close();
  });
});
