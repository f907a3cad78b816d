import type { KubeObject } from '../api/kube-object.ts';
import { isRecord } from '../lib/is-record.ts';
import { configurationWebhook } from './webhook-configuration.ts';

/**
 * The same ValidatingWebhookConfiguration, by which API servers show a ticket where they ask about configurations: as the last part of the path.
 * Nobody else can know it who may not read the object.
 */
export function withTicket(object: KubeObject, ticket: string): KubeObject {
  const webhooks: unknown = object['webhooks'];
  if (!Array.isArray(webhooks)) return object;
  return {
    ...object,
    webhooks: webhooks.map((webhook: unknown) =>
      isRecord(webhook) && webhook['name'] === configurationWebhook
        ? { ...webhook, clientConfig: clientConfigWith(webhook['clientConfig'], ticket) }
        : webhook,
    ),
  };
}

function clientConfigWith(given: unknown, ticket: string): unknown {
  if (!isRecord(given)) return given;
  const { service, url } = given;
  if (typeof url === 'string') return { ...given, url: `${url.replace(/\/$/, '')}/${ticket}` };
  if (!isRecord(service) || typeof service['path'] !== 'string') return given;
  return { ...given, service: { ...service, path: `${service['path']}/${ticket}` } };
}
