import path from 'node:path';
import { type CertificatePolicy, defaultPolicy } from '../certificates/certificate-policy.ts';
import type { CertificateStore } from '../certificates/certificate-store.ts';
import { folderStore } from '../certificates/folder-store.ts';
import { type Renewal, renewCertificates } from '../certificates/renew-certificates.ts';
import { renewSelfSigned } from '../certificates/renew-self-signed.ts';
import { secretStore } from '../certificates/secret-store.ts';
import { kubeClient } from '../kube/kube-client.ts';
import { loadKubeConfig } from '../kube/kube-config.ts';
import { kubeTransport } from '../kube/kube-transport.ts';
import { CodedError } from '../lib/coded-error.ts';
import type { certificatesOptions } from './certificates-command.ts';
import type { CliCall, CliValues } from './cli-command.ts';
import { printed } from './printed.ts';

export interface CertificatesArguments {
  readonly place:
    | { readonly kind: 'folder'; readonly dir: string }
    | {
        readonly kind: 'secrets';
        readonly namespace: string;
        readonly names: {
          readonly issuer: string;
          readonly server: string;
          readonly client: string;
          readonly fallback?: string;
        };
        readonly kubeconfig?: string;
        readonly context?: string;
      };
  readonly policy: CertificatePolicy;
  readonly rotate: boolean;
}

/** `haptic certificates`: one pass. What was written goes to stdout, never a key. */
export async function runCertificates({
  values,
  signal,
  out,
}: CliCall<typeof certificatesOptions>): Promise<number> {
  const { place, policy, rotate: force } = parseCertificatesArguments(values);
  await using resources = new AsyncDisposableStack();
  signal.throwIfAborted();
  const store = openStore(place, resources);
  const deps = { store, policy, now: Date.now, force };
  const hasFallback = place.kind === 'secrets' && place.names.fallback !== undefined;
  // Neither waits for the other, nor fails with it: HAProxy pods need the one to start, HTTPS the other.
  const passes = await Promise.allSettled([
    renewCertificates(deps),
    ...(hasFallback ? [renewSelfSigned(deps)] : []),
  ]);
  const done = passes.flatMap((pass) => (pass.status === 'fulfilled' ? pass.value : []));
  const failed = passes.find((pass) => pass.status === 'rejected');
  if (done.length > 0 || failed === undefined) out(printed(values.output, done, () => describe(done)));
  if (failed !== undefined) throw failed.reason;
  return 0;
}

/** Flags as options; throws CodedError that says what is wrong with which flag. */
export function parseCertificatesArguments(
  values: CliValues<typeof certificatesOptions>,
): CertificatesArguments {
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
  const fallback = values['self-signed-secret'];
  const names = {
    issuer: values['issuer-secret'],
    server: values['server-secret'],
    client: values['client-secret'],
    ...(fallback !== undefined && { fallback }),
  };
  if (new Set(Object.values(names)).size !== Object.values(names).length)
    throw usage('the Secrets must have different names');
  if (fallback !== undefined && dir !== undefined)
    throw usage('--self-signed-secret goes with --namespace only');
  const { kubeconfig } = values;
  return {
    place:
      dir !== undefined && dir !== ''
        ? { kind: 'folder', dir: path.resolve(dir) }
        : {
            kind: 'secrets',
            namespace: namespace ?? '',
            names,
            ...(kubeconfig !== undefined && { kubeconfig }),
            ...(values.context !== undefined && { context: values.context }),
          },
    policy: {
      ...defaultPolicy,
      serverName: values['server-name'],
      clientName: values['client-name'],
      validityMs: days * 24 * 3_600_000,
    },
    rotate: values.rotate,
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
  fallback: 'self-signed certificate of HAProxy',
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
