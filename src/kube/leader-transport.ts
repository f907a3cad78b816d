import type { KubeTransport } from './kube-transport.ts';

/** A transport of the same connections for what only the leader may do. */
export interface LeaderTransport extends KubeTransport {
  /** Requests that were sent and are not answered yet. */
  readonly underway: () => number;
}

/**
 * Requests leave only as long as `mayLeave` says so, which is asked when one is made and once more right before its first byte
 * goes to a connection. Otherwise they are answered `not_leader`, and nothing is sent.
 */
export function leaderTransport(transport: KubeTransport, mayLeave: () => boolean): LeaderTransport {
  let underway = 0;
  return {
    request: async (request) => {
      if (!mayLeave()) return { ok: false, failure: { kind: 'not_leader' } };
      underway += 1;
      try {
        return await transport.request({
          ...request,
          mayLeave: () => mayLeave() && request.mayLeave?.() !== false,
        });
      } finally {
        underway -= 1;
      }
    },
    close: () => transport.close(),
    underway: () => underway,
  };
}
