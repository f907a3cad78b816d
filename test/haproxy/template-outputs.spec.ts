import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import tls from 'node:tls';
import { NEVER, firstValueFrom, timeout } from 'rxjs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { createAgentClient } from '../../src/fleet/agent-client.ts';
import { singleWriter } from '../../src/fleet/single-writer.ts';
import { createSlots } from '../../src/operators/create-slots.ts';
import type { DeliveryReport } from '../../src/protocol/delivery-report.ts';
import type { HaproxyPod } from '../../src/protocol/pod.ts';
import { createDelivery } from '../../src/sinks/deliver.ts';
import { createPlanCache } from '../../src/sinks/plan-cache.ts';
import { createPodBook } from '../../src/sinks/pod-book.ts';
import { createPodReader } from '../../src/sinks/read-pod.ts';
import { buildWorld, type World } from '../../src/world/build-world.ts';
import { expectOnDisk } from '../fixtures/expect-on-disk.ts';
import { useAgentScene } from '../fixtures/agent-scene.ts';
import { podOf } from '../fixtures/delivery-reports.ts';
import { allAtOnce, fakeTiming } from '../fixtures/fake-pod.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { freeAddress } from '../fixtures/haproxy-process.ts';
import { type EchoPool, startEchoPool } from '../fixtures/ingress-traffic.ts';
import { ingress, ingressClass, objectKey } from '../fixtures/kube-objects.ts';
import { createTlsPool, type TlsPool } from '../fixtures/oracle/tls-pool.ts';
import { rawRequest } from '../fixtures/raw-http.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

const written = ({ host, port }: Address): string => `${host}:${port}`;

/** Everything that templates can print beside the shipped libraries, each with something that shows it. */
const configOf = (http: Address, status: Address, pages: Address) => ({
  podSelector: { matchLabels: { app: 'haproxy' } },
  templatingSettings: {
    extraContext: {
      httpBind: written(http),
      statusBind: written(status),
      pagesBind: written(pages),
      maxconn: 500,
      nbthread: 1,
    },
  },
  watchedResources: Object.fromEntries(
    ['teams', 'words', 'keys', 'notes', 'certs'].map((name) => [
      name,
      { apiVersion: 'v1', resources: 'configmaps', labelSelector: `is=${name}` },
    ]),
  ),
  haproxyConfig: {
    postProcessing: [{ type: 'regex_replace', params: { pattern: 'draft of ', replace: '' } }],
  },
  templateSnippets: {
    'global-top-400-cache': { template: 'cache pages\n    total-max-size 4\n' },
    'global-top-500-teams': {
      template: `{{#forEach resources.teams as |t|}}
{{#once t.data.team}}
userlist team_{{t.data.team}}
    user someone insecure-password {{t.data.password}}
{{/once}}
{{/forEach}}
`,
    },
    'backend-directives-500-team': {
      template: `    http-request auth unless { http_auth(team_red) }
    http-request set-header x-backend {{quoted backend.name}}
`,
    },
    'frontends-500-pages': {
      template: `{{#forEach resources.words as |w|}}{{collect "words" w.data.topic w.data.word}}{{/forEach}}

frontend pages from haptic-frontend
    bind {{extraContext.pagesBind}} ssl crt-list {{path "crt-list" "site.txt"}}
    http-request return status 200 content-type text/plain lf-string "%[var(txn.found)]" if { path_beg /keys/ } { path,map({{path "map" "keys.map"}},none),set-var(txn.found) -m found }
    http-request return status 200 content-type text/plain file {{path "file" "live.txt"}} if { path /live }
    http-request return status 200 content-type text/plain file {{path "file" "late.txt"}} if { path /late }
{{#forEach collected.words as |c|}}
    http-request return status 200 content-type text/plain string {{quoted (join c.values " ")}} if { path {{quoted (concat "/words/" c.key)}} }
{{/forEach}}
`,
    },
  },
  maps: {
    'keys.map': {
      ordered: false,
      template:
        '{{#forEach resources.keys as |k|}}\n/keys/{{k.metadata.name}} {{k.data.value}}\n{{/forEach}}\n',
      postProcessing: [{ type: 'regex_replace', params: { pattern: 'raw-', replace: '' } }],
    },
  },
  files: {
    'live.txt': { template: '{{#forEach resources.notes as |n|}}{{{n.data.live}}}{{/forEach}}' },
    'late.txt': {
      reloadOnPush: false,
      template: '{{#forEach resources.notes as |n|}}{{{n.data.late}}}{{/forEach}}',
    },
  },
  sslCertificates: Object.fromEntries(
    ['site', 'wild'].map((name) => [
      `${name}.pem`,
      {
        template: `{{#forEach resources.certs as |c|}}{{#if (eq c.metadata.name "${name}")}}{{{c.data.pem}}}{{/if}}{{/forEach}}`,
      },
    ]),
  ),
  crtLists: {
    'site.txt': {
      template: `ssl/site.pem
{{#forEach resources.certs as |c|}}
{{#if c.data.host}}
ssl/{{c.metadata.name}}.pem {{c.data.host}}
{{/if}}
{{/forEach}}
`,
    },
  },
});

