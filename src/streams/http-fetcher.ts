import type { Observable } from 'rxjs';
import type { FetchOutcome } from '../lib/http/fetch-outcome.ts';
import { fetchText } from '../lib/http/fetch-text.ts';
import { guardedAgent, type GuardedAgentOptions } from '../lib/http/guarded-agent.ts';
import { abortable } from '../operators/abortable.ts';
import type { HttpFetch } from './http-contents.ts';

export interface HttpFetcher {
  /** One attempt: emits one outcome and completes, never errors; unsubscribing ends the request. */
  readonly fetch: (request: HttpFetch) => Observable<FetchOutcome>;
  readonly close: () => Promise<void>;
}

/** Real requests, over a pool that refuses private addresses and one that does not: a policy says which. */
export function createHttpFetcher(options: Omit<GuardedAgentOptions, 'allowPrivate'> = {}): HttpFetcher {
  const strict = guardedAgent({ ...options, allowPrivate: false });
  const open = guardedAgent({ ...options, allowPrivate: true });
  return {
    fetch: ({ policy, timeout, ...request }) =>
      abortable((signal) =>
        fetchText(
          policy.allowPrivateAddresses ? open : strict,
          {
            ...request,
            maxBytes: policy.maxBytes,
            allowedHosts: policy.allowedHosts,
            silence: Math.max(1, timeout),
          },
          signal,
        ),
      ),
    close: async () => {
      await Promise.all([strict.destroy(), open.destroy()]);
    },
  };
}
