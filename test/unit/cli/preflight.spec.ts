import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { lastValueFrom } from 'rxjs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { stringify } from 'yaml';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { applyCrdsCommand } from '../../../src/cli/apply-crds-command.ts';
import type { Finding } from '../../../src/cli/finding.ts';
import { preflightCommand } from '../../../src/cli/preflight-command.ts';
import { changedPaths } from '../../../src/cli/preflight/changed-paths.ts';
import { checkKubernetes } from '../../../src/cli/preflight/check-kubernetes.ts';
import { mergeValues } from '../../../src/cli/preflight/merge-values.ts';
import { quantity } from '../../../src/cli/preflight/quantity.ts';
import type { ApiServer } from '../../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../../src/sandbox/api/create-api-server.ts';
import { makeAgentCertificates } from '../../fixtures/agent-certificates.ts';
import { callOf } from './values-of.ts';

let folder: string;
let api: ApiServer;
let kubeconfig: string;

const put = (name: string, text: string): string => {
  const file = join(folder, name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text, { mode: 0o755 });
  return file;
};
const create = (...objects: readonly unknown[]) =>
  lastValueFrom(api.client.createMany(objects as readonly KubeObject[]));
const put64 = (text: string) => Buffer.from(text).toString('base64');

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'haptic-preflight-'));
  put(
    'chart/Chart.yaml',
    'apiVersion: v2\nname: haptic\nversion: 0.4.0\nappVersion: 0.4.0\nkubeVersion: ">=1.29.0-0"\n',
  );
  put('chart/values.yaml', 'replicaCount: 2\nwebhook: {enabled: true, failurePolicy: Ignore}\n');
  put(
    'chart/values.schema.json',
    JSON.stringify({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      additionalProperties: false,
      properties: {
        replicaCount: { type: 'integer', minimum: 0 },
        webhook: {
          type: 'object',
          additionalProperties: false,
          properties: { enabled: { type: 'boolean' }, failurePolicy: { enum: ['Ignore', 'Fail'] } },
        },
        password: { type: 'string', minLength: 40 },
      },
    }),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(async () => {
  api = await createApiServer({ port: 0 });
  kubeconfig = put('kubeconfig', api.kubeconfig());
});
afterEach(() => api.close());

const run = async (argv: readonly string[]) => {
  const { code, out, err } = await callOf(preflightCommand, [
    ...['--chart', join(folder, 'chart'), '--namespace', 'default', '-o', 'json'],
    ...(argv.includes('--haproxy') ? [] : ['--haproxy', 'no-such-haproxy']),
    ...argv,
  ]);
  const findings = out === '' ? [] : (JSON.parse(out) as { findings: readonly Finding[] }).findings;
  const of = (check: string) => findings.filter((finding) => finding.check === check);
  return {
    code,
    err,
    out,
    findings,
    of,
    words: (check: string) => of(check).map(({ status, message }) => `${status}: ${message}`),
  };
};
let files = 0;
const preflight = (manifests: readonly unknown[], ...argv: readonly string[]) =>
  run([
    ...['--kubeconfig', kubeconfig],
    ...[
      '--manifests',
      put(`manifests-${(files += 1)}.yaml`, manifests.map((object) => stringify(object)).join('---\n')),
    ],
    ...argv,
  ]);

const meta = (name: string, more: object = {}) => ({ name, namespace: 'default', ...more });
const ofRelease = (release: string, namespace = 'default') => ({
  labels: { 'app.kubernetes.io/managed-by': 'Helm' },
  annotations: { 'meta.helm.sh/release-name': release, 'meta.helm.sh/release-namespace': namespace },
});
const podSpec = (more: object = {}) => ({ containers: [{ name: 'main', image: 'haptic:1', ...more }] });
const deployment = (spec: object = podSpec(), name = 'controller', replicas = 2) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: meta(name),
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec },
  },
});
const configuration = (spec: object = {}, metadata: object = meta('haptic-config')) => ({
  apiVersion: 'haproxy-haptic.org/v1alpha1',
  kind: 'HAProxyTemplateConfig',
  metadata,
  spec: {
    podSelector: { matchLabels: { app: 'haproxy' } },
    haproxyConfig: { template: '{{#section "global"}}global\n  maxconn 10\n{{/section}}' },
    watchedResources: { services: { apiVersion: 'v1', resources: 'services', indexBy: ['metadata.name'] } },
    ...spec,
  },
});
const node = (name: string, more: object = {}, labels: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/arch': 'amd64', ...labels } },
  spec: {},
  status: {
    allocatable: { cpu: '2', memory: '4Gi' },
    nodeInfo: { operatingSystem: 'linux', architecture: 'amd64' },
  },
  ...more,
});
/** As Helm keeps it. */
const releaseSecret = (revision: number, status: string, release: object) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'helm.sh/release.v1',
  metadata: meta(`sh.helm.release.v1.haptic.v${revision}`, {
    labels: { owner: 'helm', name: 'haptic', status, version: String(revision) },
  }),
  data: {
    release: put64(
      gzipSync(JSON.stringify({ name: 'haptic', version: revision, info: { status }, ...release })).toString(
        'base64',
      ),
    ),
  },
});
const chartOf = (version: string, name = 'haptic') => ({ metadata: { name, version, appVersion: version } });

