import { expect, it } from 'vitest';
import {
  webhookConfigurationOf,
  type WebhookConfigurationOptions,
} from '../../../src/webhook/webhook-configuration.ts';
import { createAdmissionScene } from '../../fixtures/admission-scene.ts';

const options: WebhookConfigurationOptions = {
  name: 'haptic',
  address: { kind: 'service', namespace: 'ns', name: 'webhook', port: 443 },
  authorities: 'PEM',
  failurePolicy: 'Ignore',
  timeoutSeconds: 7,
  withConfigurationKinds: false,
};

interface Shown {
  readonly name: string;
  readonly rules: unknown;
  readonly objectSelector?: unknown;
  readonly namespaceSelector?: unknown;
  readonly clientConfig: unknown;
  readonly timeoutSeconds: number;
}

async function webhooksOf(watchedResources: object, change: Partial<WebhookConfigurationOptions> = {}) {
  const scene = await createAdmissionScene({ own: { watchedResources } });
  const { webhooks } = webhookConfigurationOf(scene.world.config, { ...options, ...change });
  scene.dispose();
  return webhooks as readonly Shown[];
}

const widgets = { apiVersion: 'example.com/v1', resources: 'widgets', enableValidationWebhook: true };

it('takes no label that a chart has: who manages the object is not its to say', async () => {
  const scene = await createAdmissionScene({});
  const { metadata } = webhookConfigurationOf(scene.world.config, options);
  scene.dispose();
  expect(metadata.labels).toEqual({ 'app.kubernetes.io/part-of': 'haptic' });
});

it('asks about what is watched with the flag, and nothing else', async () => {
  const [ingresses, ...more] = await webhooksOf({});
  expect(more).toEqual([]);
  expect(ingresses).toEqual({
    name: 'ingresses.watched.haproxy-haptic.org',
    admissionReviewVersions: ['v1'],
    clientConfig: {
      service: { namespace: 'ns', name: 'webhook', port: 443, path: '/validate' },
      caBundle: Buffer.from('PEM').toString('base64'),
    },
    failurePolicy: 'Ignore',
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    timeoutSeconds: 7,
    rules: [
      {
        apiGroups: ['networking.k8s.io'],
        apiVersions: ['v1'],
        resources: ['ingresses'],
        operations: ['CREATE', 'UPDATE', 'DELETE'],
        scope: '*',
      },
    ],
  });
});

it('leaves to API servers what selectors can say', async () => {
  const named = await webhooksOf({
    widgets: { ...widgets, labelSelector: 'a in (y, x), !b, c > 1', namespaces: ['q', 'p'] },
  });
  expect(named[1]).toMatchObject({
    name: 'widgets.watched.haproxy-haptic.org',
    objectSelector: {
      matchExpressions: [
        { key: 'b', operator: 'DoesNotExist' },
        { key: 'a', operator: 'In', values: ['x', 'y'] },
      ],
    },
    namespaceSelector: {
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['p', 'q'] }],
    },
  });
  const selected = await webhooksOf({ widgets: { ...widgets, namespaceSelector: 'team=a' } });
  expect(selected[1]).toMatchObject({
    namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'In', values: ['a'] }] },
  });
  expect(selected[1]).not.toHaveProperty('objectSelector');
});

it('gives entries names that the API takes, whatever they are called', async () => {
  const names = (await webhooksOf({ Widgets: widgets, 'a b': widgets, ['x'.repeat(90)]: widgets })).map(
    ({ name }) => name,
  );
  expect(new Set(names).size).toBe(4);
  for (const name of names)
    expect(name).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.watched\.haproxy-haptic\.org$/);
});

it('asks about several versions by one rule for each group', async () => {
  const { apiVersion: _, ...rest } = widgets;
  const webhooks = await webhooksOf({
    widgets: { ...rest, apiVersions: ['a.example/v2', 'b.example/v1', 'a.example/v1'] },
  });
  expect(webhooks[1]?.rules).toMatchObject([
    { apiGroups: ['a.example'], apiVersions: ['v2', 'v1'] },
    { apiGroups: ['b.example'], apiVersions: ['v1'] },
  ]);
});

it('asks about the configuration kinds where they are judged, by URL where it is so reached', async () => {
  const webhooks = await webhooksOf(
    {},
    { withConfigurationKinds: true, address: { kind: 'url', url: 'https://x/validate' } },
  );
  expect(webhooks[1]).toMatchObject({
    name: 'configuration.haproxy-haptic.org',
    clientConfig: { url: 'https://x/validate' },
    rules: [{ resources: ['haproxytemplateconfigs', 'haproxytemplatelibraries'] }],
  });
});

it('has API servers wait for a configuration as long as they can', async () => {
  const webhooks = await webhooksOf({}, { withConfigurationKinds: true });
  expect(webhooks.map(({ name, timeoutSeconds }) => [name.split('.')[0], timeoutSeconds])).toEqual([
    ['ingresses', 7],
    ['configuration', 30],
  ]);
});
