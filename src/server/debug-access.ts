import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { LRUCache } from 'lru-cache';
import { createTokenBucket } from '../lib/token-bucket.ts';
import { isForeignPage } from './is-foreign-page.ts';
import { isLoopback } from './is-loopback.ts';

/** Whether the bearer of a token may see a page; see `reviewAccess` of the API's side. */
export type TokenVerdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'forbidden'; readonly user: string; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

export interface AccessQuestion {
  readonly token: string;
  readonly path: string;
  readonly verb: string;
}

/** Never rejects. */
export type AskForAccess = (question: AccessQuestion, signal: AbortSignal) => Promise<TokenVerdict>;

/** Milliseconds for which an answer counts: as long as kube-apiserver keeps those of a webhook by default (10 s for a refusal). */
const keep = { yes: 60_000, no: 10_000 };
const remembered = 1_000;
const longestToken = 16_384;
const deadlineMs = 10_000;
/** Each question is two requests to the API server under the controller's name, which has others to send: of strangers, so many in a row, and ten a second. */
const questions = { burst: 50, interval: 100 } as const;

/**
 * Who may see `/debug`: whoever asks over loopback and names a loopback host, and from elsewhere the bearer of a token whom RBAC lets at the
 * path as a non-resource URL. 401 without a token or with one that is no good, 403 for one that may not and for pages of somebody else in a browser, 503 while
 * nobody can be asked, or too many tokens are unknown.
 */
export function debugAccess(ask: AskForAccess | undefined): onRequestAsyncHookHandler {
  const known = new LRUCache<string, TokenVerdict>({ max: remembered });
  const bucket = createTokenBucket(questions);

  return async (request, reply) => {
    if (isForeignPage(request)) {
      await refuse(reply, 403, 'debug pages answer no page of somebody else');
      return;
    }
    if (isLoopback(request)) return;
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (ask === undefined || token === undefined || token.length > longestToken) {
      await refuse(
        reply,
        ask === undefined ? 403 : 401,
        'debug pages answer on loopback; from elsewhere they need a bearer token: use kubectl port-forward',
      );
      return;
    }
    const verdict = await verdictOn({ token, path: pathOf(request), verb: verbOf(request) }, ask);
    if (verdict.kind === 'allowed') return;
    if (verdict.kind === 'unauthenticated') await refuse(reply, 401, 'the token is not valid');
    else if (verdict.kind === 'forbidden')
      await refuse(
        reply,
        403,
        `${verdict.user} may not ${verbOf(request)} ${pathOf(request)}${verdict.reason === '' ? '' : `: ${verdict.reason}`}`,
      );
    else if (verdict.kind === 'unknown')
      await refuse(reply, 503, `the token could not be checked: ${verdict.reason}`);
    else {
      void reply.header('retry-after', '1');
      await refuse(reply, 503, 'too many tokens are being checked');
    }
  };

  async function verdictOn(
    question: AccessQuestion,
    askFor: AskForAccess,
  ): Promise<TokenVerdict | { readonly kind: 'busy' }> {
    // Not the token itself: it must be in no memory for longer than it is needed.
    const key = createHash('sha256')
      .update(JSON.stringify([question.token, question.path, question.verb]))
      .digest('base64');
    const before = known.get(key);
    if (before !== undefined) return before;
    if (!bucket.take(performance.now())) return { kind: 'busy' };
    const verdict = await askFor(question, AbortSignal.timeout(deadlineMs));
    if (verdict.kind !== 'unknown')
      known.set(key, verdict, { ttl: verdict.kind === 'allowed' ? keep.yes : keep.no });
    return verdict;
  }
}

async function refuse(reply: FastifyReply, status: number, error: string): Promise<void> {
  if (status === 401) void reply.header('www-authenticate', 'Bearer');
  await reply.header('connection', 'close').code(status).send({ error });
}

/** As it is matched by the router: never with what a client put behind it. */
function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? url;
}

const verbOf = ({ method }: FastifyRequest): string => method.toLowerCase();
