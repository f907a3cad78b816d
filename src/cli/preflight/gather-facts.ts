import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { kubeClient } from '../../kube/kube-client.ts';
import { loadKubeConfig } from '../../kube/kube-config.ts';
import { describeFailure } from '../../kube/kube-failure.ts';
import { kubeTransport } from '../../kube/kube-transport.ts';
import { CodedError } from '../../lib/coded-error.ts';
import { errorMessage } from '../../lib/error-message.ts';
import { readFailure } from '../../lib/read-failure.ts';
import type { CliCall } from '../cli-command.ts';
import { discoverApis } from '../discover-apis.ts';
import type { Finding } from '../finding.ts';
import { haproxyAtHand } from '../haproxy-at-hand.ts';
import { librariesPath } from '../libraries-path.ts';
import type { preflightOptions } from '../preflight-command.ts';
import { chartPath, readChart } from './chart-files.ts';
import { installedRelease } from './installed-release.ts';
import { isSent, readManifests } from './manifest.ts';
import type { Cluster, PreflightFacts } from './preflight-facts.ts';
import { renderChart } from './render-chart.ts';

type Call = CliCall<typeof preflightOptions>;

export interface GatheredFacts {
  readonly facts: PreflightFacts;
  /** What could not be had, and what the chart itself refuses. */
  readonly findings: readonly Finding[];
}

/** Everything that the checks look at: the cluster as it is, and what the chart would make of it. */
export async function gatherFacts(
  { values, env }: Call,
  resources: AsyncDisposableStack,
  { given, signal }: Pick<PreflightFacts, 'given' | 'signal'>,
): Promise<GatheredFacts> {
  const findings: Finding[] = [];
  const { release } = values;
  const opened = values.offline
    ? { reason: 'it was not to be asked' }
    : await openCluster(values, resources, signal);
  const { cluster, namespace = values.namespace ?? 'default', reason } = opened;
  if (reason !== undefined) findings.push(clusterFinding(reason, values.offline));
  const place = values.chart ?? chartPath(import.meta.url);
  const chart = place === undefined ? undefined : await readChart(place);
  if (chart?.ok === false)
    findings.push({
      check: 'chart',
      status: 'failed',
      message: chart.reason,
      advice: 'say with --chart where it is',
    });

  const rendered =
    values.manifests === undefined
      ? place === undefined
        ? ({ kind: 'unavailable', reason: 'there is no chart beside the program, and no --chart' } as const)
        : await renderChart({
            ...{
              helm: values.helm,
              chart: place,
              release,
              namespace,
              values: values.values,
              sets: values.set,
            },
            ...kubeVersionOf(cluster?.version ?? values['kube-version']),
            apiVersions: cluster === undefined ? values['api-versions'] : servedNames(cluster),
            isUpgrade: cluster?.release.kind === 'found',
            signal: signal(),
          })
      : ({ kind: 'rendered', manifests: await manifestsOf(values.manifests) } as const);
  if (rendered.kind === 'unavailable')
    findings.push({
      check: 'chart',
      status: 'skipped',
      message: `it is not rendered: ${rendered.reason}; its rules between values, its objects and its configuration are not looked at`,
      advice:
        'install helm or name it with --helm, or give --manifests with what helm template prints elsewhere',
    });
  if (rendered.kind === 'refused')
    findings.push(
      ...rendered.messages.map((message): Finding => ({
        check: 'values',
        status: 'failed',
        message,
        advice: 'this is what helm would say, too: correct the values',
      })),
    );
  const occasion = cluster?.release.kind === 'found' ? 'upgrade' : 'install';
  const haproxy = await haproxyAtHand(values.haproxy);
  return {
    findings,
    facts: {
      ...{ release, namespace, given, signal, now: Date.now, libraries: librariesPath(import.meta.url) },
      ...(chart?.ok === true && { chart: chart.files }),
      ...(rendered.kind === 'rendered' && {
        manifests: rendered.manifests.filter((manifest) => isSent(manifest, occasion)),
      }),
      ...(cluster !== undefined && { cluster }),
      ...(haproxy !== undefined && { haproxy }),
      ...(env['PATH'] !== undefined && { path: env['PATH'] }),
    },
  };
}

function clusterFinding(reason: string, isOffline: boolean): Finding {
  const check = 'kubernetes';
  return isOffline
    ? { check, status: 'skipped', message: `the cluster is not looked at: ${reason}` }
    : {
        check,
        status: 'failed',
        message: `the cluster cannot be looked at: ${reason}`,
        advice: 'say with --kubeconfig and --context how to reach it, or do without it by --offline',
      };
}

interface OpenedCluster {
  readonly cluster?: Cluster;
  readonly namespace?: string;
  readonly reason?: string;
}

async function openCluster(
  values: Call['values'],
  resources: AsyncDisposableStack,
  signal: () => AbortSignal,
): Promise<OpenedCluster> {
  const { kubeconfig, context, release } = values;
  let credentials;
  try {
    credentials = loadKubeConfig({
      ...(kubeconfig !== undefined && { kubeconfigPath: kubeconfig }),
      ...(context !== undefined && { context }),
    });
  } catch (error) {
    return { reason: errorMessage(error) };
  }
  const transport = kubeTransport(credentials);
  resources.defer(() => transport.close());
  const kube = kubeClient(transport);
  const namespace = values.namespace ?? credentials.namespace ?? 'default';
  const answer = await transport.request({ path: '/version', signal: signal() });
  if (!answer.ok) return { namespace, reason: describeFailure(answer.failure) };
  const version = /"gitVersion":\s*"([^"]+)"/.exec(await answer.value.body.text())?.[1] ?? '';
  const served = await discoverApis(transport, signal);
  if (!served.ok) return { namespace, reason: describeFailure(served.failure) };
  const held = await kube.get({ apiVersion: 'v1', resources: 'namespaces' }, namespace, { signal: signal() });
  return {
    namespace,
    cluster: {
      ...{ transport, kube, version, served: served.value },
      ...(held.ok && { namespace: held.value }),
      release: await installedRelease(kube, { release, namespace, signal: signal() }),
    },
  };
}

async function manifestsOf(file: string): Promise<ReturnType<typeof readManifests>> {
  try {
    return readManifests(file === '-' ? await readAll(process.stdin) : await readFile(file, 'utf8'));
  } catch (error) {
    throw new CodedError('HAPTIC_ERR_CLI_READ', `--manifests ${file}: ${readFailure(error)}`);
  }
}

/** Helm wants three numbers: clouds put more behind them. */
function kubeVersionOf(version: string | undefined): { readonly kubeVersion?: string } {
  const [kubeVersion] = /\d+\.\d+(?:\.\d+)?/.exec(version ?? '') ?? [];
  return kubeVersion === undefined ? {} : { kubeVersion };
}

function servedNames({ served }: Cluster): readonly string[] {
  return [...served].flatMap(([version, kinds]) => [
    version,
    ...[...kinds.keys()].map((kind) => `${version}/${kind}`),
  ]);
}
