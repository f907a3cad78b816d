import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { diffCommand } from '../../../src/cli/diff-command.ts';
import { compareFiles } from '../../../src/cli/diff/compare-files.ts';
import { parsePlace } from '../../../src/cli/diff/place.ts';
import { readObjects } from '../../../src/cli/diff/read-objects.ts';
import { runWithTurns } from '../../../src/lib/run-with-turns.ts';
import { encodePlan } from '../../../src/plan/encode-plan.ts';
import type { Plan } from '../../../src/protocol/plan.ts';
import type { AgentState } from '../../../src/protocol/wire.ts';
import type { ApiServer } from '../../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../../src/sandbox/api/create-api-server.ts';
import { planWithoutPasswords } from '../../../src/sinks/publish/plan-without-passwords.ts';
import { stateOf } from '../../fixtures/fake-pod.ts';
import { makePlan } from '../../fixtures/make-plan.ts';
import { callOf } from './values-of.ts';

/** A small configuration of its own: what it prints is all in sight. */
const library = `
haproxyConfig:
  template: |
    {{#section "global"}}global
      maxconn {{extraContext.maxconn}}
    {{/section}}
    {{#section "defaults"}}defaults
      mode http
      timeout connect 1s
      timeout client 1s
      timeout server 1s
    {{/section}}
    {{#section "frontend http"}}frontend http
      bind :80
      use_backend %[path,map(maps/path.map)]
    {{/section}}
    {{#forEach resources.services as |s|}}
    {{mapEntry "maps/path.map" (mapKey s.metadata.name) (mapValue s.spec.type)}}
    {{/forEach}}
templatingSettings: {extraContext: {maxconn: 100}}
watchedResources:
  services: {apiVersion: v1, resources: services, indexBy: [metadata.namespace, metadata.name]}
podSelector: {matchLabels: {app: haproxy}}
validationTests:
  _global:
    fixtures: {services: [{metadata: {name: everywhere, namespace: a}, spec: {type: ClusterIP}}]}
  one: {fixtures: {services: [{metadata: {name: web, namespace: a}, spec: {type: NodePort}}]}, assertions: [{type: contains, target: haproxy.cfg, pattern: a}]}
  two: {assertions: [{type: contains, target: haproxy.cfg, pattern: a}]}
`;
const service = (name: string, type = 'ClusterIP') =>
  `apiVersion: v1\nkind: Service\nmetadata: {name: ${name}, namespace: shop}\nspec: {type: ${type}}\n`;

let folder: string;
let api: ApiServer;
let kubeconfig: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'haptic-diff-'));
  api = await createApiServer({ port: 0 });
  kubeconfig = put('kubeconfig', api.kubeconfig());
  put('libraries/base.yaml', library);
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

