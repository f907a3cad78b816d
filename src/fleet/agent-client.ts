import type { Observable } from 'rxjs';
import { type Dispatcher, request } from 'undici';
import { CodedError } from '../lib/coded-error.ts';
import { fencedDispatcher } from '../lib/http/fenced-dispatcher.ts';
import { abortable } from '../operators/abortable.ts';
import type { ApplyRequest } from '../protocol/apply-request.ts';
import type { HaproxyPod } from '../protocol/pod.ts';
import type { AgentState, ApplyConflict, ApplyError, ApplyResult, MissingFiles } from '../protocol/wire.ts';
import { agentFailure } from './agent-failure.ts';
import { type AgentAccess, createAgentPool } from './agent-pool.ts';
import { encodeApply } from './encode-apply.ts';
import { retryConnection } from './retry-connection.ts';

/** What an agent can answer to an apply. `refused` is a request it did not understand or could not take in. */
export type ApplyAnswer =
  | { readonly kind: 'result'; readonly result: ApplyResult }
  | { readonly kind: 'conflict'; readonly conflict: ApplyConflict }
  | { readonly kind: 'missing'; readonly paths: readonly string[] }
  | { readonly kind: 'refused'; readonly status: number; readonly error: ApplyError };

/** `moved`: the pod has applied something else meanwhile. `unsupported`: its agent is too old to keep plans. */
export type PlanStored = 'stored' | 'moved' | 'unsupported';

/**
 * The controller's side of the agent protocol. Every call is cold, emits once and completes, and unsubscribing cancels
 * the request. A pod that cannot be reached, answers nonsense or takes too long is an error `HAPTIC_ERR_AGENT_*`.
 */
export interface AgentClient {
  state(
    pod: HaproxyPod,
    options?: { readonly verify?: boolean; readonly plan?: boolean },
  ): Observable<AgentState>;
  /** @param mayLeave asked right before the first byte leaves: when it says no, nothing is sent, and that is an error. Default: it may. */
  apply(pod: HaproxyPod, apply: ApplyRequest, mayLeave?: () => boolean): Observable<ApplyAnswer>;
  /** Keeps the blob of an applied plan on the pod. `mayLeave` as for an apply. */
  storePlan(
    pod: HaproxyPod,
    plan: { readonly id: string; readonly proof: string; readonly blob: Uint8Array },
    mayLeave?: () => boolean,
  ): Observable<PlanStored>;
  close(): Promise<void>;
}

export type AgentClientOptions = AgentAccess & {
  /** Milliseconds that an answer may take. */
  readonly stateTimeout?: number;
  /** The same for an apply, whose answer waits for a reload. */
  readonly applyTimeout?: number;
  /** Milliseconds since the epoch; certificates are judged by it. */
  readonly now?: () => number;
};

/**
 * Limits of the protocol's client side: state 10 s, apply 2 min, connect 5 s; a refused or reset connection is tried 3 more times,
 * 100 ms apart. Over mutual TLS, or plain HTTP with Basic credentials; never one when the other is asked for.
 */
export function createAgentClient(options: AgentClientOptions): AgentClient {
  const stateTimeout = options.stateTimeout ?? 10_000;
  const applyTimeout = options.applyTimeout ?? 120_000;
  const pool = createAgentPool(options, options.now);

  const call = async (
    pod: HaproxyPod,
    path: string,
    init: Partial<Dispatcher.RequestOptions>,
    timeout: number,
    signal: AbortSignal,
    mayLeave?: () => boolean,
  ) => {
    const origin = originOf(pod, pool.scheme);
    let answer: Dispatcher.ResponseData;
    try {
      answer = await request(`${origin}${path}`, {
        method: 'GET',
        ...init,
        dispatcher:
          mayLeave === undefined ? pool.current() : fencedDispatcher(pool.current(), mayLeave, notLeader),
        signal,
        headersTimeout: timeout,
        bodyTimeout: timeout,
        headers: { ...pool.headers, ...(init.headers as Record<string, string> | undefined) },
      });
    } catch (error) {
      throw agentFailure(pod, origin, error);
    }
    if (answer.statusCode === 401) throw unauthorized(pod, await answer.body.text());
    return answer;
  };

  return {
    state: (pod, { verify = false, plan = false } = {}) =>
      abortable(async (signal) => {
        const answer = await call(
          pod,
          `/v1/state?verify=${verify ? 1 : 0}&plan=${plan ? 1 : 0}`,
          {},
          stateTimeout,
          signal,
        );
        if (answer.statusCode !== 200)
          throw unexpected(pod, 'GET /v1/state', answer.statusCode, await answer.body.text());
        return (await answer.body.json()) as AgentState;
      }).pipe(retryConnection()),

    apply: (pod, apply, mayLeave) =>
      abortable(async (signal) => {
        const answer = await call(
          pod,
          '/v1/apply',
          { method: 'POST', ...encodeApply(apply) },
          applyTimeout,
          signal,
          mayLeave,
        );
        const text = await answer.body.text();
        return toAnswer(pod, answer.statusCode, text);
      }).pipe(retryConnection()),

    storePlan: (pod, plan, mayLeave) =>
      abortable(async (signal) => {
        const query = new URLSearchParams({ plan_id: plan.id, proof: plan.proof });
        const answer = await call(
          pod,
          `/v1/plan?${query.toString()}`,
          { method: 'PUT', body: plan.blob, headers: { 'content-type': 'application/octet-stream' } },
          stateTimeout,
          signal,
          mayLeave,
        );
        const text = await answer.body.text();
        const stored = storedAs[answer.statusCode];
        if (stored === undefined) throw unexpected(pod, 'PUT /v1/plan', answer.statusCode, text);
        return stored;
      }).pipe(retryConnection()),

    close: () => pool.close(),
  };
}

const notLeader = () => new Error('this process is not the leader any more: nothing was sent');

const storedAs: Readonly<Partial<Record<number, PlanStored>>> = {
  200: 'stored',
  409: 'moved',
  404: 'unsupported',
  405: 'unsupported',
};

function toAnswer(pod: HaproxyPod, status: number, text: string): ApplyAnswer {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw unexpected(pod, 'POST /v1/apply', status, text, error);
  }
  if (status === 200) return { kind: 'result', result: body as ApplyResult };
  if (status === 409) {
    return 'missing' in (body as object)
      ? { kind: 'missing', paths: (body as MissingFiles).missing }
      : { kind: 'conflict', conflict: body as ApplyConflict };
  }
  return { kind: 'refused', status, error: body as ApplyError };
}

function originOf(pod: HaproxyPod, scheme: string): string {
  const host = pod.address.includes(':') ? `[${pod.address}]` : pod.address;
  return `${scheme}://${host}:${pod.port}`;
}

function unauthorized(pod: HaproxyPod, body: string): CodedError {
  const message = `agent of pod ${pod.key} does not take the controller for one: ${body.slice(0, 500)}`;
  return new CodedError('HAPTIC_ERR_AGENT_UNAUTHORIZED', message);
}

function unexpected(
  pod: HaproxyPod,
  what: string,
  status: number,
  body: string,
  cause?: unknown,
): CodedError {
  const message = `agent of pod ${pod.key}: ${what} answered ${status}: ${body.slice(0, 500)}`;
  return new CodedError('HAPTIC_ERR_AGENT_ANSWER', message, { cause });
}
