import { describeFailure, type KubeFailure } from '../kube/kube-failure.ts';
import { type KubeTransport, networkFailure } from '../kube/kube-transport.ts';
import { isRecord } from '../lib/is-record.ts';

/** Something that RBAC may allow. */
export interface Permission {
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly verb: string;
  /** One object only. */
  readonly name?: string;
  /** All namespaces, or a kind without, when absent. */
  readonly namespace?: string;
}

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

export type AccessAnswer =
  | { readonly ok: true; readonly refused: readonly Permission[] }
  | { readonly ok: false; readonly reason: string };

/** Questions under way at the same time. */
const parallel = 8;

/** Which of these things the credentials in use, or a service account, may not do. The first question without an answer ends it. */
export async function askAccess(
  transport: KubeTransport,
  permissions: readonly Permission[],
  signal: () => AbortSignal,
  serviceAccount?: ServiceAccountName,
): Promise<AccessAnswer> {
  const refused: Permission[] = [];
  let failure: KubeFailure | undefined;
  const queue = permissions.values();
  const work = async (): Promise<void> => {
    for (const permission of queue) {
      if (failure !== undefined) return;
      const answer = await isAllowed(transport, permission, signal(), serviceAccount);
      if (typeof answer !== 'boolean') failure = answer;
      else if (!answer) refused.push(permission);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  if (failure !== undefined) return { ok: false, reason: describeFailure(failure) };
  const order = new Map(permissions.map((permission, index) => [permission, index]));
  return { ok: true, refused: refused.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0)) };
}

/** `list endpointslices.discovery.k8s.io in shop` */
export function permissionText({ verb, group, resource, subresource, name, namespace }: Permission): string {
  const kind = subresource === undefined ? resource : `${resource}/${subresource}`;
  return [
    `${verb} ${kind}${group === '' ? '' : `.${group}`}`,
    ...(name === undefined ? [] : [name]),
    ...(namespace === undefined ? [] : [`in ${namespace}`]),
  ].join(' ');
}

async function isAllowed(
  transport: KubeTransport,
  { group, resource, subresource, verb, name, namespace }: Permission,
  signal: AbortSignal,
  serviceAccount: ServiceAccountName | undefined,
): Promise<boolean | KubeFailure> {
  const kind = serviceAccount === undefined ? 'SelfSubjectAccessReview' : 'SubjectAccessReview';
  const answer = await transport.request({
    method: 'POST',
    path: `/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`,
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind,
      spec: {
        resourceAttributes: { group, resource, subresource, verb, name, namespace },
        ...(serviceAccount && {
          user: `system:serviceaccount:${serviceAccount.namespace}:${serviceAccount.name}`,
          groups: [
            'system:serviceaccounts',
            `system:serviceaccounts:${serviceAccount.namespace}`,
            'system:authenticated',
          ],
        }),
      },
    },
    signal,
  });
  if (!answer.ok) return answer.failure;
  try {
    const review: unknown = JSON.parse(await answer.value.body.text());
    const status: unknown = isRecord(review) ? review['status'] : undefined;
    if (isRecord(status)) return status['allowed'] === true;
  } catch (error) {
    if (!(error instanceof SyntaxError)) return networkFailure(error, signal);
  }
  return { kind: 'protocol', message: `the answer to a ${kind} has no status` };
}