function put(name: string, text: string): string {
  const file = join(folder, name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  return file;
}

interface Answer {
  readonly comparisons: readonly {
    readonly from: string;
    readonly pod?: string;
    readonly test?: string;
    readonly verdict: string;
    readonly reasons: readonly string[];
    readonly operations: Readonly<Record<string, number>>;
    readonly files: readonly {
      readonly path: string;
      readonly change: string;
      readonly diff?: string;
      readonly note?: string;
    }[];
    readonly drifted: readonly string[];
  }[];
}

const diff = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  callOf(diffCommand, ['--libraries', join(folder, 'libraries'), '--kubeconfig', kubeconfig, ...argv], {
    env,
  });
const compared = async (argv: readonly string[], env?: Readonly<Record<string, string>>) => {
  const { code, out, err } = await diff([...argv, '-o', 'json'], env);
  expect([code, err]).toStrictEqual([0, '']);
  return (JSON.parse(out) as Answer).comparisons;
};

describe('between folders', () => {
  it('says that nothing changes where nothing does', async () => {
    const place = put('same/web.yaml', service('web'));
    expect(await compared(['--from', place, '--to', join(folder, 'same')])).toMatchObject([
      { verdict: 'noop', reasons: [], operations: {}, files: [] },
    ]);
  });

  it('tells runtime commands, and what differs in the files', async () => {
    const from = put('runtime-a/web.yaml', service('web'));
    const to = put('runtime-b/web.yaml', `${service('web', 'NodePort')}---\n${service('api')}`);
    const { code, out, err } = await diff(['--from', from, '--to', to]);
    expect([code, err]).toStrictEqual([0, '']);
    expect(out).toBe(
      `${from} -> ${to}: runtime, runtime commands, no reload
  commands: 1 map_add, 1 map_set
  changed: maps/path.map

--- a/maps/path.map
+++ b/maps/path.map
@@ -1,1 +1,2 @@
-web ClusterIP
+api ClusterIP
+web NodePort
`,
    );
  });

  it('tells every reason of a reload, and takes the configuration of a folder', async () => {
    const from = put('reload-a/values.yaml', 'templatingSettings: {extraContext: {maxconn: 1}}\n');
    put('reload-b/config/values.yaml', 'templatingSettings: {extraContext: {maxconn: 2}}\n');
    const [one] = await compared(['--from', from, '--to', join(folder, 'reload-b')]);
    expect(one).toMatchObject({ verdict: 'reload', reasons: [expect.stringContaining('global')] });
    expect(one?.files[0]?.diff).toContain('-  maxconn 1\n+  maxconn 2\n');
  });

  it('takes the objects of another place into both renders, and those of the cluster', async () => {
    await lastValueFrom(
      api.client.createMany([
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'live', namespace: 'default' },
          spec: { type: 'ClusterIP', ports: [{ port: 80 }] },
        },
      ]),
    );
    const from = put('objects-a/a.yaml', service('only-before'));
    const to = put('objects-b/a.yaml', 'templatingSettings: {extraContext: {maxconn: 100}}\n');
    const objects = put('objects/o.yaml', service('shared'));
    const [one] = await compared([
      '--from',
      from,
      '--to',
      to,
      '--objects',
      objects,
      '--objects',
      'cluster',
      '-U',
      '9',
    ]);
    const patch = one?.files.find(({ path }) => path === 'maps/path.map')?.diff;
    expect(patch).toContain(' live ClusterIP\n-only-before ClusterIP\n shared ClusterIP\n');
  });

  it('compares once for each validation test', async () => {
    const from = put('tests-a/v.yaml', 'templatingSettings: {extraContext: {maxconn: 1}}\n');
    const to = put('tests-b/v.yaml', 'templatingSettings: {extraContext: {maxconn: 2}}\n');
    const all = await compared(['--from', from, '--to', to, '--all', '--no-content']);
    expect(all.map(({ test: name }) => name)).toStrictEqual(['one', 'two']);
    const text = await diff(['--from', from, '--to', to, '--test', 'one']);
    expect(text.out).toMatch(/ \(test one\): reload, HAProxy reloads\n/);
    const unknown = await diff(['--from', from, '--to', to, '--test', 'three']);
    expect([unknown.code, unknown.err]).toStrictEqual([
      2,
      expect.stringContaining('has no test three; there is one, two'),
    ]);
  });

  it('judges by the HAProxy version that it is told', async () => {
    const place = put('version/a.yaml', service('web'));
    expect(await compared(['--from', place, '--to', place, '--haproxy-version', '2.6'])).toMatchObject([
      { verdict: 'noop' },
    ]);
    expect((await diff(['--from', place, '--to', place, '--haproxy-version', 'new'])).err).toContain(
      '--haproxy-version must be like 3.4, not "new"',
    );
  });

  it('leaves out what is not watched, and says so', async () => {
    const place = put('unwatched/a.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n');
    const { code, err } = await diff(['--from', place, '--to', place]);
    expect([code, err]).toStrictEqual([0, expect.stringContaining('ConfigMap are not watched and left out')]);
  });

  it('fails with the template and its place when a configuration cannot be rendered', async () => {
    const good = put('good/a.yaml', service('web'));
    const bad = put('bad/values.yaml', 'haproxyConfig: {template: "{{nothing}}"}\n');
    const { code, out, err } = await diff(['--from', good, '--to', bad]);
    expect([code, out]).toStrictEqual([1, '']);
    expect(err).toMatch(/haptic diff: .*bad\/values\.yaml.*nothing/s);
  });
});

