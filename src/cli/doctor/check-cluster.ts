import { apiVersionsOf } from '../../api/api-versions-of.ts';
import { describeFailure } from '../../kube/kube-failure.ts';
import { askAccess, type Permission, permissionText } from '../ask-access.ts';
import type { DoctorDeps } from './doctor-deps.ts';
import type { Finding } from '../finding.ts';

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
  const asked = permissionsOf(deps);
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
  return refused.map((permission) => ({
    check,
    status: 'failed',
    message: `${who} may not ${permissionText(permission)}`,
    advice: 'add it to the ClusterRole of the controller',
  }));
}

function permissionsOf({ config, namespace }: DoctorDeps): readonly Permission[] {
  const needed: Permission[] = [];
  for (const resource of Object.values(config?.watchedResources ?? {})) {
    const [apiVersion = 'v1'] = apiVersionsOf(resource);
    const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
    const namespaces = resource.namespaces ?? [undefined];
    for (const verb of ['list', 'watch'])
      for (const where of namespaces)
        needed.push({
          group,
          resource: resource.resources,
          verb,
          ...(where !== undefined && { namespace: where }),
        });
  }
  for (const verb of ['list', 'watch']) needed.push({ group: '', resource: 'pods', verb, namespace });
  const own = { group: 'haproxy-haptic.org', namespace };
  for (const resource of ['haproxytemplateconfigs', 'haproxytemplatelibraries'])
    for (const verb of ['get', 'list', 'watch']) needed.push({ ...own, resource, verb });
  needed.push({ ...own, resource: 'haproxytemplateconfigs', subresource: 'status', verb: 'patch' });
  return needed;
}