describe('haptic preflight', () => {
  it('finds nothing in the way where nothing is', async () => {
    await callOf(applyCrdsCommand, ['--kubeconfig', kubeconfig]);
    await create(node('one'));
    const { code, err, findings } = await preflight([deployment(), configuration()]);
    expect(findings.map(({ check, status, message }) => `${status} ${check}: ${message}`)).toStrictEqual([
      'ok values: they are what haptic 0.4.0 takes',
      expect.stringMatching(/^ok kubernetes: it is v1\./),
      'ok configuration: its templates compile, it watches 1 resources, and it has no validation tests',
      'ok release: default/haptic is not installed: this is an install',
      'ok crds: all 6 are there and of this version',
      'ok apis: the cluster serves every kind of the 2 objects',
      'ok rights: you may do all 13 things that helm will do',
      'ok names: nobody else has any of them',
      'ok neighbours: none of 0 other configurations is in the way',
      'ok secrets: no Secret is needed that is not made',
      'ok nodes: there is room on 1 nodes (linux/amd64)',
      'ok pod-security: namespace default lets the pods of 1 workloads in',
      'ok objects: the API server takes 2 objects as a dry run',
    ]);
    expect([code, err]).toStrictEqual([0, '']);
  });

  it('prints for people what is wrong and what to do', async () => {
    const { code, out } = await callOf(preflightCommand, [
      ...[
        '--chart',
        join(folder, 'chart'),
        '--offline',
        '--helm',
        'no-such-helm',
        '--haproxy',
        'no-such-haproxy',
      ],
      ...['-f', put('wrong.yaml', 'replicaCount: many\n'), '--kube-version', '1.20'],
    ]);
    expect(out).toBe(
      [
        'skipped kubernetes  the cluster is not looked at: it was not to be asked',
        'skipped chart       it is not rendered: there is no no-such-helm on PATH; its rules between values, its objects and its configuration are not looked at',
        '                    install helm or name it with --helm, or give --manifests with what helm template prints elsewhere',
        'FAILED  values      replicaCount must be integer',
        '                    correct it in the values; values.yaml of the chart tells what each key is',
        'FAILED  kubernetes  it is 1.20, and 1.29.0 is the oldest that HAPTIC runs on',
        '                    upgrade Kubernetes first',
        '',
      ].join('\n'),
    );
    expect(code).toBe(1);
  });

  it('without a cluster that was not given up says how to name one', async () => {
    const { code, words } = await run(['--kubeconfig', '/nowhere', '--helm', 'no-such-helm']);
    expect(words('kubernetes')).toStrictEqual([
      expect.stringMatching(/^failed: the cluster cannot be looked at: .*\/nowhere/) as string,
    ]);
    expect(code).toBe(1);
  });

  describe('values', () => {
    const offline = (text: string) =>
      run(['--offline', '--helm', 'no-such-helm', '--values', put(`values-${(files += 1)}.yaml`, text)]);

    it('are checked by the schema, laid over the defaults, and never shown', async () => {
      const { words, out } = await offline(
        'replicaCoun: 3\nwebhook: {enabled: 1, failurePolicy: Retry}\npassword: planted-password\n',
      );
      expect(words('values').sort()).toStrictEqual([
        'failed: password must NOT have fewer than 40 characters',
        'failed: replicaCoun is no value of the chart; is replicaCount meant?',
        'failed: webhook.enabled must be boolean',
        'failed: webhook.failurePolicy must be equal to one of the allowed values: Ignore, Fail',
      ]);
      expect(out).not.toContain('planted');
    });

    it('that are no YAML, or no mapping, or no file, are told by file, without the lines around', async () => {
      const broken = await offline('password: planted-password\nwrong: [1,\n');
      expect(broken.words('values')).toStrictEqual([
        expect.stringMatching(/^failed: .*values-\d+\.yaml: .* at line \d+, column \d+$/) as string,
      ]);
      expect(broken.out).not.toContain('planted');
      expect((await offline('- one\n')).words('values')).toStrictEqual([
        expect.stringMatching(/: a mapping of values is expected$/) as string,
      ]);
      expect(
        (await run(['--offline', '--values', '/nowhere.yaml', '--helm', 'no-such-helm'])).words('values'),
      ).toStrictEqual([expect.stringMatching(/^failed: \/nowhere\.yaml: /) as string]);
    });

    it.each([
      [
        'a rule of the chart, as Helm 4 tells it',
        'level=WARN msg="x"\nError: execution error at (haptic/templates/_validate.tpl:3:4): ports http and stats are both 8080: change one',
        ['ports http and stats are both 8080: change one'],
      ],
      [
        'the schema, as Helm 3 tells it',
        "Error: values don't meet the specifications of the schema(s) in the following chart(s):\nhaptic:\n- at '/replicaCount': got string, want integer\n- at '/x': additional properties 'x' not allowed\n",
        ["at '/replicaCount': got string, want integer", "at '/x': additional properties 'x' not allowed"],
      ],
      ['anything else', 'Error: chart requires kubeVersion: >=1.99', ['chart requires kubeVersion: >=1.99']],
    ])('that helm refuses are told in the words of %s', async (_, said, messages) => {
      const helm = put(`helm-${(files += 1)}`, `#!/bin/sh\ncat >&2 <<'END'\n${said}\nEND\nexit 1\n`);
      const { code, of } = await run(['--offline', '--helm', helm]);
      expect(
        of('values')
          .filter(({ status }) => status === 'failed')
          .map(({ message }) => message),
      ).toStrictEqual(messages);
      expect(code).toBe(1);
    });

    test('helm is told of the cluster what its templates ask for', async () => {
      const log = join(folder, 'line.txt');
      const helm = put('helm-log', `#!/bin/sh\nprintf '%s\\n' "$@" >'${log}'\n`);
      await run(['--kubeconfig', kubeconfig, '--helm', helm, '--release', 'mine', '-f', put('v.yaml', '{}')]);
      const line = readFileSync(log, 'utf8').split('\n');
      expect(line.slice(0, 5)).toStrictEqual([
        'template',
        'mine',
        join(folder, 'chart'),
        '--namespace',
        'default',
      ]);
      expect(line).toEqual(
        expect.arrayContaining(['--include-crds', '--values', 'networking.k8s.io/v1/Ingress']),
      );
      expect(line[line.indexOf('--kube-version') + 1]).toMatch(/^1\.\d+\.\d+$/);
      expect(line).not.toContain('--is-upgrade');
    });
  });

  it('tells CRDs that nothing makes, that another program made, and whose objects this one cannot read', async () => {
    expect((await preflight([])).words('crds')).toHaveLength(6);
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: meta('crds', { annotations: { 'helm.sh/hook': 'pre-install,pre-upgrade' } }),
      spec: { template: { spec: podSpec({ args: ['apply-crds', '--timeout=60s'] }) } },
    };
    expect((await preflight([job])).words('crds')).toStrictEqual([
      'ok: none of them is there; a Job of the chart makes them',
    ]);
    await callOf(applyCrdsCommand, ['--kubeconfig', kubeconfig]);
    const crds = 'apiextensions.k8s.io/v1/customresourcedefinitions';
    const change = (name: string, patch: object, subresource?: 'status') =>
      lastValueFrom(
        api.client.patch(crds, { name: `${name}.haproxy-haptic.org` }, patch, {
          type: 'merge',
          ...(subresource && { subresource }),
        }),
      );
    await change('haproxycfgs', {
      metadata: { annotations: { 'controller-gen.kubebuilder.io/version': 'v0.19.0' } },
    });
    await change('haproxymapfiles', { spec: { names: { shortNames: ['old'] } } });
    await change('haproxycrtlistfiles', {
      metadata: { labels: { 'app.kubernetes.io/version': '99.0.0' } },
      spec: { names: { shortNames: ['new'] } },
    });
    await change('haproxygeneralfiles', { status: { storedVersions: ['v1', 'v1alpha1'] } }, 'status');
    const { words } = await preflight([]);
    expect(words('crds')).toStrictEqual([
      'failed: haproxycfgs.haproxy-haptic.org was made by another program (controller-gen v0.19.0)',
      expect.stringMatching(
        /^failed: haproxymapfiles\.haproxy-haptic\.org is of another version than this program, and Helm 4 does not install over what .*haptic-sandbox manages$/,
      ) as string,
      'failed: haproxygeneralfiles.haproxy-haptic.org has objects that are stored as v1, which this version does not know',
      'failed: haproxycrtlistfiles.haproxy-haptic.org is of the newer version 99.0.0, and Helm 4 would set it back',
    ]);
    // A hook of upgrades alone is of no use to an install.
    const later = { ...job, metadata: meta('crds', { annotations: { 'helm.sh/hook': 'pre-upgrade' } }) };
    expect((await preflight([later])).words('crds')).toContainEqual(
      expect.stringMatching(/^failed: haproxymapfiles/),
    );
  });

  it('tells kinds that are not served, and who serves them', async () => {
    const { of } = await preflight([
      { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', metadata: meta('one'), spec: {} },
      { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', metadata: meta('two'), spec: {} },
      { apiVersion: 'example.com/v1', kind: 'Thing', metadata: meta('thing') },
      { apiVersion: 'v1', kind: 'List', items: [deployment()] },
    ]);
    expect(of('apis')).toStrictEqual([
      {
        check: 'apis',
        status: 'failed',
        message:
          'the cluster does not serve Certificate of cert-manager.io/v1, of which is Certificate default/one, Certificate default/two',
        advice: 'install cert-manager, or switch off in the values what wants it',
      },
      {
        check: 'apis',
        status: 'failed',
        message: 'the cluster does not serve Thing of example.com/v1, of which is Thing default/thing',
        advice: 'install what serves it, or switch off in the values what wants it',
      },
    ]);
  });

  it('tells names that somebody else has', async () => {
    const ingressClass = (controller: string, more: object = {}) => ({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: 'haproxy', ...more },
      spec: { controller },
    });
    const map = (name: string, more: object) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: meta(name, more),
    });
    await create(
      ingressClass('haproxy.org/ingress-controller'),
      map('mine', ofRelease('haptic')),
      map('theirs', ofRelease('other', 'elsewhere')),
      map('nobody', {}),
    );
    const { words } = await preflight([
      ingressClass('haproxy-haptic.org/controller'),
      ...['mine', 'theirs', 'nobody', 'new'].map((name) => map(name, {})),
      map('nobody', { annotations: { 'helm.sh/hook': 'pre-install' } }),
    ]);
    expect(words('names')).toStrictEqual([
      'failed: IngressClass haproxy is there already, and is served by haproxy.org/ingress-controller',
      'failed: ConfigMap default/theirs is there already, and is of release elsewhere/other',
      'failed: ConfigMap default/nobody is there already, and is of no Helm release',
    ]);
  });

  it('tells other installations that would write to the same pods or serve the same class', async () => {
    await callOf(applyCrdsCommand, ['--kubeconfig', kubeconfig]);
    const classed = (name: string) => ({
      watchedResources: {
        ingressclasses: {
          apiVersion: 'networking.k8s.io/v1',
          resources: 'ingressclasses',
          indexBy: ['metadata.name'],
          fieldSelector: `metadata.name=${name}`,
        },
      },
    });
    const selects = (labels: object) => ({ podSelector: { matchLabels: labels } });
    await create(
      configuration(selects({ app: 'haproxy' }), meta('same-pods')),
      configuration(
        { ...selects({ app: 'haproxy', instance: 'b' }), ...classed('public') },
        meta('fewer-pods'),
      ),
      configuration(selects({ app: 'other' }), meta('other-pods')),
      configuration(
        { ...selects({ app: 'haproxy' }), ...classed('internal') },
        meta('far-pods', { namespace: 'kube-system' }),
      ),
      configuration({}, meta('former', ofRelease('haptic'))),
    );
    const { words } = await preflight([configuration(classed('public'))]);
    expect(words('neighbours')).toStrictEqual([
      'failed: HAProxyTemplateConfig default/fewer-pods selects the same HAProxy pods (app=haproxy,instance=b)',
      'warning: HAProxyTemplateConfig default/fewer-pods serves Ingress objects of class public, too',
      'failed: HAProxyTemplateConfig default/same-pods selects the same HAProxy pods (app=haproxy)',
    ]);
  });

  it('looks whether Secrets are there and of the right shape, and shows nothing of them', async () => {
    await using certificates = await makeAgentCertificates();
    await using others = await makeAgentCertificates();
    await using ended = await makeAgentCertificates({ now: () => Date.now() - 4_000 * 24 * 3_600_000 });
    const read = (dir: string, name: string) => readFileSync(join(dir, name), 'utf8');
    const tls = (name: string, crt: string, key: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: meta(name),
      data: { 'tls.crt': put64(crt), 'tls.key': put64(key) },
    });
    const { serverDir } = certificates;
    const crt = read(serverDir, 'tls.crt');
    await create(
      tls('good', crt, read(serverDir, 'tls.key')),
      tls('mixed', crt, read(others.serverDir, 'tls.key')),
      tls('ended', read(ended.serverDir, 'tls.crt'), read(ended.serverDir, 'tls.key')),
      tls('garbage', 'planted-garbage', 'planted-garbage'),
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: meta('registry'),
        data: { '.dockerconfigjson': put64('planted') },
      },
      { apiVersion: 'v1', kind: 'Secret', metadata: meta('keys'), data: { one: put64('planted') } },
      { apiVersion: 'v1', kind: 'Secret', metadata: meta('filled-later'), data: {} },
    );
    const volume = (secretName: string, more: object = {}) => ({
      name: secretName,
      secret: {
        secretName,
        items: [
          { key: 'tls.crt', path: 'a' },
          { key: 'tls.key', path: 'b' },
        ],
        ...more,
      },
    });
    const spec = {
      ...podSpec({
        args: ['certificates', '--server-secret=made', '--client-secret', 'filled-later'],
        env: [
          { name: 'A', valueFrom: { secretKeyRef: { name: 'keys', key: 'one' } } },
          { name: 'B', valueFrom: { secretKeyRef: { name: 'keys', key: 'two' } } },
          { name: 'C', valueFrom: { secretKeyRef: { name: 'absent', key: 'x', optional: true } } },
        ],
        envFrom: [{ secretRef: { name: 'absent' } }],
      }),
      imagePullSecrets: [{ name: 'registry' }],
      volumes: [
        ...['good', 'mixed', 'ended', 'garbage', 'made', 'filled-later', 'of-chart'].map((name) =>
          volume(name),
        ),
        volume('absent', { optional: true }),
      ],
    };
    const { words, out } = await preflight([
      deployment(spec),
      configuration({ credentialsSecretRef: { name: 'keys' } }),
      { apiVersion: 'v1', kind: 'Secret', metadata: meta('of-chart') },
    ]);
    const by = 'Deployment default/controller';
    expect(words('secrets')).toStrictEqual([
      `failed: Secret default/registry, which ${by} reads, has no JSON in .dockerconfigjson`,
      `ok: Secret default/good has what ${by} needs`,
      `failed: Secret default/mixed, which ${by} reads, has a key in tls.key that is not of the certificate`,
      expect.stringMatching(
        /^failed: Secret default\/ended, which .* reads, has a certificate that ended 20/,
      ) as string,
      `failed: Secret default/garbage, which ${by} reads, has no certificate in tls.crt that can be read`,
      `ok: Secret default/keys has what ${by} needs`,
      `failed: Secret default/keys, which ${by} reads, has no two`,
      `failed: Secret default/absent is not there, and ${by} needs it`,
      'failed: Secret default/keys, which HAProxyTemplateConfig haptic-config reads, has no dataplane_username and no dataplane_password',
    ]);
    expect(out).not.toContain('planted');
    expect(out).not.toContain(put64('planted'));
  });

  it('tells pods for which no node is right', async () => {
    await create(
      node('small', {}, { pool: 'edge' }),
      node('tainted', {
        spec: { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] },
        status: { allocatable: { cpu: '64', memory: '256Gi' } },
      }),
    );
    const spec = (more: object, resources: object = {}) => ({ ...podSpec({ resources }), ...more });
    const { words } = await preflight([
      deployment(spec({ nodeSelector: { 'kubernetes.io/arch': 'arm64' } }), 'arm'),
      deployment(
        spec({ nodeSelector: { pool: 'edge' } }, { requests: { cpu: '3', memory: '512Mi' } }),
        'large',
      ),
      deployment(spec({}, { requests: { cpu: '8' } }), 'shy'),
      deployment(
        spec({ tolerations: [{ key: 'gpu', operator: 'Exists' }] }, { requests: { cpu: '8' } }),
        'bold',
      ),
      deployment(podSpec({ ports: [{ containerPort: 80, hostPort: 80 }] }), 'ports'),
    ]);
    expect(words('nodes')).toStrictEqual([
      'failed: Deployment default/arm: no node has the labels of its nodeSelector (kubernetes.io/arch=arm64)',
      'failed: Deployment default/large: no node is large enough for a pod of 3 CPUs and 512 MiB',
      'failed: Deployment default/shy: no node is large enough for a pod of 8 CPUs and 0 MiB',
      'failed: Deployment default/ports: 2 pods want host ports 80, and 1 nodes can take one each',
    ]);
  });

  it('tells pods that may get nodes of several platforms, of which an image need not be', async () => {
    const arm = { nodeInfo: { operatingSystem: 'linux', architecture: 'arm64' } };
    await create(
      node('one'),
      node(
        'other',
        { status: { ...arm, allocatable: { cpu: '2', memory: '4Gi' } } },
        { 'kubernetes.io/arch': 'arm64' },
      ),
      node(
        'closed',
        { spec: { taints: [{ key: 'os', effect: 'NoSchedule' }] } },
        { 'kubernetes.io/os': 'windows' },
      ),
    );
    const chosen = { ...podSpec(), nodeSelector: { 'kubernetes.io/arch': 'arm64' } };
    const { words } = await preflight([deployment(podSpec(), 'free'), deployment(chosen, 'chosen')]);
    expect(words('nodes')).toStrictEqual([
      'ok: there is room on 3 nodes (linux/amd64, linux/arm64, windows/amd64)',
      'warning: Deployment default/free may get nodes of linux/amd64, linux/arm64: the image must be of all of these',
    ]);
    expect((await preflight([deployment(chosen, 'chosen')])).words('nodes')).toHaveLength(1);
  });

  it('tells host ports where the level of the namespace forbids them', async () => {
    await lastValueFrom(
      api.client.patch(
        'v1/namespaces',
        { name: 'default' },
        { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } } },
        { type: 'merge' },
      ),
    );
    const spec = { ...podSpec({ ports: [{ containerPort: 8080, hostPort: 8080 }] }), hostNetwork: true };
    expect(
      (await preflight([deployment(spec), deployment(podSpec(), 'other')])).words('pod-security'),
    ).toStrictEqual([
      'failed: Deployment default/controller wants host ports 8080 and the network of the host, and namespace default is baseline',
    ]);
  });

  it('tells what the API server refuses of the objects', async () => {
    const { words } = await preflight([
      { apiVersion: 'v1', kind: 'Service', metadata: meta('web'), spec: { ports: [{ port: 99_999 }] } },
      deployment(),
    ]);
    expect(words('objects')).toStrictEqual([
      expect.stringMatching(/^failed: Service default\/web is refused: 422 Invalid: .*port/) as string,
    ]);
  });

  it('judges the configuration as a controller would', async () => {
    const check = async (spec: object) => (await preflight([configuration(spec)])).words('configuration');
    expect(await check({ haproxyConfig: { template: '{{nonsense 1}}' } })).toStrictEqual([
      expect.stringMatching(/^failed: .*nonsense/) as string,
    ]);
    expect(await check({ dataplane: { port: 70_000 } })).toStrictEqual([
      'failed: HAProxyTemplateConfig haptic-config: spec.dataplane.port must be <= 65535',
    ]);
    const assertion = (pattern: string) => ({
      description: 'has it',
      fixtures: {},
      assertions: [{ type: 'contains', target: 'haproxy.cfg', pattern, description: 'is there' }],
    });
    expect(
      await check({ validationTests: { good: assertion('maxconn 10'), bad: assertion('maxconn 11') } }),
    ).toStrictEqual([expect.stringMatching(/^failed: validation test bad: is there: /) as string]);
    expect(await check({ validationTests: { good: assertion('maxconn 10') } })).toStrictEqual([
      'ok: its templates compile, it watches 1 resources, and 1 validation tests pass',
    ]);
    expect((await preflight([deployment()])).words('configuration')).toStrictEqual([
      'skipped: the chart has no HAProxyTemplateConfig',
    ]);
  });

  describe('before an upgrade', () => {
    const installed = (manifests: readonly unknown[], more: object = {}) => ({
      chart: chartOf('0.3.2'),
      config: {},
      manifest: manifests.map((object) => stringify(object)).join('---\n'),
      ...more,
    });

    it('tells what restarts, what is deleted, and what HAProxy has to do', async () => {
      await callOf(applyCrdsCommand, ['--kubeconfig', kubeconfig]);
      const crd = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'things.example.com' },
      };
      const maxconn = (value: number) => ({
        haproxyConfig: { template: `{{#section "global"}}global\n  maxconn ${value}\n{{/section}}` },
      });
      const moved = deployment(podSpec(), 'moved');
      await create(
        releaseSecret(
          4,
          'deployed',
          installed([
            deployment(podSpec({ image: 'haptic:0', env: [{ name: 'GONE', value: 'planted' }] })),
            deployment(podSpec(), 'same'),
            { ...moved, spec: { ...moved.spec, selector: { matchLabels: { app: 'moved', old: 'yes' } } } },
            { apiVersion: 'v1', kind: 'Service', metadata: meta('gone') },
            { ...crd, metadata: { ...crd.metadata, annotations: { 'helm.sh/resource-policy': 'keep' } } },
            { ...crd, metadata: { name: 'lost.example.com' } },
            configuration(maxconn(10)),
          ]),
        ),
        releaseSecret(3, 'superseded', installed([])),
      );
      const { words, out } = await preflight([
        deployment(),
        deployment(podSpec(), 'same', 5),
        moved,
        configuration(maxconn(11)),
      ]);
      expect(words('release')).toStrictEqual(['ok: default/haptic goes from chart 0.3.2 to 0.4.0']);
      expect(words('changes')).toStrictEqual([
        'warning: Deployment default/controller restarts its pods one after another: spec.containers.main.image, spec.containers.main.env',
        'failed: Deployment default/moved would have another selector, which cannot be changed',
        'failed: CustomResourceDefinition lost.example.com would be deleted, and with it every object of its kind',
        'warning: would be deleted: Service default/gone',
        expect.stringMatching(/^warning: the new configuration reloads HAProxy: /) as string,
      ]);
      expect(out).not.toContain('planted');
    });

    it('says so where nothing changes', async () => {
      const objects = [deployment(), configuration()];
      await create(releaseSecret(1, 'deployed', installed(objects)));
      expect((await preflight(objects)).words('changes')).toStrictEqual([
        'ok: nothing restarts, and HAProxy stays as it is',
      ]);
    });

    it.each([
      ['0.1.0', 'warning: default/haptic would go from chart 0.1.0 to 0.4.0, over 2 minor versions'],
      ['0.4.0', 'ok: default/haptic stays at chart 0.4.0'],
      ['0.10.0', 'warning: default/haptic would go back from chart 0.10.0 to 0.4.0'],
    ])('tells the step from %s', async (version, said) => {
      await create(releaseSecret(1, 'deployed', installed([], { chart: chartOf(version) })));
      expect((await preflight([])).words('release')).toStrictEqual([said]);
    });

    it('tells a release that is in the middle of something, that failed, that is another chart, that cannot be read', async () => {
      await create(
        releaseSecret(1, 'deployed', installed([])),
        releaseSecret(2, 'pending-upgrade', installed([])),
      );
      expect((await preflight([])).words('release')[0]).toBe(
        'failed: default/haptic is in the middle of something: revision 2 is pending-upgrade',
      );
      await create(releaseSecret(3, 'failed', installed([])));
      expect((await preflight([])).words('release')[0]).toBe('warning: revision 3 of default/haptic failed');
      await create(releaseSecret(4, 'deployed', installed([], { chart: chartOf('1.0.0', 'nginx') })));
      expect((await preflight([])).words('release')).toStrictEqual([
        'failed: default/haptic is a release of chart nginx, not of haptic',
      ]);
      await create({ ...releaseSecret(5, 'deployed', {}), data: { release: put64('planted') } });
      const { words, out } = await preflight([]);
      expect(words('release')).toStrictEqual([
        expect.stringMatching(
          /^skipped: what is installed cannot be read: Secret sh\.helm\.release\.v1\.haptic\.v5 /,
        ) as string,
      ]);
      expect(out).not.toContain('planted');
    });

    it('tells by name which values would be forgotten', async () => {
      const config = { webhook: { enabled: false }, replicaCount: 3, password: 'planted' };
      await create(releaseSecret(1, 'deployed', installed([], { config })));
      const { words, out } = await preflight([], '-f', put('few.yaml', 'replicaCount: 3\n'));
      expect(words('release')).toContain(
        'warning: default/haptic was installed with values that are not given now: webhook.enabled, password',
      );
      expect(out).not.toContain('planted');
    });
  });
});