describe('with what runs', () => {
  let agent: Server;
  let debug: Server;
  let states: Record<string, AgentState>;
  let live: Uint8Array | undefined;
  let asked: string[];
  const listening = async (server: Server) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };
  let argv: readonly string[];
  let port: number;
  beforeEach(async () => {
    asked = [];
    agent = createServer((request, response) => {
      asked.push(`${request.headers.authorization ?? ''} ${request.url ?? ''}`);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(states['it']));
    });
    debug = createServer((_request, response) => {
      if (live === undefined) response.writeHead(404).end('{"error":"no render was let out yet"}');
      else response.end(live);
    });
    port = await listening(agent);
    argv = ['--no-agent-tls', '--url', `http://127.0.0.1:${await listening(debug)}/debug`];
    put('libraries/zz-port.yaml', `dataplane: {port: ${port}}\n`);
  });
  afterEach(() => {
    for (const server of [agent, debug]) {
      server.closeAllConnections();
      server.close();
    }
  });
  const credentials = { DATAPLANE_USERNAME: 'u', DATAPLANE_PASSWORD: 'p' };
  const podObject = (name: string, ready = true) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: 'haproxy' } },
    spec: {
      containers: [
        { name: 'haproxy', image: 'h' },
        { name: 'agent', image: 'a' },
      ],
    },
    status: {
      podIP: '127.0.0.1',
      containerStatuses: [
        { name: 'agent', containerID: 'c1', state: ready ? { running: {} } : { waiting: {} } },
        { name: 'haproxy', containerID: 'c2', state: { running: {} } },
      ],
    },
  });
  const holding = async (plan: Plan, extra: Partial<AgentState> = {}) => {
    const blob = await encodePlan(plan);
    states = {
      it: stateOf(plan, {
        applied_plan_stored: true,
        applied_plan: Buffer.from(blob!).toString('base64'),
        ...extra,
      }),
    };
  };
  const before = makePlan({
    core: { global: 'global\n  maxconn 1\n' },
    maps: { 'maps/path.map': { entries: [['a', 'x']] } },
  });
  const after = makePlan({
    core: { global: 'global\n  maxconn 1\n' },
    maps: {
      'maps/path.map': {
        entries: [
          ['a', 'x'],
          ['b', 'y'],
        ],
      },
    },
  });

  it('tells for each pod how it gets to what a controller has let out', async () => {
    await lastValueFrom(
      api.client.createMany([podObject('one'), podObject('two'), podObject('asleep', false)] as never),
    );
    await holding(before, {
      runtime_inventory: { ...stateOf(before).runtime_inventory, maps: ['maps/path.map'] },
    });
    live = await encodePlan(after);
    const answers = await compared(['--from', 'pods', '--to', 'live', ...argv], credentials);
    expect(answers.map(({ pod, verdict, operations }) => ({ pod, verdict, operations }))).toStrictEqual([
      { pod: 'default/one', verdict: 'runtime', operations: { map_add: 1 } },
      { pod: 'default/two', verdict: 'runtime', operations: { map_add: 1 } },
    ]);
    const basic = `Basic ${Buffer.from('u:p').toString('base64')}`;
    expect(asked).toStrictEqual(Array(2).fill(`${basic} /v1/state?verify=0&plan=1`));
    const { out } = await diff(['--from', 'pods', '--to', 'live', ...argv], credentials);
    expect(out.match(/^\+b y$/gm)).toHaveLength(1);
    expect(out).toContain('default/one: runtime');
    expect(out).toContain('default/two: runtime');
  });

  it('says of a pod what is not as its plan has it, and when it runs something else than it holds', async () => {
    await holding(before, {
      running_plan_id: 'other',
      files: { ...stateOf(before).files, 'maps/path.map': { digest: '0', proof: '0', size: 1 } },
    });
    live = await encodePlan(before);
    expect(
      await compared(['--from', 'pod://default/one', '--to', 'live', ...argv], credentials),
    ).toMatchObject([
      {
        from: 'pod://default/one',
        pod: 'default/one',
        verdict: 'reload',
        reasons: ['the pod runs something else than it holds'],
        drifted: ['maps/path.map'],
      },
    ]);
  });

  it('compares with a controller without passwords, which that does not tell', async () => {
    const users = (password: string, limit: number) =>
      makePlan({
        core: {
          global: `global\n  maxconn ${limit}\n`,
          'userlist u': `userlist u\n  user ann password ${password}\n`,
        },
      });
    await holding(users('$6$salt$abc', 1));
    const shown = (plan: Plan) => runWithTurns(planWithoutPasswords(plan));
    live = await encodePlan(await shown(users('$6$salt$other', 1)));
    const pods = ['--from', 'pod://default/one', '--to', 'live', ...argv];
    expect(await compared(pods, credentials)).toMatchObject([{ verdict: 'noop', files: [], drifted: [] }]);
    live = await encodePlan(await shown(users('$6$salt$abc', 2)));
    const { out } = await diff(pods, credentials);
    expect(out).toContain('+  maxconn 2');
    expect(out).not.toContain('$6$');
  });

  it('takes a pod that keeps no plan for one that must reload', async () => {
    states = { it: stateOf(before) };
    live = await encodePlan(before);
    expect(
      await compared(['--from', 'pod://default/one', '--to', 'live', ...argv], credentials),
    ).toMatchObject([{ verdict: 'reload', reasons: [expect.stringContaining('no baseline')], files: [] }]);
    const { code, err } = await diff(['--from', 'live', '--to', 'pod://default/one', ...argv], credentials);
    expect([code, err]).toStrictEqual([1, expect.stringContaining('pod://default/one keeps no plan')]);
  });

  it.each([
    [['--from', 'pod://default/none', '--to', 'live'], 'pod default/none: 404'],
    [['--from', 'pod://default/asleep', '--to', 'live'], 'its agent does not run'],
    [
      ['--from', 'pods', '--to', 'live', '--selector', 'app=nobody'],
      'no HAProxy pod with the labels app=nobody',
    ],
  ])('%j fails by name', async (places, message) => {
    const { code, out, err } = await diff([...places, ...argv], credentials);
    expect([code, out]).toStrictEqual([1, '']);
    expect(err).toContain(message);
  });

  it('says so when the controller has let nothing out yet', async () => {
    live = undefined;
    const place = put('live/a.yaml', service('web'));
    const { code, err } = await diff(['--from', 'live', '--to', place, ...argv]);
    expect([code, err]).toStrictEqual([1, expect.stringContaining('no render was let out yet')]);
  });

  it('refuses what is of another release', async () => {
    live = new Uint8Array([1, 2, 3]);
    const { code, err } = await diff(['--from', 'live', '--to', 'live', ...argv]);
    expect([code, err]).toStrictEqual([1, expect.stringContaining('the controller is of another release')]);
  });
});

