import { isRecord } from '../lib/is-record.ts';
import { type KubeResult, describeFailure } from './kube-failure.ts';
import { type KubeTransport, networkFailure } from './kube-transport.ts';

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

/**
 * Asks the API server who the bearer of a token is (TokenReview) and whether RBAC lets them at a non-resource URL
 * (SubjectAccessReview), as its own endpoints do. Never rejects.
 */
export async function reviewAccess(
  transport: KubeTransport,
  { token, path, verb }: AccessRequest,
  signal: AbortSignal,
): Promise<AccessReview> {
  const who = await review(transport, signal, 'authentication.k8s.io/v1', 'TokenReview', { token });
  if (!who.ok) return { kind: 'unknown', reason: describeFailure(who.failure) };
  const { authenticated, user } = who.value;
  if (authenticated !== true || !isRecord(user) || typeof user['username'] !== 'string')
    return { kind: 'unauthenticated' };
  const { username, uid, groups, extra } = user;
  const may = await review(transport, signal, 'authorization.k8s.io/v1', 'SubjectAccessReview', {
    ...{ user: username, uid, groups, extra },
    nonResourceAttributes: { path, verb },
  });
  if (!may.ok) return { kind: 'unknown', reason: describeFailure(may.failure) };
  const { allowed, denied, reason } = may.value;
  if (allowed === true && denied !== true) return { kind: 'allowed', user: username };
  return { kind: 'forbidden', user: username, reason: typeof reason === 'string' ? reason : '' };
}

/** Reviews are answered and not kept: they have no name. The status of the answer. */
async function review(
  transport: KubeTransport,
  signal: AbortSignal,
  apiVersion: string,
  kind: string,
  spec: Readonly<Record<string, unknown>>,
): Promise<KubeResult<Readonly<Record<string, unknown>>>> {
  const result = await transport.request({
    method: 'POST',
    path: `/apis/${apiVersion}/${kind.toLowerCase()}s`,
    body: { apiVersion, kind, spec },
    signal,
  });
  if (!result.ok) return result;
  try {
    const answer: unknown = JSON.parse(await result.value.body.text());
    const status = isRecord(answer) ? answer['status'] : undefined;
    if (isRecord(status)) return { ok: true, value: status };
  } catch (error) {
    if (!(error instanceof SyntaxError)) return { ok: false, failure: networkFailure(error, signal) };
  }
  return { ok: false, failure: { kind: 'protocol', message: `the answer to a ${kind} has no status` } };
}
