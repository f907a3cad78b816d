import type { AgentClient } from '../fleet/agent-client.ts';
import { createAgentClient } from '../fleet/agent-client.ts';
import type { KubeCredentials } from '../kube/credentials.ts';
import { kubeClient } from '../kube/kube-client.ts';
import { loadKubeConfig } from '../kube/kube-config.ts';
import { kubeTransport, type KubeTransport } from '../kube/kube-transport.ts';
import { CodedError } from '../lib/coded-error.ts';
import { parseDuration } from '../lib/duration.ts';
import { errorMessage } from '../lib/error-message.ts';
import { agentTlsDir, parseAgentAccess } from './agent-access.ts';
import { checkCrds } from './check-crds.ts';
import type { CliCall } from './cli-command.ts';
import { clusterConfig } from './cluster-config.ts';
import type { doctorOptions } from './doctor-command.ts';
import { bundleFiles } from './doctor/bundle-files.ts';
import { checkCertificateSecrets } from './doctor/check-certificate-secrets.ts';
import { checkApi, checkPermissions } from './doctor/check-cluster.ts';
import { checkConfiguration } from './doctor/check-configuration.ts';
import { checkController } from './doctor/check-controller.ts';
import { checkFleet } from './doctor/check-fleet.ts';
import { checkInstallation } from './doctor/check-installation.ts';
import { checkCertificates, checkHaproxy } from './doctor/check-machine.ts';
import { collectSecrets } from './doctor/collect-secrets.ts';
import type { DoctorDeps } from './doctor/doctor-deps.ts';
import { findInstallation, type FoundInstallation, type Installation } from './doctor/installation.ts';
import { releaseFindings } from './doctor/release-findings.ts';
import { describeFindings, type Finding } from './finding.ts';
import { createScrubber } from './doctor/scrub.ts';
import { writeBundle } from './doctor/write-bundle.ts';
import { librariesPath } from './libraries-path.ts';
import { printed } from './printed.ts';
import { readConfig } from './read-config.ts';

type Call = CliCall<typeof doctorOptions>;

/** `haptic doctor`: exit code 1 when something is wrong. */
export async function runDoctor(call: Call): Promise<number> {
  const { values, out, err, signal } = call;
  const timeoutMs = parseDuration(values.timeout, '--timeout');
  const logLines = wholeNumber(values['log-lines'], '--log-lines');
  await using resources = new AsyncDisposableStack();
  const { deps, headers, found } = await gather(call, resources, () =>
    AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  );
  const findings: Finding[] = [];
  findings.push(...(await checkApi(deps)));
  const hasApi = findings.every(({ status }) => status === 'ok');
  if (hasApi)
    findings.push(
      ...releaseFindings(found, deps.namespace, values.release),
      ...(await checkCrds(deps)),
      ...(await checkPermissions(deps)),
    );
  findings.push(...checkConfiguration(deps), ...(await checkHaproxy(deps)), ...checkCertificates(deps));
  if (hasApi) findings.push(...(await checkCertificateSecrets(deps)), ...(await checkInstallation(deps)));
  const fleet = hasApi ? await checkFleet(deps) : { findings: [], pods: [] };
  const controller = await checkController(deps);
  findings.push(...fleet.findings, ...controller.findings);

  if (values.bundle !== undefined) {
    const secrets = await collectSecrets({
      ...{ kube: deps.kube, signal: deps.signal(), env: call.env, headers, config: deps.config },
      ...(deps.tlsDir !== undefined && { tlsDir: deps.tlsDir }),
    });
    const { pods } = fleet;
    const { taps } = controller;
    const sources = { findings, pods, metricsUrl: values['metrics-url'], logLines, ...(taps && { taps }) };
    const written = await writeBundle(values.bundle, await bundleFiles(deps, sources), {
      scrub: createScrubber(secrets.values),
      ...(secrets.incomplete !== undefined && { incomplete: secrets.incomplete }),
    });
    err(`haptic doctor: ${values.bundle} has ${written.length} files\n`);
    if (secrets.incomplete !== undefined)
      err('haptic doctor: not every Secret could be read, so what may hold their values was left out\n');
  }
  out(printed(values.output, { findings }, () => describeFindings(findings)));
  return findings.some(({ status }) => status === 'failed') ? 1 : 0;
}

