import { CodedError } from '../lib/coded-error.ts';
import { errorCode } from '../lib/error-code.ts';

/** A request that came to no answer, as an error that says who was asked and whether the way or the certificate is at fault. */
export function agentFailure(pod: { readonly key: string }, origin: string, cause: unknown): CodedError {
  if (cause instanceof CodedError && cause.code === 'HAPTIC_ERR_TLS_MATERIAL')
    return new CodedError(cause.code, `agent of pod ${pod.key} cannot be asked: ${cause.message}`, { cause });
  const why = cause instanceof Error ? cause.message : String(cause);
  const code = isTlsFailure(cause) ? 'HAPTIC_ERR_AGENT_TLS' : 'HAPTIC_ERR_AGENT_UNREACHABLE';
  return new CodedError(code, `agent of pod ${pod.key} at ${origin}: ${why}`, { cause });
}

/** OpenSSL's names for what it does not accept in a certificate, and Node's for what is wrong with a handshake. */
const tlsCodes =
  /^(HAPTIC_ERR_AGENT_TLS|EPROTO|ERR_SSL_.*|ERR_TLS_.*|CERT_.*|UNABLE_TO_.*|SELF_SIGNED_.*|DEPTH_ZERO_.*|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH)$/;

function isTlsFailure(error: unknown): boolean {
  return tlsCodes.test(errorCode(error) ?? '');
}
