import { customResourceDefinition } from '../api/crd/custom-resource-definition.ts';
import { customResources } from '../api/crd/custom-resources.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { KubeClient } from '../kube/kube-client.ts';
import { describeFailure } from '../kube/kube-failure.ts';
import { newerVersion } from '../kube/newer-version.ts';
import { isRecord } from '../lib/is-record.ts';
import type { Finding } from './finding.ts';
import { sameAsApplied } from './same-as-applied.ts';

const check = 'crds';
const ref = { apiVersion: 'apiextensions.k8s.io/v1', resources: 'customresourcedefinitions' };

export interface CheckCrdsOptions {
  readonly kube: KubeClient;
  readonly signal: () => AbortSignal;
  /** What will make one that is missing; absent: nothing does. */
  readonly madeBy?: string;
  /** What will bring one of another version to this one. */
  readonly broughtBy?: string;
  /** Helm is about to install a chart with CRDs: Helm 3 leaves those that are there, Helm 4 applies them, without force. */
  readonly beforeInstall?: boolean;
}

/**
 * Are the CRDs there, served, of this version, and ours? Objects that are stored in a version which this program does not know are a
 * failure whoever brings the CRDs up to date: the API server refuses it.
 */
export async function checkCrds({
  kube,
  signal,
  madeBy,
  broughtBy,
  beforeInstall = false,
}: CheckCrdsOptions): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const missing: string[] = [];
  for (const wanted of customResources.map(customResourceDefinition)) {
    const { name } = wanted.metadata;
    const found = await kube.get(ref, name, { signal: signal() });
    if (found.ok) findings.push(...judge(wanted, found.value, { broughtBy, beforeInstall }));
    else if (found.failure.kind === 'http' && found.failure.status === 404) missing.push(name);
    else findings.push({ check, status: 'skipped', message: `${name}: ${describeFailure(found.failure)}` });
  }
  if (missing.length === customResources.length && madeBy !== undefined)
    findings.push({ check, status: 'ok', message: `none of them is there; ${madeBy} makes them` });
  else findings.unshift(...missing.map((name) => behind(`${name} is not there`, 'failed', madeBy)));
  return findings.length > 0
    ? findings
    : [{ check, status: 'ok', message: `all ${customResources.length} are there and of this version` }];
}

function judge(
  wanted: KubeObject,
  held: KubeObject,
  { broughtBy, beforeInstall }: { readonly broughtBy: string | undefined; readonly beforeInstall: boolean },
): readonly Finding[] {
  const { name } = wanted.metadata;
  const status = isRecord(held['status']) ? held['status'] : {};
  const unknown = listOf(status['storedVersions']).filter(
    (version) => !versionsOf(wanted).includes(String(version)),
  );
  if (unknown.length > 0)
    return [
      {
        check,
        status: 'failed',
        message: `${name} has objects that are stored as ${unknown.join(', ')}, which this version does not know`,
        advice:
          'write each object anew in a version that both know, and take the old one out of status.storedVersions of the CRD',
      },
    ];
  const maker = held.metadata.annotations?.['controller-gen.kubebuilder.io/version'];
  if (maker !== undefined)
    return [
      {
        check,
        status: 'failed',
        message: `${name} was made by another program (controller-gen ${maker})`,
        advice: 'see who uses it: both cannot have it, and its objects may be of no use here',
      },
    ];
  if (!isEstablished(status))
    return [
      { check, status: 'failed', message: `${name} is there and not served yet`, advice: 'see its status' },
    ];
  if (sameAsApplied(wanted['spec'], held['spec'])) return [];
  const newer = newerVersion(held);
  if (newer !== undefined)
    return [
      {
        check,
        status: beforeInstall ? 'failed' : 'warning',
        message: `${name} is of the newer version ${newer}${beforeInstall ? ', and Helm 4 would set it back' : ''}`,
        advice: beforeInstall
          ? 'install the chart of that version, or with --skip-crds'
          : 'that works, as long as the configuration has no field that only the newer one knows',
      },
    ];
  const message = `${name} is of another version than this program`;
  if (!beforeInstall || broughtBy !== undefined) return [behind(message, 'warning', broughtBy)];
  const managers = othersThanHelm(held);
  return managers.length > 0
    ? [
        behind(
          `${message}, and Helm 4 does not install over what ${managers.join(', ')} manages`,
          'failed',
          undefined,
        ),
      ]
    : [behind(`${message}: Helm 4 changes that, Helm 3 leaves it as it is`, 'warning', undefined)];
}

/** Field managers of its spec. */
function othersThanHelm({ metadata }: KubeObject): readonly string[] {
  const entries = 'managedFields' in metadata ? listOf(metadata.managedFields).filter(isRecord) : [];
  const holders = entries.filter(({ fieldsV1 }) => isRecord(fieldsV1) && 'f:spec' in fieldsV1);
  return holders.flatMap(({ manager }) =>
    typeof manager === 'string' && manager !== 'helm' ? [manager] : [],
  );
}

function behind(message: string, status: 'failed' | 'warning', by: string | undefined): Finding {
  return by === undefined
    ? { check, status, message, advice: 'run haptic apply-crds' }
    : { check, status: 'ok', message: `${message}, which ${by} will change` };
}

function versionsOf({ spec }: KubeObject): readonly string[] {
  return listOf(isRecord(spec) ? spec['versions'] : undefined)
    .filter(isRecord)
    .map((version) => String(version['name']));
}

function isEstablished(status: Readonly<Record<string, unknown>>): boolean {
  return listOf(status['conditions'])
    .filter(isRecord)
    .some((one) => one['type'] === 'Established' && one['status'] === 'True');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
