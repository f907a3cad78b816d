import path from 'node:path';
import { defaultPolicy } from '../certificates/certificate-policy.ts';
import { CodedError } from '../lib/coded-error.ts';
import { parseDuration } from '../lib/duration.ts';
import type { WebhookAddress } from '../webhook/webhook-configuration.ts';
import type { WebhookCertificate, WebhookOptions } from '../webhook/webhook-options.ts';
import type { CliValues } from './cli-command.ts';
import { parseListen } from './parse-listen.ts';
import type { webhookFlags } from './webhook-flags.ts';

type Flags = CliValues<typeof webhookFlags>;

const validatePath = '/validate';
const kubernetesName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

/**
 * Options of the admission webhook; undefined when none is asked for.
 *
 * @param namespace of the controller
 * @throws CodedError `HAPTIC_ERR_CLI_USAGE` naming the flag
 */
export function parseWebhookFlags(flags: Flags, namespace: string | undefined): WebhookOptions | undefined {
  const dir = given(flags['webhook-tls-dir']);
  const service = given(flags['webhook-service']);
  const url = given(flags['webhook-url']);
  if (dir === undefined && service === undefined && url === undefined) return undefined;
  if (service !== undefined && url !== undefined)
    throw usageError('--webhook-service (or WEBHOOK_SERVICE_NAME) does not go with --webhook-url');
  const address = addressOf(service, url, namespace);
  const name = given(flags['webhook-configuration']);
  if (name !== undefined && address === undefined)
    throw usageError(
      '--webhook-configuration needs --webhook-service or --webhook-url: how API servers get there',
    );
  const timeoutSeconds = parseDuration(flags['webhook-timeout'], '--webhook-timeout') / 1000;
  if (!Number.isInteger(timeoutSeconds) || timeoutSeconds < 1 || timeoutSeconds > 30)
    throw usageError('--webhook-timeout must be whole seconds from 1s to 30s');
  return {
    listen: parseListen(flags['webhook-listen'], '--webhook-listen'),
    certificate:
      dir === undefined
        ? secretsOf(flags['webhook-secret'], namespace, address)
        : { kind: 'folder', dir: path.resolve(dir) },
    ...(name === undefined || address === undefined
      ? {}
      : {
          configuration: {
            name,
            address,
            failurePolicy: flags['webhook-failure-policy'] === 'Fail' ? 'Fail' : 'Ignore',
            timeoutSeconds,
          },
        }),
  };
}

function addressOf(
  service: string | undefined,
  url: string | undefined,
  namespace: string | undefined,
): WebhookAddress | undefined {
  if (service !== undefined) {
    if (!kubernetesName.test(service)) throw usageError('--webhook-service must be the name of a Service');
    if (namespace === undefined || namespace === '')
      throw usageError('--webhook-service needs --namespace (or POD_NAMESPACE)');
    return { kind: 'service', namespace, name: service, port: 443 };
  }
  if (url === undefined) return undefined;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'https:') throw usageError('--webhook-url must be an https URL');
  if (parsed.pathname === '/') parsed.pathname = validatePath;
  return { kind: 'url', url: parsed.href };
}

function secretsOf(
  name: string,
  namespace: string | undefined,
  address: WebhookAddress | undefined,
): WebhookCertificate {
  if (!kubernetesName.test(name)) throw usageError('--webhook-secret must be the name of a Secret');
  if (namespace === undefined || namespace === '' || address === undefined)
    throw usageError(
      'without --webhook-tls-dir, --namespace (or POD_NAMESPACE) must say where the certificate is kept',
    );
  const serverName =
    address.kind === 'service' ? `${address.name}.${address.namespace}.svc` : new URL(address.url).hostname;
  return { kind: 'secrets', namespace, name, policy: { ...defaultPolicy, serverName } };
}

function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function usageError(message: string): CodedError {
  return new CodedError('HAPTIC_ERR_CLI_USAGE', message);
}