test.each([
  ['v1.33.2', '>=1.29.0-0', 'ok'],
  ['v1.33.2-gke.100', '>= 1.33.2', 'ok'],
  ['1.28', '', 'failed'],
  ['v1.30.4+k3s1', '>=1.31.0-0', 'failed'],
  ['v1.30.0', '>=1.20 <1.40', 'ok'],
])('Kubernetes %s is judged by the constraint "%s" as %s', (version, constraint, status) => {
  expect(checkKubernetes(version, constraint).status).toBe(status);
});

test.each([
  ['100m', 0.1],
  ['1.5', 1.5],
  ['512Mi', 536_870_912],
  ['2e3', 2_000],
  ['1G', 1e9],
  [3, 3],
  ['many', undefined],
  ['5 Mi', undefined],
])('the quantity %s is %s', (text, value) => expect(quantity(text)).toBe(value));

test('values are merged as Helm does: objects by field, null takes away, lists as a whole', () => {
  const below = { a: { b: 1, c: 2 }, list: [1, 2], gone: 1, text: 'x' };
  const above = JSON.parse(
    '{"a":{"b":3},"list":[3],"gone":null,"text":{"now":"an object"},"__proto__":{"x":1}}',
  ) as object;
  const merged = mergeValues(below, above as Record<string, unknown>);
  expect(merged).toStrictEqual({
    ...{ a: { b: 3, c: 2 }, list: [3], text: { now: 'an object' } },
    ['__proto__']: { x: 1 },
  });
  expect(({} as Record<string, unknown>)['x']).toBeUndefined();
});

test('changed paths follow items by name, and take what is absent for empty', () => {
  const before = {
    env: [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ],
    list: [1, 2],
    gone: {},
    same: 'x',
  };
  const after = {
    env: [
      { name: 'B', value: '3' },
      { name: 'A', value: '1' },
    ],
    list: [1, 3],
    same: 'x',
    added: [],
  };
  expect(changedPaths(before, after)).toStrictEqual(['env.B.value', 'list']);
});