/** Everything that is looked at, and why it cannot be where it cannot. */
async function gather(
  { values, env }: Call,
  resources: AsyncDisposableStack,
  signal: () => AbortSignal,
): Promise<{
  readonly deps: DoctorDeps;
  readonly headers: Readonly<Record<string, string>>;
  readonly found: FoundInstallation;
}> {
  const opened = credentialsOf(values);
  const transport = 'failure' in opened ? unreachable(opened.failure) : kubeTransport(opened.credentials);
  resources.defer(() => transport.close());
  const kube = kubeClient(transport);
  const credentials = 'failure' in opened ? undefined : opened.credentials;
  const namespace = values.namespace ?? credentials?.namespace ?? 'default';
  const { release } = values;
  const found = await findInstallation(kube, {
    namespace,
    signal,
    ...(release !== undefined && { release }),
  });
  const installation = found.kind === 'found' ? found.installation : undefined;
  const config = await configOf(values, kube, {
    namespace,
    signal: signal(),
    ...configNameOf(values, installation),
  });
  const access = agentsOf(values, env);
  if ('agents' in access) resources.defer(() => access.agents.close());
  const tlsDir = agentTlsDir(values['agent-tls-dir'], env);
  const isPlain = values['no-agent-tls'];
  const [, ns, name] = /^([^/]+)\/([^/]+)$/.exec(values['service-account'] ?? '') ?? [];
  if (values['service-account'] !== undefined && (ns === undefined || name === undefined))
    throw usage(`--service-account must be NAMESPACE/NAME, not "${values['service-account']}"`);
  const connection = await credentials?.connection().catch(() => undefined);
  return {
    headers: connection?.headers ?? {},
    found,
    deps: {
      ...{ transport, kube, namespace, haproxy: values.haproxy, url: values.url, now: Date.now, signal },
      ...('failure' in opened && { kubeFailure: opened.failure }),
      ...config,
      ...access,
      ...(!isPlain && { tlsDir }),
      ...(installation && { installation, serviceAccount: installation.serviceAccount }),
      ...(ns !== undefined && name !== undefined && { serviceAccount: { namespace: ns, name } }),
    },
  };
}

function credentialsOf({
  kubeconfig,
  context,
}: Call['values']): { readonly credentials: KubeCredentials } | { readonly failure: string } {
  try {
    const credentials = loadKubeConfig({
      ...(kubeconfig !== undefined && { kubeconfigPath: kubeconfig }),
      ...(context !== undefined && { context }),
    });
    return { credentials };
  } catch (error) {
    return { failure: errorMessage(error) };
  }
}

function unreachable(message: string): KubeTransport {
  return {
    request: () => Promise.resolve({ ok: false, failure: { kind: 'credentials', message } }),
    close: () => Promise.resolve(),
  };
}

/** The one that was asked for; else that of the release, unless the configuration is in files. */
function configNameOf(
  values: Call['values'],
  installation: Installation | undefined,
): { readonly name?: string } {
  const name = values['crd-name'] ?? (values.values.length > 0 ? undefined : installation?.configName);
  return name === undefined ? {} : { name };
}

async function configOf(
  values: Call['values'],
  kube: ReturnType<typeof kubeClient>,
  {
    name,
    namespace,
    signal,
  }: { readonly name?: string; readonly namespace: string; readonly signal: AbortSignal },
): Promise<Pick<DoctorDeps, 'config' | 'configObject' | 'configFailure'>> {
  const libraries = values.libraries ?? librariesPath(import.meta.url);
  try {
    if (name === undefined || values.values.length > 0)
      return { config: await readConfig(libraries, values.values) };
    const { object, resolution } = await clusterConfig(kube, { namespace, name, libraries, signal });
    return { config: resolution.config, configObject: object };
  } catch (error) {
    return { configFailure: errorMessage(error) };
  }
}

function agentsOf(
  values: Call['values'],
  env: Call['env'],
): { readonly agents: AgentClient } | { readonly agentFailure: string } {
  try {
    return { agents: createAgentClient(parseAgentAccess(values, env, { needsCredentials: true })) };
  } catch (error) {
    return { agentFailure: errorMessage(error) };
  }
}

function wholeNumber(text: string, flag: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw usage(`${flag} must be a whole number, not "${text}"`);
}

function usage(message: string): CodedError {
  return new CodedError('HAPTIC_ERR_CLI_USAGE', message);
}
