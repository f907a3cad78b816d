import { apiGroup } from '../../api/api-group.ts';
import { flagsOfContainer } from '../flags-of-container.ts';
import { containersOf, record } from '../fields.ts';
import { isHook, type Manifest } from './manifest.ts';
import { workloadsOf } from './workload.ts';

/**
 * What makes CRDs that are missing, and what brings others to this version, before anything needs them: a Job of the chart that runs
 * `haptic apply-crds`, or the chart itself. Those of its folder crds/ are made by an install, and left alone ever after.
 *
 * @param manifests those alone that Helm will send this time
 */
export function crdsBroughtBy(
  manifests: readonly Manifest[],
  isInstall: boolean,
): { readonly madeBy?: string; readonly broughtBy?: string } {
  const applies = workloadsOf(manifests).some(({ template }) =>
    containersOf(template.spec).some((container) => appliesCrds(container)),
  );
  if (applies) return { madeBy: 'a Job of the chart', broughtBy: 'a Job of the chart' };
  const crds = manifests.filter(
    ({ kind, spec }) => kind === 'CustomResourceDefinition' && record(spec)['group'] === apiGroup.group,
  );
  if (crds.length === 0) return {};
  // In its folder crds/ nothing is a template, so nothing there can say that.
  const isTemplated = crds.every(
    (crd) => isHook(crd) || crd.metadata.labels?.['app.kubernetes.io/managed-by'] === 'Helm',
  );
  if (isTemplated) return { madeBy: 'the chart', broughtBy: 'the chart' };
  return isInstall ? { madeBy: 'the install' } : {};
}

function appliesCrds(container: Readonly<Record<string, unknown>>): boolean {
  const words = ['command', 'args'].flatMap((field) => {
    const listed = container[field];
    return Array.isArray(listed) ? listed.map(String) : [];
  });
  return words.includes('apply-crds') && !flagsOfContainer(container).has('print');
}