const configMap = (name: string, data: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop' },
  data,
});

const basic = (user: string) => `Basic ${Buffer.from(user).toString('base64')}`;

let echoes: EchoPool;
let pool: TlsPool;
beforeAll(async () => {
  echoes = await startEchoPool('a');
  pool = await createTlsPool();
});
afterAll(() => echoes.stop());

describeEachLine('what templates print', (line) => {
  const scene = useAgentScene(line);
  let http: Address;
  let pages: Address;
  let world: World;
  let send: () => Promise<DeliveryReport>;

  const pem = (at: number): string => {
    const leaf = pool.leaves[at];
    if (leaf === undefined) throw new Error(`the pool has no certificate ${at}`);
    return `${leaf.cert}\n${leaf.chain}\n${leaf.key}\n`;
  };
  const certificate = (at: number) => new X509Certificate(pool.leaves[at]?.cert ?? '').fingerprint256;
  const put = (store: string, ...objects: readonly KubeObject[]) => {
    for (const object of objects) world.stores.get(store)?.set(objectKey(object), object);
  };

  beforeEach(async () => {
    [http, pages] = [await freeAddress(), await freeAddress()];
    const libraries = ['base', 'ingress'].map((name) => ({
      name,
      text: readFileSync(
        path.resolve(import.meta.dirname, `../../charts/haptic/libraries/${name}.yaml`),
        'utf8',
      ),
    }));
    const own = JSON.stringify(configOf(http, await freeAddress(), pages));
    const config = loadConfig([...libraries, { name: 'own', text: own }]);
    world = buildWorld({ config, constants: {} });
    const client = createAgentClient({ username: 'admin', password: 'secret' });
    const plans = createPlanCache(4);
    const book = createPodBook(plans);
    const deliver = createDelivery({
      client,
      readPod: createPodReader({
        client,
        plans,
        book,
        decodePlan: () => Promise.resolve(undefined),
        onDivergence: () => undefined,
      }),
      epoch: singleWriter(),
      plans,
      book,
      isAccepted: () => true,
      blobOf: () => undefined,
      slots: createSlots({ total: 1, suspects: 1 }),
      slices: allAtOnce,
      random: () => 0,
      timing: { ...fakeTiming, syncTimeout: 20_000, deploymentTimeout: 20_000 },
    });
    const pod: HaproxyPod = {
      ...podOf('ns/p'),
      address: '127.0.0.1',
      port: Number(new URL(scene().harness.url).port),
    };
    send = () => {
      world.graph.advance();
      const bundle = world.renderer.bundle();
      expect(bundle.problems.map(({ message }) => message)).toStrictEqual([]);
      return firstValueFrom(deliver({ kind: 'deliver', pod, epoch: 0, bundle }, NEVER).pipe(timeout(25_000)));
    };
    for (const object of echoes.objects)
      put(object.kind === 'Service' ? 'services' : 'endpointslices', object);
    put('ingressclasses', ingressClass());
    put('ingresses', ingress({ rules: [{ host: 'a.example', paths: [{ path: '/', service: 'a' }] }] }));
    put(
      'teams',
      configMap('one', { team: 'red', password: 'first' }),
      configMap('two', { team: 'red', password: 'second' }),
      configMap('three', { team: 'blue', password: 'third' }),
    );
    put(
      'words',
      configMap('x', { topic: 'sea', word: 'salt' }),
      configMap('y', { topic: 'land', word: 'sand' }),
      configMap('z', { topic: 'sea', word: 'draft of wave' }),
    );
    put('keys', configMap('one', { value: 'raw-1' }));
    put('notes', configMap('note', { live: 'live 1', late: 'late 1' }));
    put(
      'certs',
      configMap('site', { pem: pem(0) }),
      configMap('wild', { pem: pem(4), host: '*.wild.example' }),
    );
    expect(await send()).toMatchObject({ mode: 'reload', converged: true });
    return () => world.dispose();
  });

  /** What is answered over TLS, and with which certificate. */
  const page = async (target: string, servername = 'a.example') => {
    const socket = tls.connect({ ...pages, servername, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.end(`GET ${target} HTTP/1.0\r\n\r\n`);
    let text = '';
    for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString();
    return { certificate: fingerprint256, body: text.slice(text.indexOf('\r\n\r\n') + 4) };
  };
  const changed = async (mode: 'runtime' | 'file_only' | 'reload') => {
    const [before, reloads] = [await scene().haproxy.workerPid(), await scene().haproxy.reloads()];
    expect(await send()).toMatchObject({ mode, converged: true });
    const isReload = mode === 'reload';
    expect((await scene().haproxy.workerPid()) !== before).toBe(isReload);
    expect(await scene().haproxy.reloads()).toBe(reloads + (isReload ? 1 : 0));
  };
  const ask = (authorization?: string) =>
    rawRequest(http, {
      host: 'a.example',
      headers: authorization === undefined ? [] : [`Authorization: ${authorization}`],
    });
  const inBase = (name: string) => path.join(scene().haproxy.baseDir, name);

  it('serves what extension points, once, collect and post-processing make', async () => {
    expect(await scene().haproxy.cli('show cache')).toContain('pages');
    expect((await ask()).status).toBe(401);
    // Of two that name the team, the first one in order of print makes it.
    expect((await ask(basic('someone:second'))).status).toBe(401);
    expect((await ask(basic('someone:third'))).status).toBe(401);
    const { status, body } = await ask(basic('someone:first'));
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ headers: { 'x-backend': 'shop_a_80' } });
    expect((await page('/words/sea')).body).toBe('salt wave');
    expect((await page('/words/land')).body).toBe('sand');
    expect((await page('/keys/one')).body).toBe('1');
  });

  it('takes an entry of an unordered map, changed or new, without a reload', async () => {
    put('keys', configMap('one', { value: 'raw-2' }), configMap('two', { value: 'new' }));
    await changed('runtime');
    expect((await page('/keys/one')).body).toBe('2');
    expect((await page('/keys/two')).body).toBe('new');
    await expect
      .poll(async () => (await readFile(inBase('maps/keys.map'), 'utf8')).split('\n').sort())
      .toStrictEqual(['', '/keys/one 2', '/keys/two new']);
    world.stores.get('keys')?.delete('shop/two');
    await changed('runtime');
    expect((await page('/keys/two')).body).toBe('none');
  });

  it('writes a file with reloadOnPush false and leaves HAProxy alone, and reloads for any other', async () => {
    put('notes', configMap('note', { live: 'live 1', late: 'late 2' }));
    await changed('file_only');
    await expectOnDisk(inBase('general/late.txt'), 'late 2');
    expect((await page('/late')).body).toBe('late 1');
    put('notes', configMap('note', { live: 'live 2', late: 'late 2' }));
    await changed('reload');
    expect((await page('/live')).body).toBe('live 2');
    expect((await page('/late')).body).toBe('late 2');
  });

  it('renews a certificate, and changes a crt-list, without a reload', async () => {
    expect((await page('/live')).certificate).toBe(certificate(0));
    expect((await page('/live', 'x.wild.example')).certificate).toBe(certificate(4));
    put('certs', configMap('site', { pem: pem(1) }));
    await changed('runtime');
    expect((await page('/live')).certificate).toBe(certificate(1));
    put('certs', configMap('wild', { pem: pem(4), host: 'y.wild.example' }));
    await changed('runtime');
    expect((await page('/live', 'y.wild.example')).certificate).toBe(certificate(4));
    expect((await page('/live', 'x.wild.example')).certificate).toBe(certificate(1));
    await expectOnDisk(inBase('ssl/site.txt'), 'ssl/site.pem\nssl/wild.pem y.wild.example\n');
  });

  it('reloads for what only a reload can change', async () => {
    put('words', configMap('x', { topic: 'sea', word: 'fish' }));
    await changed('reload');
    expect((await page('/words/sea')).body).toBe('fish wave');
    // The next one of the team makes it when the first one goes.
    world.stores.get('teams')?.delete('shop/one');
    await changed('reload');
    expect((await ask(basic('someone:first'))).status).toBe(401);
    expect((await ask(basic('someone:second'))).status).toBe(200);
  });
});
