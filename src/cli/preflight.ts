import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { CodedError } from '../lib/coded-error.ts';
import { parseDuration } from '../lib/duration.ts';
import { errorMessage } from '../lib/error-message.ts';
import { isRecord } from '../lib/is-record.ts';
import { checkCrds } from './check-crds.ts';
import type { CliCall } from './cli-command.ts';
import { describeFindings, type Finding } from './finding.ts';
import type { preflightOptions } from './preflight-command.ts';
import { checkApis } from './preflight/check-apis.ts';
import { checkChanges } from './preflight/check-changes.ts';
import { checkConfiguration } from './preflight/check-configuration.ts';
import { checkDryRun } from './preflight/check-dry-run.ts';
import { checkKubernetes } from './preflight/check-kubernetes.ts';
import { checkNames } from './preflight/check-names.ts';
import { checkNeighbours } from './preflight/check-neighbours.ts';
import { checkNodes } from './preflight/check-nodes.ts';
import { checkPodSecurity } from './preflight/check-pod-security.ts';
import { checkRelease } from './preflight/check-release.ts';
import { checkRights } from './preflight/check-rights.ts';
import { checkSecrets } from './preflight/check-secrets.ts';
import { checkValues } from './preflight/check-values.ts';
import { crdsBroughtBy } from './preflight/crds-brought-by.ts';
import { gatherFacts } from './preflight/gather-facts.ts';
import { placedObjects } from './preflight/kinds-of.ts';
import { mergeValues } from './preflight/merge-values.ts';
import { readSetValues } from './preflight/read-set-values.ts';
import type { Manifest } from './preflight/manifest.ts';
import type { Cluster, PreflightFacts } from './preflight/preflight-facts.ts';
import { printed } from './printed.ts';

type Call = CliCall<typeof preflightOptions>;

/** `haptic preflight`: exit code 1 when something is in the way. */
export async function runPreflight(call: Call): Promise<number> {
  const { values, signal, out } = call;
  const timeoutMs = parseDuration(values.timeout, '--timeout');
  await using resources = new AsyncDisposableStack();
  const limited = () => AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const read = await readValues(values.values, values.set, { helm: values.helm, signal: limited() });
  const { facts, findings: first } = await gatherFacts(call, resources, {
    given: read.given,
    signal: limited,
  });
  const findings: Finding[] = [...read.findings, ...first];
  const { chart, given, cluster, manifests } = facts;
  if (chart !== undefined && read.findings.length === 0) findings.push(...checkValues(chart, given));
  const version = cluster?.version ?? values['kube-version'];
  if (version !== undefined) findings.push(checkKubernetes(version, chart?.kubeVersion ?? ''));
  if (manifests !== undefined) findings.push(...(await checkConfiguration(facts)));
  if (cluster !== undefined) {
    findings.push(...checkRelease(cluster.release, facts));
    if (manifests === undefined)
      findings.push(...(await checkCrds({ kube: cluster.kube, signal: facts.signal })));
    else findings.push(...(await checkCluster(facts, cluster, manifests)));
  }
  out(printed(values.output, { findings }, () => describeFindings(findings)));
  return findings.some(({ status }) => status === 'failed') ? 1 : 0;
}

/** Everything that takes both a cluster and a rendered chart. */
async function checkCluster(
  facts: PreflightFacts,
  cluster: Cluster,
  manifests: readonly Manifest[],
): Promise<readonly Finding[]> {
  const { namespace, signal, now, libraries } = facts;
  const { kube, release } = cluster;
  const objects = placedObjects(manifests, cluster.served, namespace);
  return [
    ...(await checkCrds({
      ...{ kube, signal },
      ...crdsBroughtBy(manifests, release.kind !== 'found'),
      beforeInstall: release.kind !== 'found',
    })),
    ...checkApis(manifests, cluster.served),
    ...(await checkRights(cluster, objects, namespace, signal)),
    ...(await checkNames(cluster, objects, facts, signal)),
    ...(await checkNeighbours(cluster, manifests, facts, signal)),
    ...(await checkSecrets(cluster, manifests, namespace, { signal, now })),
    ...(await checkNodes(cluster, manifests, signal)),
    ...(await checkPodSecurity(cluster, manifests, namespace, signal)),
    ...(await checkDryRun(cluster, objects, signal)),
    ...(release.kind === 'found' && release.deployed !== undefined
      ? await checkChanges(cluster, release.deployed, manifests, { libraries, signal })
      : []),
  ];
}

interface ReadValues {
  readonly given: Readonly<Record<string, unknown>>;
  readonly findings: readonly Finding[];
}

/** The files of values, merged, and what is set on top; what is no mapping is a finding. */
async function readValues(
  files: readonly string[],
  sets: readonly string[],
  helm: { readonly helm: string; readonly signal: AbortSignal },
): Promise<ReadValues> {
  const findings: Finding[] = [];
  let given: Readonly<Record<string, unknown>> = {};
  for (const file of files)
    try {
      const value: unknown = parse(await readFile(file, 'utf8')) ?? {};
      if (!isRecord(value)) throw new CodedError('HAPTIC_ERR_CLI_READ', 'a mapping of values is expected');
      given = mergeValues(given, value);
    } catch (error) {
      // A parser quotes the lines around a mistake, which may hold a password.
      const [words = ''] = errorMessage(error).split('\n');
      findings.push({
        check: 'values',
        status: 'failed',
        message: `${file}: ${words.replace(/:$/, '')}`,
        advice: 'give a file of YAML that can be read',
      });
    }
  if (sets.length === 0) return { given, findings };
  const set = await readSetValues(sets, helm);
  if (set.kind === 'read') return { given: mergeValues(given, set.values), findings };
  findings.push(
    set.kind === 'unavailable'
      ? {
          check: 'values',
          status: 'skipped',
          message: `--set is not looked at: there is no ${helm.helm} on PATH`,
          advice: 'install helm or name it with --helm, or give a file of values',
        }
      : {
          check: 'values',
          status: 'failed',
          message: 'helm does not take what --set says',
          advice: 'write it as KEY=VALUE; commas and dots within a key or value take a backslash before them',
        },
  );
  return { given, findings };
}
