import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { KubeConfig, type Cluster } from '@kubernetes/client-node';
import { CodedError } from '../lib/coded-error.ts';
import { errorMessage } from '../lib/error-message.ts';
import type { Connection, KubeCredentials } from './credentials.ts';

export interface KubeConfigOptions {
  /** One path, or several in the form of `KUBECONFIG` (the first one's current context counts). */
  readonly kubeconfigPath?: string;
  readonly context?: string;
  /** True: the pod's service account, whatever else there is. */
  readonly inCluster?: boolean;
  /** Directory in which `/var/run/secrets/…` is looked for; the root unless a test says otherwise. */
  readonly rootDir?: string;
}

/**
 * Credentials by the rules of kubectl: the given kubeconfig; else the service account when there is one; else
 * `~/.kube/config`. Never falls back to `http://localhost:8080`.
 *
 * The only importer of `@kubernetes/client-node`, of which nothing but `KubeConfig` is used (exec plugins, OIDC, token
 * files, kubeconfig parsing); the bundle leaves the rest out (scripts/bundle-plugins.ts).
 *
 * @throws CodedError `HAPTIC_ERR_KUBE_CONFIG` when nothing usable is found, naming the file or context
 */
export function loadKubeConfig(options: KubeConfigOptions = {}): KubeCredentials {
  let config = load(options);
  const context = config.getContextObject(config.getCurrentContext());
  return {
    server: serverOf(config),
    namespace: context?.namespace,
    connection: () => connectionOf(config),
    rebuild: () => {
      config = load(options);
    },
  };
}

function load(options: KubeConfigOptions): KubeConfig {
  const root = options.rootDir ?? '';
  try {
    const config = new KubeConfig();
    if (options.inCluster === true) loadServiceAccount(config, root);
    else if (options.kubeconfigPath !== undefined) loadFiles(config, options.kubeconfigPath);
    else if (existsSync(`${root}/var/run/secrets/kubernetes.io/serviceaccount/token`))
      loadServiceAccount(config, root);
    else loadFiles(config, join(homedir(), '.kube', 'config'));
    select(config, options.context);
    config.clusters = config.clusters.map(allowPlainHttp);
    return config;
  } catch (cause) {
    if (cause instanceof CodedError) throw cause;
    const words = cause instanceof Error ? cause.message : String(cause);
    throw new CodedError('HAPTIC_ERR_KUBE_CONFIG', `no usable Kubernetes credentials: ${words}`, { cause });
  }
}

function loadServiceAccount(config: KubeConfig, root: string): void {
  config.loadFromCluster(root);
  const server = config.getCurrentCluster()?.server;
  if (server === undefined || !URL.canParse(server))
    throw new CodedError(
      'HAPTIC_ERR_KUBE_CONFIG',
      'not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set',
    );
}

function loadFiles(config: KubeConfig, paths: string): void {
  const files = paths.split(delimiter).filter((path) => path !== '');
  const present = files.filter((path) => existsSync(path));
  if (present.length === 0)
    throw new CodedError('HAPTIC_ERR_KUBE_CONFIG', `kubeconfig not found: ${files.join(', ')}`);
  present.forEach((path, index) => {
    if (index === 0) {
      loadFile(config, path);
      return;
    }
    const other = new KubeConfig();
    loadFile(other, path);
    // As kubectl does: of entries with one name, the earlier file's counts.
    other.clusters = other.clusters.filter(({ name }) => config.getCluster(name) === null);
    other.users = other.users.filter(({ name }) => config.getUser(name) === null);
    other.contexts = other.contexts.filter(({ name }) => config.getContextObject(name) === null);
    config.mergeConfig(other, true);
  });
}

/** A parser's error quotes the file, which holds secrets: only its first line, with the position, goes on. */
function loadFile(config: KubeConfig, path: string): void {
  try {
    config.loadFromFile(path);
  } catch (error) {
    const [words] = errorMessage(error).split('\n');
    throw new CodedError('HAPTIC_ERR_KUBE_CONFIG', `${path} is not a usable kubeconfig: ${words ?? ''}`);
  }
}

function select(config: KubeConfig, context: string | undefined): void {
  if (context !== undefined) {
    if (config.getContextObject(context) === null) {
      const known = config.getContexts().map(({ name }) => name);
      throw new CodedError(
        'HAPTIC_ERR_KUBE_CONFIG',
        `context "${context}" is not in the kubeconfig; it has: ${known.join(', ') || 'none'}`,
      );
    }
    config.setCurrentContext(context);
  }
  serverOf(config);
  const cluster = config.getCurrentCluster();
  if (cluster?.proxyUrl !== undefined)
    throw new CodedError(
      'HAPTIC_ERR_KUBE_CONFIG',
      `cluster "${cluster.name}" has a proxy-url, which is not supported`,
    );
}

/** client-node refuses `http://` (a local `kubectl proxy`) unless TLS is not verified, which there means nothing. */
function allowPlainHttp(cluster: Cluster): Cluster {
  return cluster.server.startsWith('http:') ? { ...cluster, skipTLSVerify: true } : cluster;
}

function serverOf(config: KubeConfig): string {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined || !URL.canParse(server))
    throw new CodedError(
      'HAPTIC_ERR_KUBE_CONFIG',
      server === undefined
        ? `context "${config.getCurrentContext()}" names no cluster of the kubeconfig`
        : `cluster.server of context "${config.getCurrentContext()}" is not a URL: ${JSON.stringify(server)}`,
    );
  return server.replace(/\/+$/, '');
}

/** The part of `https.RequestOptions` that `applyToHTTPSOptions` fills in. */
interface AppliedOptions {
  headers?: Record<string, string>;
  auth?: string;
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
  servername?: string;
  rejectUnauthorized?: boolean;
}

async function connectionOf(config: KubeConfig): Promise<Connection> {
  const applied: AppliedOptions = { headers: {} };
  await config.applyToHTTPSOptions(applied as Parameters<KubeConfig['applyToHTTPSOptions']>[0]);
  const { ca, cert, key, servername } = applied;
  return {
    server: serverOf(config),
    headers: {
      // A token file may end in a newline, which no header may hold.
      ...Object.fromEntries(
        Object.entries(applied.headers ?? {}).map(([name, value]) => [name, value.trim()]),
      ),
      ...(applied.auth === undefined
        ? {}
        : { Authorization: `Basic ${Buffer.from(applied.auth).toString('base64')}` }),
    },
    tls: {
      ...(ca === undefined ? {} : { ca: ca.toString() }),
      ...(cert === undefined ? {} : { cert: cert.toString() }),
      ...(key === undefined ? {} : { key: key.toString() }),
      ...(servername === undefined ? {} : { servername }),
      skipVerify: applied.rejectUnauthorized === false,
    },
  };
}
