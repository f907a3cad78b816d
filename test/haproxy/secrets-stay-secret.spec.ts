import { map } from 'rxjs';
import { beforeAll, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import type { AgentClient } from '../../src/fleet/agent-client.ts';
import { acceptingAgent } from '../bench/lib/accepting-agent.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { createTlsPool, type TlsPool } from '../fixtures/oracle/tls-pool.ts';
import { secretForms } from '../fixtures/secret-forms.ts';
import { scriptedServer } from '../fixtures/scripted-server.ts';
import { startWatchedController } from '../fixtures/watched-controller.ts';

/** Each at a place of its own, and none of them may be seen anywhere. */
const canaries = {
  printed: 'canary-printed-7f31',
  unprintable: 'canary unprintable 7f32',
  refused: 'canary-refused-7f33',
  failed: 'canary-failed-7f34',
  bearer: 'canary-bearer-7f35',
  query: 'canary-query-7f36',
  context: 'canary-context-7f37',
  declared: 'canary-declared-7f38',
} as const;
const base64 = (text: string) => Buffer.from(text).toString('base64');

const template = (url: string) => `
global
{{#forEach resources.secrets as |s|}}
{{#if (eq s.metadata.name "printed")}}
userlist {{s.metadata.name}}
    user one insecure-password {{base64Decode s.data.value}}
{{else if (eq s.metadata.name "unprintable")}}
userlist {{s.metadata.name}}
    user one insecure-password {{base64Decode s.data.value}}
{{else if (eq s.metadata.name "refused")}}
backend {{s.metadata.name}}
    tcp-request content reject if { {{base64Decode s.data.value}} }
{{else if (eq s.metadata.name "failed")}}
{{fail (concat "the value " (base64Decode s.data.value) " is not good")}}
{{else if (eq s.metadata.name "bearer")}}
# {{{http (concat "${url}/list?key=" (base64Decode s.data.query)) auth="bearer" token=(base64Decode s.data.value)}}}
{{/if}}
{{/forEach}}
defaults
    mode http
    timeout connect 5s
    timeout client 5s
    timeout server 5s
frontend http
    bind 127.0.0.1:8080
`;

let pool: TlsPool;
beforeAll(async () => {
  pool = await createTlsPool();
});

describeEachLine('what a controller tells', (line) => {
  it('HT#5: has no value of a Secret and no key, whatever goes wrong with them', async () => {
    const web = await scriptedServer((_request, response) => response.writeHead(500).end());
    const secret = (name: string, values: Readonly<Record<string, string>>): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'default' },
      data: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, base64(value)])),
    });
    const key = pool.leaves[0]?.key ?? '';
    const { bearer, query, ...plain } = canaries;
    const objects = [
      ...Object.entries(plain).map(([name, value]) => secret(name, { value })),
      secret('bearer', { value: bearer, query }),
      secret('tls', { 'tls.crt': pool.leaves[0]?.cert ?? '', 'tls.key': key }),
    ];
    const config = loadConfig([
      {
        name: 'own.yaml',
        text: JSON.stringify({
          httpContent: { allowPrivateAddresses: true },
          templatingSettings: { extraContext: { adminPassword: canaries.context } },
          haproxyConfig: { template: template(web.url) },
          watchedResources: { secrets: { apiVersion: 'v1', resources: 'secrets', debounceInterval: '0' } },
          sslCertificates: {
            'site.pem': {
              template:
                '{{#forEach resources.secrets as |s|}}{{#if (eq s.metadata.name "tls")}}{{{base64Decode s.data.[tls.crt]}}}\n{{{base64Decode s.data.[tls.key]}}}{{/if}}{{/forEach}}',
            },
          },
          k8sResources: {
            copies: {
              template: `{{#forEach resources.secrets as |s|}}
{{#if (eq s.metadata.name "declared")}}
apiVersion: v1
kind: Secret
metadata:
  name: copy-{{s.metadata.name}}
  namespace: elsewhere
stringData:
  value: {{json (base64Decode s.data.value)}}
{{/if}}
{{/forEach}}`,
            },
          },
        }),
      },
    ]);
    const controller = await startWatchedController(line, config, objects);
    try {
      const { has } = controller;
      await expect.poll(() => has(/tap quarantine .*"count":1/), { timeout: 20_000 }).toBe(true);
      await expect.poll(() => has(/tap http .*answered 500/), { timeout: 20_000 }).toBe(true);
      await expect.poll(() => has(/tap own-resources/), { timeout: 20_000 }).toBe(true);
      await expect
        .poll(() => has(/Secret default\/unprintable|"unprintable"/), { timeout: 20_000 })
        .toBe(true);
      const told = await controller.told('v1/events', 'v1/configmaps');
      const secrets = [...Object.values(canaries), ...key.split('\n').filter((text) => text.length > 40)];
      const leaks = secrets
        .flatMap(secretForms)
        .flatMap((text) =>
          told.filter((one) => one.includes(text)).map((one) => `${text} in ${one.slice(0, 2000)}`),
        );
      expect(leaks).toStrictEqual([]);
    } finally {
      await controller.stop();
      await web.close();
    }
  });

  it('has no value of a Secret that a pod’s HAProxy repeats when it refuses a render', async () => {
    const value = canaries.printed;
    const config = loadConfig([
      {
        name: 'own.yaml',
        text: JSON.stringify({
          podSelector: { matchLabels: { app: 'haproxy' } },
          haproxyConfig: { template: template('http://127.0.0.1:9') },
          watchedResources: { secrets: { apiVersion: 'v1', resources: 'secrets', debounceInterval: '0' } },
        }),
      },
    ]);
    const printed: KubeObject = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'printed', namespace: 'default' },
      data: { value: base64(value) },
    };
    const controller = await startWatchedController(
      line,
      config,
      [printed, agentPod('one')],
      refusingAgent(
        `parsing [haproxy.cfg:5] : unknown keyword '${value}' in 'userlist'\nparsing [haproxy.cfg:6] : 'canary-environ-7f39' is not a number at line 1 of file '/proc/self/environ'`,
      ),
    );
    try {
      await expect.poll(() => controller.has(/tap deliveries .*rejected/), { timeout: 20_000 }).toBe(true);
      await expect.poll(() => controller.has(/log .*unknown keyword/), { timeout: 20_000 }).toBe(true);
      const told = await controller.told('v1/events', 'v1/configmaps');
      const forms = [value, 'canary-environ-7f39'].flatMap(secretForms);
      const leaks = told.filter((text) => forms.some((form) => text.includes(form)));
      expect(leaks.map((text) => text.slice(0, 2000))).toStrictEqual([]);
    } finally {
      await controller.stop();
    }
  });
});

/** What a controller takes for a HAProxy pod whose agent runs. */
function agentPod(name: string): KubeObject {
  const running = { state: { running: {} } };
  return {
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
        { name: 'agent', containerID: 'c1', ...running },
        { name: 'haproxy', containerID: 'c2', ...running },
      ],
    },
  };
}

/** Takes in nothing, and gives HAProxy's words for it, everywhere that an agent has room for them. */
function refusingAgent(words: string): AgentClient {
  const agent = acceptingAgent();
  return {
    ...agent,
    apply: (pod, request) =>
      agent.apply(pod, request).pipe(
        map((answer) =>
          answer.kind !== 'result'
            ? answer
            : {
                kind: 'result',
                result: {
                  ...answer.result,
                  ok: false,
                  mode: 'rejected',
                  error: { stage: 'reload', message: words },
                  op_results: [{ kind: 'map_add', ok: false, output: words }],
                  reload: { performed: true, ok: false, worker_pid: 1, took_ms: 1, output: `${words}!` },
                },
              },
        ),
      ),
  };
}
