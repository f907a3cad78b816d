import { describe, expect, it, test } from 'vitest';
import { runCommand } from '../../../src/cli/run-command.ts';
import { parseRunOptions } from '../../../src/cli/run-options.ts';
import { lineOf } from './values-of.ts';

const webhookOf = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  parseRunOptions(lineOf(runCommand, argv, env).values, env, '/libraries').webhook;

describe('the webhook of haptic run', () => {
  it('is off unless something of its own is given', () => {
    expect(webhookOf([])).toBeUndefined();
    expect(webhookOf(['--webhook-listen', ':1', '--webhook-timeout', '5s'])).toBeUndefined();
    expect(webhookOf([], { WEBHOOK_TLS_DIR: '', WEBHOOK_SERVICE_NAME: '' })).toBeUndefined();
  });

  it('takes a folder of certificates, and leaves its configuration to others', () => {
    expect(webhookOf(['--webhook-tls-dir', '/etc/webhook'])).toStrictEqual({
      listen: { host: '::', port: 9443 },
      certificate: { kind: 'folder', dir: '/etc/webhook' },
    });
  });

  it('issues its own certificate for the name of its Service', () => {
    const webhook = webhookOf(['--webhook-configuration', 'haptic'], {
      WEBHOOK_SERVICE_NAME: 'haptic-webhook',
      POD_NAMESPACE: 'haptic-system',
    });
    expect(webhook).toMatchObject({
      certificate: {
        kind: 'secrets',
        namespace: 'haptic-system',
        name: 'haptic-webhook-tls',
        policy: { serverName: 'haptic-webhook.haptic-system.svc' },
      },
      configuration: {
        name: 'haptic',
        address: { kind: 'service', namespace: 'haptic-system', name: 'haptic-webhook', port: 443 },
        failurePolicy: 'Ignore',
        timeoutSeconds: 10,
      },
    });
  });

  it('is reached by a URL, to which the path is added', () => {
    const argv = [
      '--webhook-url',
      'https://localhost:9443',
      '--webhook-tls-dir',
      '/x',
      '--webhook-configuration',
      'h',
    ];
    expect(
      webhookOf([...argv, '--webhook-failure-policy', 'Fail', '--webhook-timeout', '3s'])?.configuration,
    ).toStrictEqual({
      name: 'h',
      address: { kind: 'url', url: 'https://localhost:9443/validate' },
      failurePolicy: 'Fail',
      timeoutSeconds: 3,
    });
  });

  const service = ['--webhook-service', 'w', '--namespace', 'ns'];
  test.each([
    [
      [...service, '--webhook-url', 'https://x'],
      '--webhook-service (or WEBHOOK_SERVICE_NAME) does not go with --webhook-url',
    ],
    [['--webhook-service', 'w'], '--webhook-service needs --namespace'],
    [['--webhook-service', 'W!', '--namespace', 'ns'], '--webhook-service must be the name of a Service'],
    [['--webhook-url', 'http://x', '--namespace', 'ns'], '--webhook-url must be an https URL'],
    [['--webhook-url', 'https://x'], 'without --webhook-tls-dir, --namespace'],
    [[...service, '--webhook-secret', ''], '--webhook-secret must be the name of a Secret'],
    [[...service, '--webhook-timeout', '31s'], '--webhook-timeout must be whole seconds from 1s to 30s'],
    [[...service, '--webhook-timeout', '1500ms'], '--webhook-timeout must be whole seconds from 1s to 30s'],
    [
      ['--webhook-tls-dir', '/x', '--webhook-configuration', 'h'],
      '--webhook-configuration needs --webhook-service or --webhook-url',
    ],
  ])('refuses %j', (argv, words) => {
    expect(() => webhookOf(argv)).toThrow(words);
  });

  it('refuses a failure policy that there is not', () => {
    expect(() => webhookOf([...service, '--webhook-failure-policy', 'Maybe'])).toThrow(/Ignore/);
  });
});
