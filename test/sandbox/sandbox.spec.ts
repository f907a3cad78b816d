import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { eventually } from '../fixtures/haproxy-process.ts';
import { createKubectl, type Kubectl, skipKubectl } from '../fixtures/kubectl.ts';

let sandbox: Sandbox;
let folder: string;
const reports: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'haptic-manifests-'));
  sandbox = await startSandbox({
    env: process.env,
    folders: [folder],
    maxGraceMs: 1_000,
    report: (line) => reports.push(line),
  });
});
afterAll(async () => {
  await sandbox.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly pod: string | undefined;
}

/** One request through HAProxy on a connection of its own; status 0 when nobody listens. */
function ask(host: string, path = '/'): Promise<Answer> {
  return new Promise((resolve) => {
    const refused = () => resolve({ status: 0, pod: undefined });
    const request = http.get(`${sandbox.httpUrl}${path}`, { headers: { host }, agent: false }, (response) => {
      response.resume();
      response.on('error', refused);
      response.on('end', () => {
        const pod = response.headers['x-echo-pod'];
        resolve({ status: response.statusCode ?? 0, pod: typeof pod === 'string' ? pod : undefined });
      });
    });
    request.on('error', refused);
  });
}

const served = (host: string, path?: string) =>
  eventually(`${host} is served`, async () => ((await ask(host, path)).status === 200 ? true : undefined));

/** Pods that answer: asked often enough that a round robin shows each several times. */
async function answering(host: string): Promise<ReadonlySet<string>> {
  const answers = [];
  for (let i = 0; i < 30; i++) answers.push(await ask(host));
  return new Set(answers.map(({ pod, status }) => pod ?? `status ${status}`));
}

/** Does `work` while requests go on without a pause; gives every answer that was not 200. */
async function underLoad(host: string, work: () => Promise<unknown>): Promise<readonly Answer[]> {
  const failures: Answer[] = [];
  const stopping = new AbortController();
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      const answer = await ask(host);
      if (answer.status !== 200) failures.push(answer);
      await sleep(1);
    }
  })();
  try {
    await work();
  } finally {
    stopping.abort();
    await loop;
  }
  return failures;
}

const haproxyPod = async () =>
  firstValueFrom(sandbox.api.client.get('v1/pods', { namespace: 'haptic', name: 'haproxy-0' }));

const ingress = (name: string, host: string) => `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: ${name} }
spec:
  rules:
    - host: ${host}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend: { service: { name: echo, port: { number: 80 } } }
`;

test('the sample answers through HAProxy', async () => {
  await served('echo.localhost');
  expect(await answering('echo.localhost')).toHaveProperty('size', 2);
});

test('a host without a route is 404', async () => {
  await served('echo.localhost');
  expect((await ask('nobody.localhost')).status).toBe(404);
});

