import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { webhookConfigurationOf, type WebhookAddress } from '../../../src/webhook/webhook-configuration.ts';
import { withTicket } from '../../../src/webhook/with-ticket.ts';

const text = `
podSelector: {matchLabels: {app: haproxy}}
watchedResources:
  widgets: {apiVersion: example.com/v1, resources: widgets, enableValidationWebhook: true}
haproxyConfig: {template: "global\\n"}
`;
const configOf = (address: WebhookAddress) =>
  webhookConfigurationOf(loadConfig([{ name: 'test.yaml', text }]), {
    name: 'haptic',
    address,
    authorities: 'pem',
    failurePolicy: 'Ignore',
    timeoutSeconds: 10,
    withConfigurationKinds: true,
  });
const clientsOf = (object: ReturnType<typeof configOf>) =>
  (object['webhooks'] as { name: string; clientConfig: { url?: string; service?: { path: string } } }[]).map(
    ({ name, clientConfig: { url, service } }) => [name, url ?? service?.path],
  );

describe('a ticket', () => {
  it.each([
    ['service', { kind: 'service', namespace: 'haptic', name: 'webhook', port: 443 }, '/validate'],
    ['address', { kind: 'url', url: 'https://localhost:9443/validate' }, 'https://localhost:9443/validate'],
  ] as const)('is shown where configurations are asked about, by %s', (_what, address, plain) => {
    const object = configOf(address);
    expect(clientsOf(withTicket(object, 'u1'))).toEqual([
      ['widgets.watched.haproxy-haptic.org', plain],
      ['configuration.haproxy-haptic.org', `${plain}/u1`],
    ]);
    // What is wanted stays as it is: it is compared with what is wanted next.
    expect(clientsOf(object).map(([, path]) => path)).toEqual([plain, plain]);
  });

  it('is nowhere where nobody is asked about configurations', () => {
    const none = { metadata: { name: 'haptic' } };
    expect(withTicket(none, 'u1')).toBe(none);
  });
});
