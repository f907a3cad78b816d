import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { strFromU8, unzipSync } from 'fflate';
import { lastValueFrom } from 'rxjs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { applyCrdsCommand } from '../../../src/cli/apply-crds-command.ts';
import { doctorCommand } from '../../../src/cli/doctor-command.ts';
import { certificateLifetime } from '../../../src/cli/doctor/certificate-lifetime.ts';
import type { Finding } from '../../../src/cli/finding.ts';
import { sameAsApplied } from '../../../src/cli/same-as-applied.ts';
import { createScrubber, valuesByName } from '../../../src/cli/doctor/scrub.ts';
import { version } from '../../../src/lib/version.ts';
import { valuesOfSecret } from '../../../src/lib/values-of-secret.ts';
import { encodePlan } from '../../../src/plan/encode-plan.ts';
import type { AgentState } from '../../../src/protocol/wire.ts';
import type { ApiServer } from '../../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../../src/sandbox/api/create-api-server.ts';
import { makeAgentCertificates } from '../../fixtures/agent-certificates.ts';
import { stateOf } from '../../fixtures/fake-pod.ts';
import { makePlan } from '../../fixtures/make-plan.ts';
import { callOf } from './values-of.ts';

/** Values that must not be in any bundle, each of a kind of its own. */
const planted = {
  password: 'pa ss"w\\rd-planted',
  hash: '$apr1$planted$8JsnfkkSDE2d',
  token: 'eyJplanted.eyJtoken.signature',
  key: '-----BEGIN PRIVATE KEY-----\nMIIplantedkeymaterial0123456789abcdef\nsecondlineofplantedkey==\n-----END PRIVATE KEY-----\n',
  apiKey: 'planted-api-key-of-extra-context',
  environment: 'planted-dataplane-password',
};

let folder: string;
let api: ApiServer;
let kubeconfig: string;
let debug: Server;
let agent: Server;
let state: AgentState;
let taps: Record<string, unknown>;
let plan: Uint8Array | undefined;
let url: string;
let metrics: string;
const put = (name: string, text: string): string => {
  const file = join(folder, name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text, { mode: 0o755 });
  return file;
};
const listening = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};
const create = (...objects: readonly unknown[]) =>
  lastValueFrom(api.client.createMany(objects as readonly KubeObject[]));

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'haptic-doctor-'));
  put('haproxy', '#!/bin/sh\necho "HAProxy version 3.2.1-1 2025/01/01"\n');
  put('old-haproxy', '#!/bin/sh\necho "HAProxy version 2.4.9 2022/01/01"\n');
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(async () => {
  api = await createApiServer({ port: 0 });
  kubeconfig = put('kubeconfig', api.kubeconfig());
  taps = {};
  plan = undefined;
  state = stateOf(makePlan({}), { agent_version: version });
  debug = createServer((request, response) => {
    const [, name] = /^\/debug\/taps\/([^?]+)\?limit=1&for=1$/.exec(request.url ?? '') ?? [];
    if (request.url === '/debug/taps') response.end(JSON.stringify({ taps: Object.keys(taps) }));
    else if (name !== undefined)
      response.end(taps[name] === undefined ? '' : `${JSON.stringify(taps[name])}\n`);
    else if (request.url === '/debug/plan' && plan !== undefined) response.end(plan);
    else if (request.url === '/debug/vars/all') response.end(JSON.stringify({ config: planted.token }));
    else if (request.url === '/metrics') response.end(metrics);
    else response.writeHead(404).end('{"error":"nothing here"}');
  });
  agent = createServer((_request, response) => response.end(JSON.stringify(state)));
  const port = await listening(debug);
  url = `http://127.0.0.1:${port}/debug`;
  metrics = 'haptic_build_info 1\n';
  put(
    'values.yaml',
    `dataplane: {port: ${await listening(agent)}}\npodSelector: {matchLabels: {app: haproxy}}\n`,
  );
});
afterEach(async () => {
  for (const server of [debug, agent]) {
    server.closeAllConnections();
    server.close();
  }
  await api.close();
});

