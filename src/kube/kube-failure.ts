/**
 * Why a request to the API server did not give what was asked for. A value, never thrown: retrying is the rule.
 *
 * - `http`: the server answered with an error status; `reason` and `message` are those of its Status object
 * - `network`: no answer, or the answer broke off (connection, TLS, timeouts)
 * - `protocol`: the answer is not what the API promises (no JSON, garbage in a watch)
 * - `credentials`: they could not be loaded (files, exec plugin)
 * - `not_leader`: only the leader may do this, and this process does not lead: nothing was sent
 * - `aborted`: the caller's signal ended it
 */
export type KubeFailure =
  | {
      readonly kind: 'http';
      readonly status: number;
      /** `NotFound`, `Forbidden`, `Expired`, …; empty when the server did not say. */
      readonly reason: string;
      readonly message: string;
      readonly retryAfterMs?: number;
    }
  | { readonly kind: 'network'; readonly code: string; readonly message: string }
  | { readonly kind: 'protocol'; readonly message: string }
  | { readonly kind: 'credentials'; readonly message: string }
  | { readonly kind: 'not_leader' }
  | { readonly kind: 'aborted' };

/** The value, or why there is none. */
export type KubeResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: KubeFailure };

/** One line for logs, tokens and status messages. */
export function describeFailure(failure: KubeFailure): string {
  switch (failure.kind) {
    case 'http':
      return `${failure.status}${failure.reason === '' ? '' : ` ${failure.reason}`}: ${failure.message}`;
    case 'network':
      return `${failure.code}: ${failure.message}`;
    case 'protocol':
    case 'credentials':
      return failure.message;
    case 'not_leader':
      return 'this process is not the leader';
    case 'aborted':
      return 'aborted';
  }
}
