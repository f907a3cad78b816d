import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { kubeClient } from '../../src/kube/kube-client.ts';
import { loadKubeConfig } from '../../src/kube/kube-config.ts';
import { type KubeTransport, kubeTransport } from '../../src/kube/kube-transport.ts';
import type { ApiServer } from '../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../src/sandbox/api/create-api-server.ts';
import { applyWithTicket } from '../../src/webhook/apply-with-ticket.ts';
import { webhookConfigurationOf } from '../../src/webhook/webhook-configuration.ts';

const text = `
podSelector: {matchLabels: {app: haproxy}}
watchedResources:
  widgets: {apiVersion: example.com/v1, resources: widgets, enableValidationWebhook: true}
haproxyConfig: {template: "global\\n"}
`;
const ref = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  resources: 'validatingwebhookconfigurations',
};

let api: ApiServer;
let folder = '';
let transport: KubeTransport;

beforeAll(async () => {
  api = await createApiServer();
  folder = await mkdtemp(path.join(tmpdir(), 'haptic-ticket-'));
  const kubeconfigPath = path.join(folder, 'kubeconfig');
  await writeFile(kubeconfigPath, api.kubeconfig(), { mode: 0o600 });
  transport = kubeTransport(loadKubeConfig({ kubeconfigPath }));
});
afterAll(async () => {
  await transport.close();
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

it('a ValidatingWebhookConfiguration has its own uid where configurations are asked about, every time that it is applied', async () => {
  const object = webhookConfigurationOf(loadConfig([{ name: 'test.yaml', text }]), {
    name: 'haptic',
    address: { kind: 'url', url: 'https://localhost:1/validate' },
    authorities: 'pem',
    failurePolicy: 'Ignore',
    timeoutSeconds: 1,
    withConfigurationKinds: true,
  });
  const { signal } = new AbortController();
  const learnt: string[] = [];
  const urls: unknown[] = [];
  for (const _time of [1, 2]) {
    expect(await applyWithTicket(transport, object, (ticket) => learnt.push(ticket), signal)).toMatchObject({
      ok: true,
    });
    const stored = await kubeClient(transport).get(ref, 'haptic', { signal });
    if (!stored.ok) throw new Error('it is not there');
    expect(learnt.at(-1)).toBe(stored.value.metadata.uid);
    const webhooks = stored.value['webhooks'] as readonly {
      readonly clientConfig: { readonly url: string };
    }[];
    urls.push(webhooks.map(({ clientConfig }) => clientConfig.url));
  }
  const [ticket = ''] = learnt;
  expect(learnt).toEqual([ticket, ticket]);
  const expected = ['https://localhost:1/validate', `https://localhost:1/validate/${ticket}`];
  expect(urls).toEqual([expected, expected]);
});