const env = { DATAPLANE_USERNAME: 'someone', DATAPLANE_PASSWORD: planted.environment };
const doctor = async (argv: readonly string[] = []) => {
  const { code, out, err } = await callOf(
    doctorCommand,
    [
      ...['--kubeconfig', kubeconfig, '--namespace', 'default', '--no-agent-tls', '--url', url, '-o', 'json'],
      ...['--metrics-url', url.replace('/debug', '/metrics')],
      ...(argv.includes('--crd-name') ? [] : ['--values', join(folder, 'values.yaml')]),
      ...(argv.includes('--haproxy') ? [] : ['--haproxy', join(folder, 'haproxy')]),
      ...argv,
    ],
    { env },
  );
  const findings = out === '' ? [] : (JSON.parse(out) as { findings: readonly Finding[] }).findings;
  return { code, err, of: (check: string) => findings.filter((finding) => finding.check === check) };
};
const pod = (name: string, status: object = {}) => ({
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
      { name: 'agent', containerID: 'c1', state: { running: {} } },
      { name: 'haproxy', containerID: 'c2', state: { running: {} } },
    ],
    ...status,
  },
});

describe('haptic doctor', () => {
  it('finds nothing wrong where nothing is', async () => {
    await callOf(applyCrdsCommand, ['--kubeconfig', kubeconfig]);
    await create(pod('one'));
    taps = { latch: { mode: 'optimistic', pinned: false }, quarantine: { count: 0, objects: [] } };
    const { code, of } = await doctor();
    expect(of('kubernetes')).toMatchObject([{ status: 'ok' }]);
    expect(of('crds')).toStrictEqual([
      { check: 'crds', status: 'ok', message: 'all 6 are there and of this version' },
    ]);
    expect(of('configuration')).toMatchObject([
      { status: 'ok', message: expect.stringContaining('can be used') as string },
    ]);
    expect(of('haproxy')).toMatchObject([
      { status: 'ok', message: expect.stringContaining('3.2.1-1') as string },
    ]);
    expect(of('pods')).toMatchObject([
      { status: 'ok', message: expect.stringContaining('default/one answers') as string },
    ]);
    expect(of('controller')).toStrictEqual([
      { check: 'controller', status: 'ok', message: `it answers at ${url}` },
    ]);
    expect(code).toBe(0);
  });

  it('tells CRDs that are missing or of another version, and what to do', async () => {
    const missing = await doctor();
    expect(missing.of('crds')).toHaveLength(6);
    expect(missing.of('crds')[0]).toStrictEqual({
      check: 'crds',
      status: 'failed',
      message: 'haproxytemplateconfigs.haproxy-haptic.org is not there',
      advice: 'run haptic apply-crds',
    });
    expect(missing.code).toBe(1);
    await callOf(applyCrdsCommand, ['--kubeconfig', kubeconfig]);
    await lastValueFrom(
      api.client.patch(
        'apiextensions.k8s.io/v1/customresourcedefinitions',
        { name: 'haproxycfgs.haproxy-haptic.org' },
        [
          {
            op: 'replace',
            path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/path/description',
            value: 'older',
          },
        ],
        { type: 'json' },
      ),
    );
    expect((await doctor()).of('crds')).toMatchObject([
      {
        status: 'warning',
        message: 'haproxycfgs.haproxy-haptic.org is of another version than this program',
      },
    ]);
  });

  it('tells of each pod why it cannot be asked, or what its agent says that is not as it should be', async () => {
    await create(pod('one'), pod('no-agent', { containerStatuses: [] }), pod('young', { podIP: '' }));
    state = {
      ...state,
      agent_version: '0.0.1',
      running_plan_id: 'other',
      invariant_violation: 'a thing',
      last_apply: { error: { stage: 'check', message: 'HAProxy said no' } } as never,
    };
    const { code, of } = await doctor();
    expect(of('pods').map(({ status, message }) => `${status}: ${message}`)).toStrictEqual([
      'failed: default/no-agent has no container named agent',
      `warning: default/one has an agent 0.0.1, and this is ${version}`,
      'warning: default/one runs something else than it holds',
      'warning: default/one refused its last apply in stage check',
      'warning: default/one found something that must never be: a thing',
      'failed: default/young has no IP yet',
    ]);
    expect(of('pods').every(({ advice }) => advice !== undefined)).toBe(true);
    expect(code).toBe(1);
  });

  it('says that there is no pod, or that one does not answer', async () => {
    expect((await doctor()).of('pods')).toMatchObject([
      { status: 'failed', message: 'there is no HAProxy pod with app=haproxy in default' },
    ]);
    await create(pod('one'));
    agent.closeAllConnections();
    await new Promise((resolve) => agent.close(resolve));
    expect((await doctor()).of('pods')).toMatchObject([
      { status: 'failed', message: expect.stringMatching(/^default\/one: .*ECONNREFUSED/) as string },
    ]);
  });

  it('judges what the controller says of itself', async () => {
    taps = {
      quarantine: { count: 2 },
      renders: { problemCount: 3 },
      latch: { pinned: true },
      deployments: { failed: [{}], overdue: true },
      trials: undefined,
    };
    const { code, of } = await doctor();
    expect(of('quarantine')).toMatchObject([{ status: 'warning', message: '2 objects are held back' }]);
    expect(of('problems')).toMatchObject([
      { status: 'warning', message: expect.stringMatching(/^3 /) as string },
    ]);
    expect(of('latch')).toMatchObject([{ status: 'failed' }]);
    expect(of('deployments')).toMatchObject([
      { status: 'warning', message: expect.stringMatching(/^1 pods/) as string },
    ]);
    expect(code).toBe(1);
  });

  it('looks at a configuration of the cluster and at its status', async () => {
    await callOf(applyCrdsCommand, ['--kubeconfig', kubeconfig]);
    const spec = {
      podSelector: { matchLabels: { app: 'haproxy' } },
      haproxyConfig: { template: 'global\n' },
      watchedResources: { services: { apiVersion: 'v1', resources: 'services', indexBy: ['metadata.name'] } },
    };
    const configObject = (name: string, more: object) => ({
      apiVersion: 'haproxy-haptic.org/v1alpha1',
      kind: 'HAProxyTemplateConfig',
      metadata: { name, namespace: 'default' },
      spec: { ...spec, ...more },
      ...(name === 'refused' && {
        status: {
          conditions: [
            {
              type: 'Validated',
              status: 'False',
              reason: 'LoadGateFailed',
              message: 'no',
              lastTransitionTime: '2026-01-01T00:00:00Z',
              observedGeneration: 1,
            },
          ],
        },
      }),
    });
    await create(
      configObject('silent', {}),
      configObject('refused', {}),
      configObject('wrong', { haproxyConfig: { template: '{{nope}}' } }),
    );
    expect((await doctor(['--crd-name', 'silent'])).of('status')).toMatchObject([
      { status: 'warning', message: expect.stringContaining('no controller has written') as string },
    ]);
    expect((await doctor(['--crd-name', 'refused'])).of('status')).toMatchObject([
      { status: 'failed', message: 'Validated is False, LoadGateFailed: no' },
    ]);
    expect((await doctor(['--crd-name', 'wrong'])).of('configuration')).toMatchObject([
      { status: 'failed', message: expect.stringContaining('nope') as string },
    ]);
    expect((await doctor(['--crd-name', 'none'])).of('configuration')).toMatchObject([
      { status: 'failed', message: expect.stringContaining('default/none cannot be read') as string },
    ]);
  });

  it('looks at the HAProxy binary', async () => {
    expect((await doctor(['--haproxy', join(folder, 'old-haproxy')])).of('haproxy')).toMatchObject([
      { status: 'failed', message: expect.stringContaining('2.4.9') as string, advice: 'take 2.6 or newer' },
    ]);
    expect((await doctor(['--haproxy', '/nowhere/haproxy'])).of('haproxy')).toMatchObject([
      { status: 'failed', message: expect.stringContaining('ENOENT') as string },
    ]);
  });

  it('goes on without a cluster, and says which of it could not be looked at', async () => {
    const { code, of } = await doctor(['--kubeconfig', '/nowhere']);
    expect(of('kubernetes')).toMatchObject([
      { status: 'failed', message: expect.stringContaining('/nowhere') as string },
    ]);
    expect(of('haproxy')).toMatchObject([{ status: 'ok' }]);
    expect(of('crds')).toStrictEqual([]);
    expect(code).toBe(1);
  });

  it('asks for every permission that a controller needs', async () => {
    const asked: unknown[] = [];
    const reviews = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        response.setHeader('content-type', 'application/json');
        if (request.url?.startsWith('/apis/authorization.k8s.io/') !== true) {
          response.end(
            JSON.stringify({ gitVersion: 'v1.37.0', metadata: { resourceVersion: '1' }, items: [] }),
          );
          return;
        }
        const review = JSON.parse(body) as {
          kind: string;
          spec: { user?: string; resourceAttributes: Record<string, string> };
        };
        const { resource, verb, namespace = '*' } = review.spec.resourceAttributes;
        asked.push(
          `${review.kind} ${review.spec.user ?? 'self'} ${verb ?? ''} ${resource ?? ''} ${namespace}`,
        );
        response.end(
          JSON.stringify({ ...review, status: { allowed: !(resource === 'services' && verb === 'watch') } }),
        );
      });
    });
    try {
      const plain = put(
        'plain-kubeconfig',
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'Config',
          clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${await listening(reviews)}` } }],
          users: [{ name: 'u', user: { token: planted.token } }],
          contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
          'current-context': 'x',
        }),
      );
      const { of } = await doctor(['--kubeconfig', plain, '--service-account', 'haptic/controller']);
      expect(of('permissions')).toStrictEqual([
        {
          check: 'permissions',
          status: 'failed',
          message: 'haptic/controller may not watch services',
          advice: 'add it to the ClusterRole of the controller',
        },
      ]);
      const who = 'SubjectAccessReview system:serviceaccount:haptic:controller';
      expect(asked).toEqual(
        expect.arrayContaining([
          `${who} list ingresses *`,
          `${who} watch endpointslices *`,
          `${who} list pods default`,
          `${who} patch haproxytemplateconfigs default`,
        ]),
      );
      asked.length = 0;
      await doctor(['--kubeconfig', plain]);
      expect(asked).toContain('SelfSubjectAccessReview self list services *');
    } finally {
      reviews.closeAllConnections();
      reviews.close();
    }
  });

  it('tells how long certificates are valid, and which are not usable', async () => {
    await using certificates = await makeAgentCertificates();
    const tls = async (dir: string) => {
      const argv = ['--kubeconfig', kubeconfig, '--agent-tls-dir', dir, '-o', 'json', '--url', url];
      const { out } = await callOf(doctorCommand, argv);
      return (JSON.parse(out) as { findings: readonly Finding[] }).findings.filter(
        ({ check }) => check === 'certificates',
      );
    };
    const good = await tls(certificates.clientDir);
    expect(good).toHaveLength(2);
    expect(good[0]).toMatchObject({
      status: 'ok',
      message: expect.stringContaining("the controller's certificate is valid until 20") as string,
    });
    expect(await tls('/nowhere')).toMatchObject([{ status: 'skipped' }]);
    const broken = join(put('broken/tls.crt', 'x'), '..');
    expect(await tls(broken)).toMatchObject([{ status: 'failed' }]);
  });

  it('looks at the certificates that the cluster keeps, as they are named by default', async () => {
    await using certificates = await makeAgentCertificates();
    const secret = (name: string, data: Readonly<Record<string, string>>) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'default' },
      data: Object.fromEntries(
        Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
      ),
    });
    const pem = readFileSync(join(certificates.serverDir, 'tls.crt'), 'utf8');
    await create(
      secret('haptic-agent-tls', { 'tls.crt': pem }),
      secret('haptic-controller-tls', { 'tls.crt': 'x' }),
    );
    expect(
      (await doctor()).of('certificates').map(({ status, message }) => `${status}: ${message}`),
    ).toStrictEqual([
      'warning: agents are asked without TLS',
      expect.stringMatching(/^ok: Secret default\/haptic-agent-tls is valid until 20\S+Z$/),
      'failed: Secret default/haptic-controller-tls holds no certificate that can be read',
    ]);
  });

  it.each([
    [300, 365, 'ok'],
    [20, 365, 'warning'],
    [-1, 365, 'failed'],
    [2, 6, 'ok'],
    [1, 6, 'warning'],
  ])('takes a certificate with %s of %s days left for %s', (left, whole, status) => {
    const at = (days: number) => new Date(Date.UTC(2026, 0, 1) + days * 86_400_000).toUTCString();
    const lifetime = { validFrom: at(left - whole), validTo: at(left) };
    expect(certificateLifetime('c', 'it', lifetime, Date.UTC(2026, 0, 1))).toMatchObject({ status });
  });

  it.each([
    [['--service-account', 'x'], '--service-account must be NAMESPACE/NAME, not "x"'],
    [['--log-lines', 'many'], '--log-lines must be a whole number, not "many"'],
    [['--timeout', 'x'], '--timeout: "x" is not a duration'],
  ])('refuses %j', async (argv, message) => {
    const { code, err } = await doctor(argv);
    expect(code).toBeGreaterThan(0);
    expect(err).toContain(message);
  });
});

describe('a bundle', () => {
  const unzipped = (file: string) =>
    Object.fromEntries(
      Object.entries(unzipSync(readFileSync(file))).map(([name, bytes]) => [name, strFromU8(bytes)]),
    );
  const secrets = [
    {
      metadata: { name: 'basic', namespace: 'shop' },
      stringData: {},
      data: { auth: Buffer.from(`bob:${planted.hash}\n`).toString('base64') },
    },
    {
      metadata: { name: 'plain', namespace: 'default' },
      data: { password: Buffer.from(planted.password).toString('base64') },
    },
    {
      metadata: { name: 'tls', namespace: 'kube-system' },
      data: { 'tls.key': Buffer.from(planted.key).toString('base64') },
    },
    {
      metadata: { name: 'token', namespace: 'default' },
      data: { value: Buffer.from(planted.token).toString('base64') },
    },
  ].map((secret) => ({ apiVersion: 'v1', kind: 'Secret', ...secret }));

  const plant = async () => {
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }, ...secrets, pod('one'));
    const quoted = planted.password.replace(/([\\" ])/g, '\\$1');
    plan = await encodePlan(
      makePlan({
        core: {
          global: 'global\n  maxconn 10\n',
          'userlist u': `userlist u\n  user bob password ${planted.hash}\n  user eve insecure-password ${quoted}\n`,
        },
        maps: { 'maps/keys.map': { entries: [['/api', planted.token]] } },
        files: { 'ssl/a.pem': { kind: 'cert', text: planted.key } },
      }),
    );
    taps = {
      latch: { mode: 'optimistic', pinned: false },
      config: { templatingSettings: { extraContext: { apiKey: planted.apiKey } } },
      verdicts: {
        words: `line 4: user eve insecure-password ${quoted}`,
        encoded: Buffer.from(planted.token).toString('base64'),
      },
      renders: { problems: [{ message: `a header that says ${planted.token}` }] },
    };
    metrics = `some_metric{path="/${encodeURIComponent(planted.password)}"} 1\n`;
    state = { ...state, last_apply: { error: { stage: 'x', message: planted.key } } as never };
    const { port } = agent.address() as AddressInfo;
    put(
      'values.yaml',
      `dataplane: {port: ${port}}\npodSelector: {matchLabels: {app: haproxy}}\ntemplatingSettings: {extraContext: {apiKey: ${planted.apiKey}}}\n`,
    );
  };
  const pieces = [
    ...Object.values(planted),
    ...Object.values(planted).map((value) => Buffer.from(value).toString('base64')),
    ...planted.key.split('\n').filter((line) => line !== '' && !line.startsWith('-----')),
    'planted',
  ];

  it('holds what a report needs, and no planted secret in whatever form', async () => {
    await plant();
    const file = join(folder, 'bundle.zip');
    const { err } = await doctor(['--bundle', file]);
    expect(err).toMatch(/haptic doctor: .*bundle\.zip has \d+ files\n/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const files = unzipped(file);
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining([
        ...[
          'findings.json',
          'version.json',
          'configuration.json',
          'live/haproxy.cfg',
          'live/maps/keys.map',
          'live/plan.json',
        ],
        ...['metrics/controller.txt', 'pods/default/one/state.json', 'pods/default/one/last-apply.json'],
        ...['vars.json', 'taps/config.json', 'taps/verdicts.json', 'logs/default/one/agent.log'],
      ]),
    );
    expect(Object.keys(files)).not.toContain('live/ssl/a.pem');
    expect(Object.keys(files)).not.toContain('LEFT-OUT.txt');
    expect(files['live/haproxy.cfg']).toMatch(
      /^global\n {2}maxconn 10\nuserlist u\n {2}user bob password \[redacted\]\n {2}user eve insecure-password .*\[redacted\]/,
    );
    expect(files['live/maps/keys.map']).toBe('/api [redacted]\n');
    const whole = JSON.stringify(files);
    for (const piece of pieces) expect(whole).not.toContain(piece);
    expect(readFileSync(file).toString('latin1')).not.toContain('planted');
  });

  it('leaves out what may hold secrets when they cannot be read to be searched for', async () => {
    await plant();
    api.faults.inject({ match: { resource: 'secrets' }, action: { kind: 'status', code: 403 } });
    const file = join(folder, 'without.zip');
    const { err } = await doctor(['--bundle', file]);
    const files = unzipped(file);
    expect(Object.keys(files)).toContain('LEFT-OUT.txt');
    expect(err).toContain('not every Secret could be read');
    expect(files['LEFT-OUT.txt']).toMatch(/403[^]*live\/haproxy\.cfg\n/);
    for (const name of Object.keys(files))
      expect(name).not.toMatch(/^(live|logs)\/|verdicts|last-apply|configuration\.json/);
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(['findings.json', 'pods/default/one/state.json', 'taps/latch.json']),
    );
    expect(JSON.stringify(files)).not.toContain('planted');
  });

  it('is written where the cluster cannot be reached, with what there is', async () => {
    const file = join(folder, 'offline.zip');
    await doctor(['--kubeconfig', '/nowhere', '--bundle', file]);
    expect(Object.keys(unzipped(file))).toEqual(
      expect.arrayContaining(['findings.json', 'version.json', 'LEFT-OUT.txt']),
    );
  });
});

describe('the search for secrets', () => {
  it('takes a value out of any text that has it, whatever stands around it', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 4, maxLength: 30 }).filter((value) => value.trim().length >= 4),
        fc.string(),
        fc.string(),
        (secret, before, after) => {
          const scrub = createScrubber([secret]);
          for (const form of [
            secret,
            Buffer.from(secret).toString('base64'),
            JSON.stringify(secret).slice(1, -1),
          ])
            expect(scrub(`${before}${form}${after}`).replaceAll('[redacted]', '')).not.toContain(form);
        },
      ),
    );
  });

  it('leaves a text without secrets as it is', () => {
    const scrub = createScrubber(['planted', 'another-one']);
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('x', ' ', '\n', 'y') }), (text) => {
        expect(scrub(text)).toBe(text);
      }),
    );
  });

  it('takes the longest of what begins alike, and passes over what is too short', () => {
    expect(createScrubber(['abcd', 'abcdef', 'ab'])('abcdefg abcd ab')).toBe('[redacted]g [redacted] ab');
  });

  it('knows the values of a Secret, and those of fields that are secret by name', () => {
    expect(valuesOfSecret({ data: { a: 'aGVsbG8=' }, stringData: { b: 'text' } })).toStrictEqual([
      'aGVsbG8=',
      'hello',
      'text',
    ]);
    expect(valuesByName({ a: { password: { inner: ['x', 1] } }, name: 'y' })).toStrictEqual(['x', '1']);
  });
});

test.each([
  [{ a: 1 }, { a: 1, b: 2 }, true],
  [{ a: { b: [] } }, {}, true],
  [{ a: false }, {}, true],
  [{ a: 1 }, {}, false],
  [{ a: [1, 2] }, { a: [1] }, false],
  [{ a: { b: 'x' } }, { a: { b: 'y' } }, false],
])('%j applied and %j held are the same: %s', (applied, held, same) => {
  expect(sameAsApplied(applied, held)).toBe(same);
});
