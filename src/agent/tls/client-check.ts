import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { chainProblem } from '../../lib/tls/chain-problem.ts';
import { hasDnsName } from '../../lib/tls/has-dns-name.ts';
import type { TlsFolder } from '../../lib/tls/tls-folder.ts';
import { validityProblem } from '../../lib/tls/tls-material.ts';

/**
 * Why the client at the other end must not be served, undefined when it may be. To be asked with every request: a connection that
 * was let in stays open while certificates expire and trust is exchanged.
 *
 * @throws CodedError `HAPTIC_ERR_TLS_MATERIAL` when it cannot be told, since the own trust is not usable
 */
export type ClientCheck = (socket: TLSSocket) => string | undefined;

interface Verdict {
  readonly leaf: X509Certificate | undefined;
  readonly trustId: string;
  readonly problem: string | undefined;
}

/** Accepts a certificate of a trusted authority, for clients, valid now, whose DNS name is `clientName`. */
export function createClientCheck(
  folder: TlsFolder,
  clientName: string,
  now: () => number = Date.now,
): ClientCheck {
  const verdicts = new WeakMap<TLSSocket, Verdict>();

  const judge = (socket: TLSSocket, trust: readonly X509Certificate[]): string | undefined => {
    const [leaf, ...intermediates] = chainOf(socket);
    if (leaf === undefined) return 'the client shows no certificate';
    // Node's own verdict on the handshake: the only one that knows about purposes.
    if (!socket.authorized)
      return `the client's certificate is not accepted: ${String(socket.authorizationError)}`;
    if (!hasDnsName(leaf, clientName)) return `the client's certificate is not for ${clientName}`;
    const problem = chainProblem([leaf, ...intermediates], trust, now());
    return problem === undefined ? undefined : `the client's certificate is not accepted: ${problem}`;
  };

  return (socket) => {
    const { trust, trustId } = folder.current();
    let verdict = verdicts.get(socket);
    if (verdict?.trustId !== trustId) {
      verdict = { leaf: socket.getPeerX509Certificate(), trustId, problem: judge(socket, trust) };
      verdicts.set(socket, verdict);
    }
    if (verdict.problem !== undefined || verdict.leaf === undefined) return verdict.problem;
    const expiry = validityProblem(verdict.leaf, now());
    return expiry === undefined ? undefined : `the client's certificate ${expiry}`;
  };
}

function chainOf(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  for (
    let next = socket.getPeerX509Certificate();
    next !== undefined && chain.length < 8;
    next = next.issuerCertificate
  )
    chain.push(next);
  return chain;
}
