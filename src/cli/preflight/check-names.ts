import type { KubeObject } from '../../api/kube-object.ts';
import { describeFailure } from '../../kube/kube-failure.ts';
import type { Finding } from '../finding.ts';
import { record } from '../fields.ts';
import type { Placed } from './kinds-of.ts';
import { isHook, manifestName } from './manifest.ts';
import type { Cluster } from './preflight-facts.ts';

const check = 'names';

/** What says who serves a class, by kind; nobody may change it afterwards. */
const controllerField: Readonly<Record<string, string>> = {
  IngressClass: 'controller',
  GatewayClass: 'controllerName',
};

/** Is there an object of somebody else under a name that the chart wants? Helm refuses to take one over. */
export async function checkNames(
  { kube }: Cluster,
  objects: readonly Placed[],
  owner: { readonly release: string; readonly namespace: string },
  signal: () => AbortSignal,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { manifest, ref } of objects) {
    // CRDs have a check of their own, and hooks are replaced.
    if (manifest.kind === 'CustomResourceDefinition' || isHook(manifest)) continue;
    const found = await kube.get(ref, manifest.metadata.name, { signal: signal() });
    const what = manifestName({ ...manifest, metadata: { ...manifest.metadata, ...named(ref.namespace) } });
    if (found.ok) findings.push(...judge(what, manifest, found.value, owner));
    else if (!(found.failure.kind === 'http' && found.failure.status === 404))
      findings.push({ check, status: 'skipped', message: `${what}: ${describeFailure(found.failure)}` });
  }
  return findings.length > 0 ? findings : [{ check, status: 'ok', message: 'nobody else has any of them' }];
}

function judge(
  what: string,
  { kind, spec }: Placed['manifest'],
  held: KubeObject,
  { release, namespace }: { readonly release: string; readonly namespace: string },
): readonly Finding[] {
  const field = controllerField[kind];
  const [wanted, serving] = field === undefined ? [] : [record(spec)[field], record(held['spec'])[field]];
  if (wanted !== serving)
    return [
      {
        check,
        status: 'failed',
        message: `${what} is there already, and is served by ${String(serving)}`,
        advice: 'give the class another name in the values',
      },
    ];
  const { labels = {}, annotations = {} } = held.metadata;
  const other = annotations['meta.helm.sh/release-name'];
  const where = annotations['meta.helm.sh/release-namespace'];
  if (labels['app.kubernetes.io/managed-by'] === 'Helm' && other === release && where === namespace)
    return [];
  return [
    {
      check,
      status: 'failed',
      message:
        other === undefined
          ? `${what} is there already, and is of no Helm release`
          : `${what} is there already, and is of release ${where ?? ''}/${other}`,
      advice: 'give this release another name, or delete what is there',
    },
  ];
}

function named(namespace: string | undefined): { readonly namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}
