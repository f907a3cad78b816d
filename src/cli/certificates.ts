import path from 'node:path';
import { parseArgs } from 'node:util';
import { type CertificatePolicy, defaultPolicy } from '../certificates/certificate-policy.ts';
import type { CertificateStore } from '../certificates/certificate-store.ts';
import { folderStore } from '../certificates/folder-store.ts';
import { type Renewal, renewCertificates } from '../certificates/renew-certificates.ts';
import { secretStore } from '../certificates/secret-store.ts';
import { kubeClient } from '../kube/kube-client.ts';
import { loadKubeConfig } from '../kube/kube-config.ts';
import { kubeTransport } from '../kube/kube-transport.ts';
import { CodedError } from '../lib/coded-error.ts';
import { errorMessage } from '../lib/error-message.ts';
import { tlsNames } from '../protocol/tls-names.ts';

export const certificatesUsage = `usage: haptic certificates --dir DIR | --namespace NS [options]

Issues the certificates by which controller and agents know each other, and renews them 30 days before they end. Does nothing when
nothing is due, so run it every hour. Nothing has to be restarted.

  --dir DIR                into DIR/issuer, DIR/server (for agents) and DIR/client (for the controller)
  --namespace NS           into Secrets of this namespace
  --issuer-secret NAME     the authority with its key; mount it nowhere (haptic-agent-issuer)
  --server-secret NAME     for the agents (haptic-agent-tls)
  --client-secret NAME     for the controller (haptic-controller-tls)
  --server-name NAME       DNS name in the agents' certificate (${tlsNames.agent})
  --client-name NAME       DNS name in the controller's certificate (${tlsNames.controller})
  --validity-days N        1 to 3650 (365); below 90, a third of it is left at renewal
  --rotate                 a new authority and new certificates now; refused while the last change is not an hour old
  --output text|json       what was written (text)
  --kubeconfig FILE        credentials (default: the pod's service account, else ~/.kube/config)
  --context NAME           context of the kubeconfig
`;

export interface CertificatesArguments {
  readonly place:
    | { readonly kind: 'folder'; readonly dir: string }
    | {
        readonly kind: 'secrets';
        readonly namespace: string;
        readonly names: { readonly issuer: string; readonly server: string; readonly client: string };
        readonly kubeconfig?: string;
        readonly context?: string;
      };
  readonly policy: CertificatePolicy;
  readonly rotate: boolean;
  readonly json: boolean;
}

/** `haptic certificates`: one pass. What was written goes to stdout, never a key. Exit codes: 0 done, 1 failed, 2 usage. */
export async function runCertificatesCommand(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<number> {
  let parsed: CertificatesArguments | 'help';
  try {
    parsed = parseCertificatesArguments(argv, env);
  } catch (error) {
    process.stderr.write(`haptic certificates: ${errorMessage(error)}\n`);
    return 2;
  }
  if (parsed === 'help') {
    process.stdout.write(certificatesUsage);
    return 0;
  }
  const { place, policy, rotate: force, json } = parsed;
  await using resources = new AsyncDisposableStack();
  try {
    signal.throwIfAborted();
    const store = openStore(place, resources);
    const done = await renewCertificates({ store, policy, now: Date.now, force });
    process.stdout.write(json ? `${JSON.stringify(done)}\n` : describe(done));
    return 0;
  } catch (error) {
    process.stderr.write(`haptic certificates: ${errorMessage(error)}\n`);
    return 1;
  }
}

/** Flags as options; throws CodedError or TypeError that says what is wrong with which flag. */
export function parseCertificatesArguments(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): CertificatesArguments | 'help' {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  const { values } = parseArgs({
    args: [...argv],
    strict: true,
    options: {
      dir: { type: 'string' },
      namespace: { type: 'string' },
      'issuer-secret': text('haptic-agent-issuer'),
      'server-secret': text('haptic-agent-tls'),
      'client-secret': text('haptic-controller-tls'),
      'server-name': text(defaultPolicy.serverName),
      'client-name': text(defaultPolicy.clientName),
      'validity-days': text('365'),
      rotate: { type: 'boolean', default: false },
      output: text('text'),
      kubeconfig: { type: 'string' },
      context: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const { dir, namespace } = values;
  if ((dir ?? '') === '' ? (namespace ?? '') === '' : namespace !== undefined)
    throw usage('give either --dir or --namespace');
  for (const flag of ['server-name', 'client-name'] as const)
    if (!/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(values[flag]) || values[flag].length > 253)
      throw usage(`--${flag} must be a DNS name`);
  if (values['server-name'].toLowerCase() === values['client-name'].toLowerCase())
    throw usage('--server-name and --client-name must differ: they tell the two sides apart');
  const days = Number(values['validity-days']);
  if (!(Number.isInteger(days) && days >= 1 && days <= 3650))
    throw usage('--validity-days must be a whole number from 1 to 3650');
  if (!['text', 'json'].includes(values.output)) throw usage('--output must be text or json');
  const names = {
    issuer: values['issuer-secret'],
    server: values['server-secret'],
    client: values['client-secret'],
  };
  if (new Set(Object.values(names)).size !== 3) throw usage('the three Secrets must have different names');
  const kubeconfig = values.kubeconfig ?? env['KUBECONFIG'];
  return {
    place:
      dir !== undefined && dir !== ''
        ? { kind: 'folder', dir: path.resolve(dir) }
        : {
            kind: 'secrets',
            namespace: namespace ?? '',
            names,
            ...(kubeconfig !== undefined && kubeconfig !== '' && { kubeconfig }),
            ...(values.context !== undefined && { context: values.context }),
          },
    policy: {
      ...defaultPolicy,
      serverName: values['server-name'],
      clientName: values['client-name'],
      validityMs: days * 24 * 3_600_000,
    },
    rotate: values.rotate,
    json: values.output === 'json',
  };
}

function openStore(place: CertificatesArguments['place'], resources: AsyncDisposableStack): CertificateStore {
  if (place.kind === 'folder') return folderStore(place.dir);
  const credentials = loadKubeConfig({
    ...(place.kubeconfig !== undefined && { kubeconfigPath: place.kubeconfig }),
    ...(place.context !== undefined && { context: place.context }),
  });
  const transport = kubeTransport(credentials);
  resources.defer(() => transport.close());
  return secretStore(kubeClient(transport), place);
}

const titles: Readonly<Record<Renewal['holder'], string>> = {
  issuer: 'authority',
  server: "agents' certificate",
  client: "controller's certificate",
};

function describe(done: readonly Renewal[]): string {
  if (done.length === 0) return 'nothing is due\n';
  return done
    .map(({ holder, reason, notAfter }) => `${titles[holder]} written: ${reason}; valid until ${notAfter}\n`)
    .join('');
}

function usage(message: string): CodedError {
  return new CodedError('HAPTIC_ERR_CERTIFICATES_USAGE', message);
}