test.each([
  ['pods', { kind: 'pods' }],
  ['live', { kind: 'live' }],
  ['./live', { kind: 'path', path: './live' }],
  ['pod://a/b', { kind: 'pod', namespace: 'a', name: 'b' }],
])('%s is a place', (text, place) => {
  expect(parsePlace(text, '--from')).toStrictEqual(place);
});

test.each(['pod://a', 'pod://a/b/c', 'pod:///b', 'https://x', ''])('"%s" is no place', (text) => {
  expect(() => parsePlace(text, '--from')).toThrow(/^--from must /);
});

test.each([
  [['--from', 'x'], '--to is missing'],
  [['--from', 'live', '--to', 'pods'], '--to must be one place'],
  [['--from', 'pods', '--to', 'live', '--all'], 'are for a place that is a file or folder'],
  [['--from', 'live', '--to', 'live', '-U', '-1'], '--unified must be a whole number'],
])('%j is refused before anything is asked', async (argv, message) => {
  const { code, out, err } = await diff(argv);
  expect([code, out]).toStrictEqual([2, '']);
  expect(err).toContain(message);
});

describe('files of two plans', () => {
  const key = '-----BEGIN PRIVATE KEY-----\nplanted\n-----END PRIVATE KEY-----\n';

  it('are compared by path; certificates never by content, and a private key is shown nowhere', () => {
    const from = makePlan({
      files: {
        'ssl/a.pem': { kind: 'cert', text: `${key}1` },
        'files/x': { text: `one\n${key}` },
        'files/gone': { text: 'bye\n' },
      },
    });
    const to = makePlan({
      files: {
        'ssl/a.pem': { kind: 'cert', text: `${key}2` },
        'files/x': { text: `two\n${key}` },
        'files/new': { text: 'hi\n' },
      },
    });
    const changes = compareFiles(from, to, { context: 3 });
    expect(changes.map(({ path, change }) => `${change} ${path}`)).toStrictEqual([
      'removed files/gone',
      'added files/new',
      'changed files/x',
      'changed ssl/a.pem',
    ]);
    expect(changes.find(({ path }) => path === 'ssl/a.pem')).toMatchObject({
      note: 'contents of certificates are not shown',
    });
    expect(changes[1]?.diff).toBe('--- /dev/null\n+++ b/files/new\n@@ -0,0 +1,1 @@\n+hi\n');
    expect(changes[2]?.diff).toContain('-one\n+two\n [redacted]\n');
    expect(JSON.stringify(changes)).not.toContain('planted');
  });
});

