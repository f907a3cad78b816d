import { apiGroup } from '../../api/api-group.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { describeFailure } from '../../kube/kube-failure.ts';
import type { Finding } from '../finding.ts';
import { record, records } from '../fields.ts';
import type { Manifest } from './manifest.ts';
import type { Cluster } from './preflight-facts.ts';

const check = 'neighbours';
type Labels = Readonly<Record<string, unknown>>;

/** Does another installation write to the same pods, or serve the same classes? */
export async function checkNeighbours(
  { kube, served }: Cluster,
  manifests: readonly Manifest[],
  { release, namespace }: { readonly release: string; readonly namespace: string },
  signal: () => AbortSignal,
): Promise<readonly Finding[]> {
  const { apiVersion } = apiGroup;
  const ours = manifests.filter(({ kind }) => kind === 'HAProxyTemplateConfig');
  if (served.get(apiVersion)?.has('HAProxyTemplateConfig') !== true)
    return [{ check, status: 'ok', message: 'there is no other installation' }];
  const others: KubeObject[] = [];
  for await (const page of kube.list(
    { apiVersion, resources: 'haproxytemplateconfigs' },
    { signal: signal() },
  )) {
    if (!page.ok)
      return [{ check, status: 'skipped', message: `other installations: ${describeFailure(page.failure)}` }];
    others.push(...page.value.items.filter((one) => !isOf(one, release, namespace)));
  }
  const findings = others.flatMap((other) => ours.flatMap((own) => judge(own, other, namespace)));
  return findings.length > 0
    ? findings
    : [{ check, status: 'ok', message: `none of ${others.length} other configurations is in the way` }];
}

function judge(own: KubeObject, other: KubeObject, namespace: string): readonly Finding[] {
  const name = `HAProxyTemplateConfig ${other.metadata.namespace ?? ''}/${other.metadata.name}`;
  const findings: Finding[] = [];
  const [ourPods, theirPods] = [podLabels(own), podLabels(other)];
  if (other.metadata.namespace === namespace && overlap(ourPods, theirPods))
    findings.push({
      check,
      status: 'failed',
      message: `${name} selects the same HAProxy pods (${labelText(theirPods)})`,
      advice:
        'two controllers would write to them in turn: give each podSelector a label that the other has not',
    });
  const [ourClass, theirClass] = [ingressClassOf(own), ingressClassOf(other)];
  if (
    ourClass !== undefined &&
    theirClass !== undefined &&
    (ourClass === theirClass || [ourClass, theirClass].includes('*'))
  )
    findings.push({
      check,
      status: 'warning',
      message: `${name} serves Ingress objects of ${theirClass === '*' ? 'every class of this controller' : `class ${theirClass}`}, too`,
      advice: 'that is right if both are to serve them; else give this release a class of its own',
    });
  return findings;
}

function isOf({ metadata }: KubeObject, release: string, namespace: string): boolean {
  return metadata.annotations?.['meta.helm.sh/release-name'] === release && metadata.namespace === namespace;
}

function podLabels({ spec }: KubeObject): Labels {
  return record(record(record(spec)['podSelector'])['matchLabels']);
}

/** No pod could tell them apart: what both name has the same value, and one names nothing that the other does not. */
function overlap(a: Labels, b: Labels): boolean {
  const within = (inner: Labels, outer: Labels) =>
    Object.entries(inner).every(([name, value]) => outer[name] === value);
  return within(a, b) || within(b, a);
}

function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(',');
}

/** The IngressClass that it is confined to; `*`: every one of this controller. Undefined: it serves no Ingress objects. */
function ingressClassOf({ spec }: KubeObject): string | undefined {
  const { libraryRefs, watchedResources } = record(spec);
  const classes = record(watchedResources)['ingressclasses'];
  const usesLibrary = records(libraryRefs).some(
    ({ name }) => typeof name === 'string' && /(^|-)ingress$/.test(name),
  );
  if (!usesLibrary && classes === undefined) return undefined;
  const { fieldSelector } = record(classes);
  return (
    (typeof fieldSelector === 'string' ? /metadata\.name==?([^,]+)/.exec(fieldSelector)?.[1] : undefined) ??
    '*'
  );
}
