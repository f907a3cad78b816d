import type { Finding } from '../finding.ts';
import type { FoundInstallation } from './installation.ts';

const check = 'release';

/** Which Helm release is looked at, or why none. Without one, what is told by flags is looked at nevertheless. */
export function releaseFindings(
  found: FoundInstallation,
  namespace: string,
  wanted: string | undefined,
): readonly Finding[] {
  switch (found.kind) {
    case 'found': {
      const { release, workloads, pods } = found.installation;
      return [
        {
          check,
          status: 'ok',
          message: `release ${namespace}/${release} has ${workloads.length} workloads and ${pods.length} pods`,
        },
      ];
    }
    case 'several':
      return [
        {
          check,
          status: 'failed',
          message: `there are several releases in ${namespace}: ${found.releases.join(', ')}`,
          advice: 'say with --release which is meant',
        },
      ];
    case 'unknown':
      return [{ check, status: 'skipped', message: `releases cannot be looked up: ${found.reason}` }];
    case 'none':
      return wanted === undefined
        ? [{ check, status: 'skipped', message: `there is no release of the chart in ${namespace}` }]
        : [
            {
              check,
              status: 'failed',
              message: `there is no release ${wanted} of the chart in ${namespace}`,
              advice: 'helm list -A tells what is installed; -n says in which namespace',
            },
          ];
  }
}
