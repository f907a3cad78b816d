import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { doctorCommand } from '../../src/cli/doctor-command.ts';
import type { Finding } from '../../src/cli/finding.ts';
import { preflightCommand } from '../../src/cli/preflight-command.ts';
import { helmMissing } from '../fixtures/chart/helm-missing.ts';
import { chartDir, helmOf } from '../fixtures/chart/render-chart.ts';
import { createNamespace, describeOnCluster } from '../fixtures/control-plane.ts';
import { installCrds } from '../fixtures/install-crds.ts';
import type { Kubectl } from '../fixtures/kubectl.ts';
import { recordingProxy } from '../fixtures/recording-proxy.ts';
import { callOf } from '../unit/cli/values-of.ts';

const release = 'shop';
const missing = helmMissing(process.env);

describeOnCluster(
  'a Helm release on a real API server',
  (cluster) => {
    let kubectl: Kubectl;
    let namespace: string;
    let folder: string;
    let files = 0;

    beforeAll(async () => {
      kubectl = await cluster.kubectl();
      folder = mkdtempSync(path.join(tmpdir(), 'haptic-release-'));
      await installCrds(kubectl);
    });
    afterAll(async () => {
      rmSync(folder, { recursive: true });
      await kubectl.close();
    });
    beforeEach(async () => {
      namespace = await createNamespace(kubectl);
    });
    afterEach(async () => {
      await helm(4, 'uninstall', release, '--ignore-not-found', '--no-hooks');
      await kubectl.ok(['delete', 'namespace', namespace, '--wait=false']);
    });

    const put = (content: unknown): string => {
      const file = path.join(folder, `${(files += 1)}.yaml`);
      writeFileSync(file, typeof content === 'string' ? content : stringify(content));
      return file;
    };
    /** No pod ever runs here, so no Job ends: hooks are left out. */
    const helm = async (line: 3 | 4, ...words: readonly string[]) => {
      const env = { ...process.env, HOME: folder, KUBECONFIG: cluster.kubeconfigPath };
      return (await promisify(execFile)(helmOf(line), [...words, '--namespace', namespace], { env })).stdout;
    };
    const install = (line: 3 | 4, values: object = {}) =>
      helm(
        line,
        'upgrade',
        '--install',
        release,
        chartDir,
        '--values',
        put(values),
        '--no-hooks',
        '--skip-crds',
      );
    const get = async (...words: readonly string[]) =>
      (await kubectl.run(['get', '-n', namespace, ...words])).stdout;
    const ask = async (command: typeof preflightCommand | typeof doctorCommand, argv: readonly string[]) => {
      const kubeconfig = argv.includes('--kubeconfig') ? [] : ['--kubeconfig', cluster.kubeconfigPath];
      const { code, out, err } = await callOf(command, [
        ...kubeconfig,
        '--namespace',
        namespace,
        '--haproxy',
        'no-such-haproxy',
        '-o',
        'json',
        ...argv,
      ]);
      expect(err).toBe('');
      const { findings } = JSON.parse(out) as { readonly findings: readonly Finding[] };
      return {
        code,
        words: (check: string) =>
          findings.filter((one) => one.check === check).map(({ status, message }) => `${status}: ${message}`),
        failed: findings
          .filter(({ status }) => status === 'failed')
          .map(({ check, message }) => `${check}: ${message}`),
      };
    };
    const preflight = (values: unknown = {}, ...argv: readonly string[]) =>
      ask(preflightCommand, [
        '--release',
        release,
        '--chart',
        chartDir,
        '--helm',
        helmOf(4),
        '--values',
        put(values),
        ...argv,
      ]);
    const doctor = () =>
      ask(doctorCommand, [
        '--url',
        'http://127.0.0.1:1/debug',
        '--agent-tls-dir',
        '/nowhere',
        '--timeout',
        '10s',
      ]);

    describe.each([
      [3, 3],
      [3, 4],
      [4, 4],
    ] as const)('installed by Helm %i and upgraded by Helm %i', (first, second) => {
      it('keeps what the program has written, goes back, and leaves nothing', async () => {
        await install(first);
        const secret = `${release}-haptic-controller-tls`;
        const webhook = `${release}-haptic-webhook.${namespace}`;
        const data = { 'tls.crt': 'eA==' };
        await kubectl.ok([
          'patch',
          'secret',
          secret,
          '-n',
          namespace,
          '--field-manager=haptic',
          '--type=merge',
          '-p',
          JSON.stringify({ data }),
        ]);
        const written = {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingWebhookConfiguration',
          metadata: { name: webhook },
          webhooks: [
            {
              ...{
                name: 'one.haproxy-haptic.org',
                admissionReviewVersions: ['v1'],
                sideEffects: 'None',
                failurePolicy: 'Ignore',
              },
              clientConfig: { service: { namespace, name: 'x' } },
              rules: [
                {
                  apiGroups: ['example.com'],
                  apiVersions: ['v1'],
                  resources: ['things'],
                  operations: ['CREATE'],
                },
              ],
            },
          ],
        };
        await kubectl.ok(
          ['apply', '--server-side', '--field-manager=haptic', '--force-conflicts', '-f', '-'],
          JSON.stringify(written),
        );
        const held = async () => [
          await get('secret', secret, '-o', 'jsonpath={.data}'),
          await get('validatingwebhookconfiguration', webhook, '-o', 'jsonpath={.webhooks[*].name}'),
          await get('deployment', `${release}-haptic-controller`, '-o', 'jsonpath={.spec.replicas}'),
        ];
        const kept = ['{"tls.crt":"eA=="}', 'one.haproxy-haptic.org'];

        await install(second, { replicaCount: 3 });
        expect(await held()).toStrictEqual([...kept, '3']);
        await helm(second, 'rollback', release, '--no-hooks');
        expect(await held()).toStrictEqual([...kept, '2']);
        await helm(second, 'uninstall', release, '--no-hooks');
        const kinds =
          'deployment,job,cronjob,service,secret,configmap,role,rolebinding,serviceaccount,networkpolicy,pdb,ingressclass,validatingwebhookconfiguration,clusterrole,clusterrolebinding,haproxytemplateconfig,haproxytemplatelibrary';
        expect(await get(kinds, '-l', `app.kubernetes.io/instance=${release}`, '-o', 'name')).toBe('');
      });
    });

    describe('before it, haptic preflight', () => {
      it('finds nothing in the way, and changes nothing', async () => {
        const proxy = await recordingProxy(cluster.kubeconfigPath);
        try {
          const { failed, words, code } = await preflight({}, '--kubeconfig', put(proxy.kubeconfig));
          expect([failed, code]).toStrictEqual([[], 0]);
          expect(words('release')).toStrictEqual([
            `ok: ${namespace}/${release} is not installed: this is an install`,
          ]);
          const writes = proxy.requests.filter(
            ({ method, path: to }) =>
              method !== 'GET' && !to.includes('dryRun=All') && !to.includes('/selfsubjectaccessreviews'),
          );
          expect(writes).toStrictEqual([]);
        } finally {
          await proxy.close();
        }
        expect(await get('all,secret', '-l', `app.kubernetes.io/instance=${release}`, '-o', 'name')).toBe('');
      });

      it('says in the words of the schema and of the chart what is wrong with values', async () => {
        const schema = await preflight({ replicaCount: 'many', replicaCoun: 2 });
        expect(schema.words('values')).toEqual(
          expect.arrayContaining([
            'failed: replicaCoun is no value of the chart; is replicaCount meant?',
            'failed: replicaCount must be integer',
          ]),
        );
        const rule = await preflight({ haproxy: { ports: { http: 8404 } } });
        expect(rule.words('values')).toContainEqual(
          expect.stringMatching(/^failed: haproxy\.ports\..* and haproxy\.ports\..* are both 8404: /),
        );
        expect(rule.code).toBe(1);
        const absent = await preflight({
          haproxy: { keda: { enabled: true, triggers: [{ type: 'cpu', metadata: { value: '50' } }] } },
        });
        expect(absent.words('values')).toContainEqual(expect.stringContaining('keda.sh/v1alpha1'));
      });

      it('tells somebody without rights what they lack', async () => {
        await kubectl.ok(['create', 'serviceaccount', 'guest', '-n', namespace]);
        await kubectl.ok([
          'create',
          'rolebinding',
          'guest',
          '-n',
          namespace,
          '--clusterrole=edit',
          `--serviceaccount=${namespace}:guest`,
        ]);
        const token = (await kubectl.ok(['create', 'token', 'guest', '-n', namespace])).trim();
        const proxy = await recordingProxy(cluster.kubeconfigPath, token);
        try {
          const { failed, code } = await preflight({}, '--kubeconfig', put(proxy.kubeconfig));
          expect(failed).toEqual(
            expect.arrayContaining([
              'rights: you may not get, create, patch, delete clusterroles.rbac.authorization.k8s.io',
              'rights: you may not get, create, patch, delete ingressclasses.networking.k8s.io',
            ]),
          );
          expect(failed.join('\n')).not.toMatch(/rights: .* (deployments|services|secrets)/);
          expect(code).toBe(1);
        } finally {
          await proxy.close();
        }
      });

      it('tells pods that the namespace would not let in', async () => {
        await kubectl.ok(['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted']);
        expect((await preflight()).words('pod-security')[0]).toMatch(/^ok: /);
        const ports = await preflight({
          haproxy: { kind: 'DaemonSet', hostPorts: { enabled: true }, service: { enabled: false } },
        });
        expect(ports.failed).toContain(
          `pod-security: DaemonSet ${namespace}/${release}-haptic-haproxy wants host ports 80, 443, and namespace ${namespace} is restricted`,
        );
        const sidecar = await preflight({ sidecars: [{ name: 'log', image: 'log:1' }] });
        expect(sidecar.failed).toEqual([
          expect.stringMatching(
            /^pod-security: a pod of Deployment \S+-controller is refused: 403 Forbidden: .*violates PodSecurity "restricted:latest"/,
          ),
        ]);
      });

      it('tells a quota that there is no room in, a name that is taken, and a Secret that is missing', async () => {
        await kubectl.ok(['create', 'configmap', `${release}-haptic-bootstrap`, '-n', namespace]);
        await kubectl.ok(['create', 'quota', 'few', '-n', namespace, '--hard=pods=0']);
        const { failed } = await preflight({ imagePullSecrets: [{ name: 'registry' }] });
        expect(failed).toEqual(
          expect.arrayContaining([
            `names: ConfigMap ${namespace}/${release}-haptic-bootstrap is there already, and is of no Helm release`,
            expect.stringMatching(
              /^secrets: Secret \S+\/registry is not there, and Deployment \S+ needs it$/,
            ),
            expect.stringMatching(/^pod-security: a pod of .* is refused: .*exceeded quota: few/),
          ]),
        );
      });

      it('tells before an upgrade what will restart', async () => {
        await install(4);
        const same = await preflight();
        expect(same.words('changes')).toStrictEqual(['ok: nothing restarts, and HAProxy stays as it is']);
        expect(same.failed).toStrictEqual([]);
        const other = await preflight({
          image: { tag: 'next' },
          controller: { config: { templatingSettings: { extraContext: { maxconn: 77 } } } },
        });
        expect(other.words('changes')).toEqual(
          expect.arrayContaining([
            expect.stringMatching(
              /^warning: Deployment \S+-controller restarts its pods one after another: spec\.containers\.controller\.image$/,
            ),
            expect.stringMatching(
              /^warning: Deployment \S+-haproxy restarts its pods one after another: .*image/,
            ),
            expect.stringMatching(/^warning: the new configuration reloads HAProxy: /),
          ]),
        );
      });
    });

    describe('after it, haptic doctor', () => {
      it('tells a wrong image', async () => {
        await install(4);
        const labels = {
          'app.kubernetes.io/name': 'haptic',
          'app.kubernetes.io/instance': release,
          'app.kubernetes.io/component': 'controller',
        };
        const pod = {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'wrong', namespace, labels },
          spec: {
            containers: [{ name: 'controller', image: 'haptic:wrong' }],
            automountServiceAccountToken: false,
          },
        };
        await kubectl.ok(['create', '-f', '-'], JSON.stringify(pod));
        // As a kubelet tells it, of which there is none here.
        const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "haptic:wrong"' };
        const status = {
          phase: 'Pending',
          containerStatuses: [
            {
              name: 'controller',
              image: 'haptic:wrong',
              imageID: '',
              ready: false,
              restartCount: 0,
              state: { waiting },
            },
          ],
        };
        await kubectl.ok([
          'patch',
          'pod',
          'wrong',
          '-n',
          namespace,
          '--subresource=status',
          '--type=merge',
          '-p',
          JSON.stringify({ status }),
        ]);
        const { words, code } = await doctor();
        expect(words('release')[0]).toMatch(`ok: release ${namespace}/${release} has `);
        expect(words('workloads')).toContain(
          `failed: pod ${namespace}/wrong: image haptic:wrong of container controller cannot be pulled (ImagePullBackOff): Back-off pulling image "haptic:wrong"`,
        );
        expect(code).toBe(1);
      });

      it('finds that the roles of the chart are enough, and tells each right that is taken away', async () => {
        await install(4);
        const account = `${namespace}/${release}-haptic-controller`;
        expect((await doctor()).words('permissions')).toStrictEqual([
          expect.stringMatching(new RegExp(`^ok: ${account} may do all \\d+ things that are needed$`)),
        ]);
        const role = JSON.parse(
          await get('clusterrole', `${release}-haptic-controller.${namespace}`, '-o', 'json'),
        ) as {
          readonly rules: readonly { readonly resources: readonly string[] }[];
        };
        const rules = role.rules.filter(({ resources }) => !resources.includes('ingresses'));
        await kubectl.ok([
          'patch',
          'clusterrole',
          `${release}-haptic-controller.${namespace}`,
          '--type=merge',
          '-p',
          JSON.stringify({ rules }),
        ]);
        await kubectl.ok(['delete', 'rolebinding', `${release}-haptic-controller`, '-n', namespace]);
        const said = (await doctor()).words('permissions');
        expect(said).toEqual(
          expect.arrayContaining([
            `failed: ${account} may not watch ingresses.networking.k8s.io`,
            `failed: ${account} may not update leases.coordination.k8s.io ${release}-haptic-leader in ${namespace}`,
            `failed: ${account} may not create secrets in ${namespace}`,
          ]),
        );
      });

      it('tells that nobody leads, that the webhook is empty, and that nothing is published', async () => {
        await install(4);
        const { words } = await doctor();
        expect(words('leader')).toStrictEqual([
          `failed: nobody has ever led: Lease ${namespace}/${release}-haptic-leader is not there`,
        ]);
        expect(words('webhook')).toStrictEqual([
          `warning: ValidatingWebhookConfiguration ${release}-haptic-webhook.${namespace} is empty: no controller has filled it in`,
        ]);
        expect(words('published')).toStrictEqual([
          `warning: nothing is published: HAProxyCfg ${namespace}/${release}-haptic-config-haproxycfg is not there`,
        ]);
        expect(words('status')).toStrictEqual([
          'warning: no controller has written a status on the configuration',
        ]);
      });
    });
  },
  missing,
);
