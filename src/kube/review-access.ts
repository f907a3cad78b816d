import { isRecord } from '../lib/is-record.ts';
import { kubeClient } from './kube-client.ts';
import { type KubeResult, describeFailure } from './kube-failure.ts';
import type { KubeTransport } from './kube-transport.ts';

/** Whether the bearer of a token may do something. `unknown`: the API server could not be asked. */
export type AccessReview =
  | { readonly kind: 'allowed'; readonly user: string }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'forbidden'; readonly user: string; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

export interface AccessRequest {
  readonly token: string;
  /** Of a non-resource URL, `/debug/taps`. */
  readonly path: string;
  /** In lower case, `get`. */
  readonly verb: string;
}

const tokenReviews = { apiVersion: 'authentication.k8s.io/v1', resources: 'tokenreviews' };
const accessReviews = { apiVersion: 'authorization.k8s.io/v1', resources: 'subjectaccessreviews' };

/**
 * Asks the API server who the bearer of a token is (TokenReview) and whether RBAC lets them at a non-resource URL
 * (SubjectAccessReview), as its own endpoints do. Never rejects.
 */
export async function reviewAccess(
  transport: KubeTransport,
  { token, path, verb }: AccessRequest,
  signal: AbortSignal,
): Promise<AccessReview> {
  const client = kubeClient(transport);
  const who = statusOf(
    await client.create(
      tokenReviews,
      { apiVersion: tokenReviews.apiVersion, kind: 'TokenReview', metadata: { name: '' }, spec: { token } },
      { signal },
    ),
  );
  if (!who.ok) return { kind: 'unknown', reason: describeFailure(who.failure) };
  const { authenticated, user } = who.value;
  if (authenticated !== true || !isRecord(user) || typeof user['username'] !== 'string')
    return { kind: 'unauthenticated' };
  const { username, uid, groups, extra } = user;
  const may = statusOf(
    await client.create(
      accessReviews,
      {
        apiVersion: accessReviews.apiVersion,
        kind: 'SubjectAccessReview',
        metadata: { name: '' },
        spec: { user: username, uid, groups, extra, nonResourceAttributes: { path, verb } },
      },
      { signal },
    ),
  );
  if (!may.ok) return { kind: 'unknown', reason: describeFailure(may.failure) };
  if (may.value['allowed'] === true && may.value['denied'] !== true)
    return { kind: 'allowed', user: username };
  const reason = typeof may.value['reason'] === 'string' ? may.value['reason'] : '';
  return { kind: 'forbidden', user: username, reason };
}

function statusOf(result: KubeResult<unknown>): KubeResult<Readonly<Record<string, unknown>>> {
  if (!result.ok) return result;
  const status = isRecord(result.value) ? result.value['status'] : undefined;
  return isRecord(status)
    ? { ok: true, value: status }
    : { ok: false, failure: { kind: 'protocol', message: 'the review has no status' } };
}