describe.skipIf(skipKubectl)('with kubectl', () => {
  let kubectl: Kubectl;
  beforeAll(async () => {
    kubectl = await createKubectl(sandbox.api.kubeconfig());
  });
  afterAll(() => kubectl.close());

  test('scaling up and down changes who answers, fails no request and reloads nothing', async () => {
    await served('echo.localhost');
    const reloads = await sandbox.haproxy.reloads();
    const failures = await underLoad('echo.localhost', async () => {
      for (const replicas of [5, 1, 2]) {
        await kubectl.ok(['scale', 'deployment/echo', `--replicas=${replicas}`]);
        await kubectl.ok(['rollout', 'status', 'deployment/echo', '--timeout=60s']);
        await eventually(`${replicas} pods answer`, async () =>
          (await answering('echo.localhost')).size === replicas ? true : undefined,
        );
      }
    });
    expect(failures).toStrictEqual([]);
    expect(await sandbox.haproxy.reloads()).toBe(reloads);
  });

  test('a restarted rollout replaces every pod and fails no request', async () => {
    await served('echo.localhost');
    const before = await answering('echo.localhost');
    const failures = await underLoad('echo.localhost', async () => {
      await kubectl.ok(['rollout', 'restart', 'deployment/echo']);
      await kubectl.ok(['rollout', 'status', 'deployment/echo', '--timeout=60s']);
      await eventually('only new pods answer', async () =>
        [...(await answering('echo.localhost'))].some((pod) => before.has(pod)) ? undefined : true,
      );
    });
    expect(failures).toStrictEqual([]);
  });

  test('a template taken up again by rollout undo is the same ReplicaSet as before', async () => {
    const current = () =>
      kubectl.ok([
        'get',
        'pods',
        '-l',
        'app.kubernetes.io/name=echo',
        '-o',
        'jsonpath={.items[*].metadata.labels.pod-template-hash}',
      ]);
    const hashes = async () => new Set((await current()).split(' '));
    const rollout = async (...args: string[]) => {
      await kubectl.ok([...args]);
      await kubectl.ok(['rollout', 'status', 'deployment/echo', '--timeout=60s']);
      return eventually('the old pods are gone', async () => {
        const now = await hashes();
        return now.size === 1 ? now : undefined;
      });
    };
    const first = await rollout('scale', 'deployment/echo', '--replicas=2');
    const second = await rollout('set', 'image', 'deployment/echo', 'echo=echo:2');
    expect(second).not.toStrictEqual(first);
    expect(await rollout('rollout', 'undo', 'deployment/echo')).toStrictEqual(first);
    expect(await kubectl.ok(['rollout', 'history', 'deployment/echo'])).toMatch(/REVISION/);
  });

  test('an applied Ingress is served, and gone again when it is deleted', async () => {
    await kubectl.ok(['apply', '-f', '-'], ingress('shop', 'shop.localhost'));
    await served('shop.localhost');
    await kubectl.ok(['delete', 'ingress', 'shop']);
    await eventually('it is gone', async () =>
      (await ask('shop.localhost')).status === 404 ? true : undefined,
    );
  });

  test('a pod that says it is not ready gets no requests, and is back when it is', async () => {
    await served('echo.localhost');
    await eventually('two pods answer', async () =>
      (await answering('echo.localhost')).size === 2 ? true : undefined,
    );
    const [pod = ''] = await answering('echo.localhost');
    const annotate = (value: string) =>
      kubectl.ok(['annotate', 'pod', pod, '--overwrite', `sandbox.haproxy-haptic.org/ready${value}`]);
    await annotate('=false');
    await eventually('it gets no requests', async () =>
      (await answering('echo.localhost')).has(pod) ? undefined : true,
    );
    await annotate('-');
    await eventually('it is back', async () =>
      (await answering('echo.localhost')).has(pod) ? true : undefined,
    );
  });

  test('a lone pod is run as well, and a port that is taken is told', async () => {
    await kubectl.ok(['run', 'lone', '--image=any', '--port=9876']);
    await kubectl.ok(['wait', '--for=condition=Ready', 'pod/lone', '--timeout=60s']);
    const ip = await kubectl.ok(['get', 'pod', 'lone', '-o', 'jsonpath={.status.podIP}']);
    expect(await (await fetch(`http://${ip}:9876/`)).json()).toMatchObject({
      pod: 'lone',
      container: 'lone',
    });
    await kubectl.ok(['delete', 'pod', 'lone']);

    const taken = http.createServer().listen(0, '0.0.0.0');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { port: number };
    await kubectl.ok(['run', 'barred', '--image=any', `--port=${port}`]);
    await eventually('the pod says why it does not run', async () => {
      const path = 'jsonpath={.status.containerStatuses[0].state.waiting.message}';
      const message = await kubectl.ok(['get', 'pod', 'barred', '-o', path]);
      return message.includes('EADDRINUSE') ? true : undefined;
    });
    await new Promise((resolve) => taken.close(resolve));
    await kubectl.ok(['wait', '--for=condition=Ready', 'pod/barred', '--timeout=60s']);
    await kubectl.ok(['delete', 'pod', 'barred', '--now']);
  });
});

test('a killed HAProxy is started again on what it served, and its pod says so', async () => {
  await served('echo.localhost');
  const before = sandbox.haproxy.restarts();
  const pid = sandbox.haproxy.pid()!;
  process.kill(pid, 'SIGKILL');
  await eventually('it was started again', () =>
    sandbox.haproxy.restarts() > before && sandbox.haproxy.pid() !== pid ? true : undefined,
  );
  await served('echo.localhost');
  const status = await eventually('the pod is ready again', async () => {
    const { containerStatuses = [] } = (await haproxyPod())['status'] as {
      containerStatuses?: readonly Record<string, unknown>[];
    };
    return containerStatuses.every((c) => c['ready'] === true) ? containerStatuses : undefined;
  });
  expect(status.find((c) => c['name'] === 'haproxy')).toMatchObject({
    restartCount: before + 1,
    lastState: { terminated: { exitCode: 137 } },
  });
});

