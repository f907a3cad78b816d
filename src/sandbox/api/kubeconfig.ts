import type { TlsMaterial } from './tls-material.ts';
import { toYaml } from '../../lib/to-yaml.ts';

/** A kubeconfig (YAML) for the administrator of the server at `url`; it holds a private key. */
export function formatKubeconfig(url: string, tls: TlsMaterial): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'haptic-sandbox', cluster: { server: url, 'certificate-authority-data': base64(tls.caCert) } },
    ],
    users: [
      {
        name: 'sandbox-admin',
        user: {
          'client-certificate-data': base64(tls.clientCert),
          'client-key-data': base64(tls.clientKey),
        },
      },
    ],
    contexts: [
      {
        name: 'haptic-sandbox',
        context: { cluster: 'haptic-sandbox', user: 'sandbox-admin', namespace: 'default' },
      },
    ],
    'current-context': 'haptic-sandbox',
  });
}