describe('passwords of a configuration', () => {
  const planWith = (password: string, more = '') =>
    makePlan({ core: { global: `userlist team\n  user one insecure-password ${password}\n${more}` } });

  it('are shown nowhere, and that they differ is said', () => {
    const both = compareFiles(planWith('planted-1'), planWith('planted-2', '# more\n'), { context: 3 });
    expect(both[0]?.diff).toContain('   user [redacted]\n+# more\n');
    const alone = compareFiles(planWith('planted-1'), planWith('"planted two"'), { context: 3 });
    expect(alone).toMatchObject([
      {
        path: 'haproxy.cfg',
        change: 'changed',
        note: 'only users, passwords or private keys differ, which are not shown',
      },
    ]);
    expect(JSON.stringify([both, alone])).not.toContain('planted');
  });
});

describe('files of manifests', () => {
  it('are taken apart into configuration and objects, lists too', async () => {
    put('mixed/a.yaml', `templatingSettings: {}\n---\n${service('one')}---\n`);
    put(
      'mixed/b.json',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: [{ kind: 'Service', metadata: { name: 'two' } }],
      }),
    );
    put('mixed/note.txt', 'no');
    const { config, objects } = await readObjects(join(folder, 'mixed'));
    expect(config.map(({ text }) => text)).toStrictEqual(['templatingSettings: {}\n']);
    expect(objects.map(({ metadata }) => metadata.name)).toStrictEqual(['one', 'two']);
  });

  it.each([
    ['a: [', 'wrong-1.yaml'],
    ['- list', 'an object is expected'],
    ['kind: Service', 'every object needs metadata.name'],
  ])('%j is refused with the file', async (text, message) => {
    const file = put('wrong-1.yaml', text);
    await expect(readObjects(file)).rejects.toMatchObject({
      code: 'HAPTIC_ERR_CLI_READ',
      message: expect.stringContaining(message) as string,
    });
    await expect(readObjects(file)).rejects.toThrow('wrong-1.yaml');
  });

  it('that are not there are told by name', async () => {
    await expect(readObjects(join(folder, 'nowhere'))).rejects.toThrow(
      /nowhere: there is no such file or folder/,
    );
  });
});
