import type { Finding } from '../finding.ts';
import { compareVersions } from '../../lib/compare-versions.ts';

const check = 'kubernetes';
/** Sidecars that start before and end after the others are on by default since then. */
const oldest = '1.29';

/** Is Kubernetes new enough, by the program's own needs and by what the chart says? */
export function checkKubernetes(version: string, kubeVersion: string): Finding {
  const wanted = leastOf(kubeVersion) ?? oldest;
  const least = compareVersions(wanted, oldest) < 0 ? oldest : wanted;
  return compareVersions(version, least) >= 0
    ? { check, status: 'ok', message: `it is ${version}` }
    : {
        check,
        status: 'failed',
        message: `it is ${version}, and ${least} is the oldest that HAPTIC runs on`,
        advice: 'upgrade Kubernetes first',
      };
}

/** `1.29.0` of `>=1.29.0-0`; undefined for anything that says more, which helm itself judges. */
function leastOf(constraint: string): string | undefined {
  return /^\s*>=\s*v?(\d+(?:\.\d+){0,2})(?:-0)?\s*$/.exec(constraint)?.[1];
}
