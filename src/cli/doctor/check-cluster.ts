import { describeFailure } from '../../kube/kube-failure.ts';
import { askAccess, permissionText } from '../ask-access.ts';
import type { DoctorDeps } from './doctor-deps.ts';
import type { Finding } from '../finding.ts';
import { neededPermissions } from './needed-permissions.ts';

/** Is the API server there, and which is it? */
export async function checkApi({ transport, signal, kubeFailure }: DoctorDeps): Promise<readonly Finding[]> {
  const check = 'kubernetes';
  if (kubeFailure !== undefined)
    return [
      {
        check,
        status: 'failed',
        message: kubeFailure,
        advice: 'say with --kubeconfig and --context how to reach it',
      },
    ];
  const answer = await transport.request({ path: '/version', signal: signal() });
  if (!answer.ok)
    return [
      {
        check,
        status: 'failed',
        message: `the API server does not answer: ${describeFailure(answer.failure)}`,
        advice: 'see whether kubectl version works with the same kubeconfig and context',
      },
    ];
  const text = await answer.value.body.text();
  const version = /"gitVersion":\s*"([^"]+)"/.exec(text)?.[1] ?? 'of an unknown version';
  return [{ check, status: 'ok', message: `the API server answers, ${version}` }];
}

/** May the credentials, or the service account, do what a controller must? */
export async function checkPermissions(deps: DoctorDeps): Promise<readonly Finding[]> {
  const check = 'permissions';
  const { serviceAccount, transport, signal } = deps;
  const asked = neededPermissions(deps);
  const answer = await askAccess(transport, asked, signal, serviceAccount);
  if (!answer.ok)
    return [{ check, status: 'skipped', message: `permissions cannot be looked at: ${answer.reason}` }];
  const { refused } = answer;
  const who =
    serviceAccount === undefined
      ? 'the credentials in use'
      : `${serviceAccount.namespace}/${serviceAccount.name}`;
  if (refused.length === 0)
    return [{ check, status: 'ok', message: `${who} may do all ${asked.length} things that are needed` }];
  // The chart makes both from the same libraries and values.
  const hint =
    deps.installation === undefined ? '' : ', or let helm upgrade make it anew from rbac.* of the values';
  return refused.map((permission) => ({
    check,
    status: 'failed',
    message: `${who} may not ${permissionText(permission)}`,
    advice: `add it to the ${permission.namespace === undefined ? 'ClusterRole' : 'Role'} of the controller${hint}`,
  }));
}