test('a killed agent is started again, and changes reach HAProxy after it', async () => {
  await served('echo.localhost');
  const before = sandbox.agent.restarts();
  process.kill(sandbox.agent.pid()!, 'SIGKILL');
  writeFileSync(join(folder, 'after-agent.yaml'), ingress('after-agent', 'after-agent.localhost'));
  await served('after-agent.localhost');
  expect(sandbox.agent.restarts()).toBeGreaterThan(before);
});

test('a killed controller is started again, and catches up', async () => {
  const before = sandbox.controller.restarts();
  process.kill(sandbox.controller.pid()!, 'SIGKILL');
  writeFileSync(
    join(folder, 'after-controller.yaml'),
    ingress('after-controller', 'after-controller.localhost'),
  );
  await served('after-controller.localhost');
  expect(sandbox.controller.restarts()).toBeGreaterThan(before);
});

test('a deleted HAProxy pod is replaced by a new one that serves the same', async () => {
  await served('echo.localhost');
  const { uid } = (await haproxyPod()).metadata;
  await firstValueFrom(sandbox.api.client.delete('v1/pods', { namespace: 'haptic', name: 'haproxy-0' }));
  await eventually('a new pod is there', async () =>
    (await haproxyPod()).metadata.uid === uid ? undefined : true,
  );
  await served('echo.localhost');
});

test('a lost connection to the API loses nothing', async () => {
  await served('echo.localhost');
  sandbox.api.faults.closeConnections();
  writeFileSync(join(folder, 'after-loss.yaml'), ingress('after-loss', 'after-loss.localhost'));
  await served('after-loss.localhost');
  expect((await ask('echo.localhost')).status).toBe(200);
});

test('manifests of a folder are applied, edits followed, and what left is deleted', async () => {
  const file = join(folder, 'site.yaml');
  writeFileSync(file, `${ingress('one', 'one.localhost')}---${ingress('two', 'two.localhost')}`);
  await served('one.localhost');
  await served('two.localhost');
  writeFileSync(file, ingress('one', 'uno.localhost'));
  await served('uno.localhost');
  await eventually('the old host and the other object are gone', async () =>
    (await ask('one.localhost')).status === 404 && (await ask('two.localhost')).status === 404
      ? true
      : undefined,
  );
  rmSync(file);
  await eventually('all of it is gone', async () =>
    (await ask('uno.localhost')).status === 404 ? true : undefined,
  );
});

test('a bad file is reported by name, loses nothing and hinders no other', async () => {
  const file = join(folder, 'shaky.yaml');
  writeFileSync(file, ingress('steady', 'steady.localhost'));
  await served('steady.localhost');
  writeFileSync(file, `${ingress('steady', 'changed.localhost')}---\nfoo: [\n`);
  await eventually('it is reported', () =>
    reports.find((line) => line.startsWith('shaky.yaml: line ')) === undefined ? undefined : true,
  );
  writeFileSync(file, 'foo: [\n');
  writeFileSync(join(folder, 'other.yaml'), ingress('other', 'other.localhost'));
  await served('other.localhost');
  expect((await ask('changed.localhost')).status).toBe(200);
});

test('an object that is refused is reported, and applied once what it needs is there', async () => {
  const widget = 'apiVersion: example.org/v1\nkind: Widget\nmetadata: { name: w }\nspec: { size: 3 }\n';
  writeFileSync(join(folder, 'widget.yaml'), widget);
  await eventually('it is reported', () =>
    reports.find((line) => line.startsWith('widget.yaml: Widget w: ')) === undefined ? undefined : true,
  );
  writeFileSync(
    join(folder, 'widget-crd.yaml'),
    `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.org }
spec:
  group: example.org
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget, listKind: WidgetList }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: { type: object, properties: { size: { type: integer } } } }
`,
  );
  const widgetOf = () =>
    firstValueFrom(sandbox.api.client.get('example.org/v1/widgets', { namespace: 'default', name: 'w' }));
  expect(await eventually('it is applied', widgetOf)).toMatchObject({ spec: { size: 3 } });
});

test('a second sandbox runs beside the first', async () => {
  const second = await startSandbox({ env: process.env });
  try {
    expect(second.httpUrl).not.toBe(sandbox.httpUrl);
    const host = { host: 'echo.localhost' };
    await eventually('it serves', async () => {
      const response = await fetch(second.httpUrl, { headers: host });
      return response.status === 200 || response.status === 404 ? true : undefined;
    });
  } finally {
    await second.stop();
  }
  await sleep(0);
  await served('echo.localhost');
});
