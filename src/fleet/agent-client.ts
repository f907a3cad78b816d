import type { Observable } from 'rxjs';
import { Agent, type Dispatcher, request } from 'undici';
import { CodedError } from '../lib/coded-error.ts';
import { abortable } from '../operators/abortable.ts';
import type { ApplyRequest } from '../protocol/apply-request.ts';
import type { HaproxyPod } from '../protocol/pod.ts';
import type { AgentState, ApplyConflict, ApplyError, ApplyResult, MissingFiles } from '../protocol/wire.ts';
import { encodeApply } from './encode-apply.ts';

/** What an agent can answer to an apply. `refused` is a request it did not understand or could not take in. */
export type ApplyAnswer =
  | { readonly kind: 'result'; readonly result: ApplyResult }
  | { readonly kind: 'conflict'; readonly conflict: ApplyConflict }
  | { readonly kind: 'missing'; readonly paths: readonly string[] }
  | { readonly kind: 'refused'; readonly status: number; readonly error: ApplyError };

/**
 * The controller's side of the agent protocol. Every call is cold, emits once and completes, and unsubscribing cancels
 * the request. A pod that cannot be reached, answers nonsense or takes too long is an error `HAPTIC_ERR_AGENT_*`.
 */
export interface AgentClient {
  state(
    pod: HaproxyPod,
    options?: { readonly verify?: boolean; readonly plan?: boolean },
  ): Observable<AgentState>;
  apply(pod: HaproxyPod, apply: ApplyRequest): Observable<ApplyAnswer>;
  /** Keeps the blob of an applied plan on the pod; emits false when the pod has moved on. */
  storePlan(
    pod: HaproxyPod,
    plan: { readonly id: string; readonly proof: string; readonly blob: Uint8Array },
  ): Observable<boolean>;
  close(): Promise<void>;
}

export interface AgentClientOptions {
  readonly username: string;
  readonly password: string;
  /** Milliseconds that an answer may take. */
  readonly stateTimeout?: number;
  /** The same for an apply, whose answer waits for a reload. */
  readonly applyTimeout?: number;
}

/** Plain HTTP with Basic credentials; limits of the protocol's client side (state 10 s, apply 2 min, connect 5 s). */
export function createAgentClient(options: AgentClientOptions): AgentClient {
  const stateTimeout = options.stateTimeout ?? 10_000;
  const applyTimeout = options.applyTimeout ?? 120_000;
  const dispatcher = new Agent({
    allowH2: false,
    connect: { timeout: 5_000 },
    connections: 4,
    keepAliveTimeout: 90_000,
    keepAliveMaxTimeout: 90_000,
    pipelining: 1,
  });
  const authorization = `Basic ${Buffer.from(`${options.username}:${options.password}`).toString('base64')}`;

  const call = (
    pod: HaproxyPod,
    path: string,
    init: Partial<Dispatcher.RequestOptions>,
    timeout: number,
    signal: AbortSignal,
  ) =>
    request(`${originOf(pod)}${path}`, {
      method: 'GET',
      ...init,
      dispatcher,
      signal,
      headersTimeout: timeout,
      bodyTimeout: timeout,
      headers: { authorization, ...(init.headers as Record<string, string> | undefined) },
    }).catch((error: unknown) => {
      throw unreachable(pod, error);
    });

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
      }),

    apply: (pod, apply) =>
      abortable(async (signal) => {
        const answer = await call(
          pod,
          '/v1/apply',
          { method: 'POST', ...encodeApply(apply) },
          applyTimeout,
          signal,
        );
        const text = await answer.body.text();
        return toAnswer(pod, answer.statusCode, text);
      }),

    storePlan: (pod, plan) =>
      abortable(async (signal) => {
        const query = new URLSearchParams({ plan_id: plan.id, proof: plan.proof });
        const answer = await call(
          pod,
          `/v1/plan?${query.toString()}`,
          { method: 'PUT', body: plan.blob, headers: { 'content-type': 'application/octet-stream' } },
          stateTimeout,
          signal,
        );
        await answer.body.dump();
        return answer.statusCode === 200;
      }),

    close: () => dispatcher.close(),
  };
}

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

function originOf(pod: HaproxyPod): string {
  const host = pod.address.includes(':') ? `[${pod.address}]` : pod.address;
  return `http://${host}:${pod.port}`;
}

function unreachable(pod: HaproxyPod, cause: unknown): CodedError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new CodedError(
    'HAPTIC_ERR_AGENT_UNREACHABLE',
    `agent of pod ${pod.key} at ${originOf(pod)}: ${why}`,
    { cause },
  );
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
