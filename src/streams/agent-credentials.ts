import { defer, distinctUntilChanged, filter, map, NEVER, takeUntil, tap, type Observable } from 'rxjs';
import type { KubeObject } from '../api/kube-object.ts';
import { isRecord } from '../lib/is-record.ts';
import { coalesce } from '../operators/coalesce.ts';
import { listWatch, type ListWatchDeps, type StopDeps } from './list-watch.ts';
import { reflect } from './reflect.ts';
import { noticeOf, type WatchNotice } from './watch-notice.ts';

export interface AgentCredentialsDeps extends ListWatchDeps, StopDeps {
  /** The resource is called `agent-credentials`. */
  readonly notice: (notice: WatchNotice) => void;
}

/** What a Secret of credentials says. */
export type AgentCredentials =
  | { readonly kind: 'known'; readonly username: string; readonly password: string }
  /** It is not there, or lacks something; the message names it and no value. */
  | { readonly kind: 'unusable'; readonly message: string };

const resource = 'agent-credentials';

/**
 * User name and password for agents, from the keys `dataplane_username` and `dataplane_password` of a Secret: the first value when
 * the API answered, then one per change of what they say. A Secret has no generation, so its contents are compared. While the
 * API cannot be watched, the last value stands. Never errors, never completes; the newest value wins within one synchronous burst.
 */
export function agentCredentials(
  deps: AgentCredentialsDeps,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Observable<AgentCredentials> {
  const secrets = {
    apiVersion: 'v1',
    resources: 'secrets',
    namespace,
    fieldSelector: `metadata.name=${name}`,
  };
  return defer(() => {
    let secret: KubeObject | undefined;
    const key = `${namespace}/${name}`;
    const take = (at: string, object: KubeObject | undefined): void => {
      if (at === key) secret = object;
    };
    return listWatch(deps, secrets).pipe(
      tap((event) => {
        const notice = noticeOf(resource, event);
        if (notice !== undefined) deps.notice(notice);
      }),
      reflect(resource, {
        set: take,
        delete: (at) => take(at, undefined),
        replace: (entries) => {
          secret = new Map(entries).get(key);
        },
      }),
      filter(({ kind }) => kind !== 'degraded' && kind !== 'recovered'),
      coalesce(),
      map(() => credentialsOf(key, secret)),
    );
  }).pipe(distinctUntilChanged(isSame), takeUntil(deps.stop$ ?? NEVER));
}

function credentialsOf(key: string, secret: KubeObject | undefined): AgentCredentials {
  if (secret === undefined) return { kind: 'unusable', message: `there is no Secret ${key}` };
  const data = isRecord(secret['data']) ? secret['data'] : {};
  const [username, password] = ['dataplane_username', 'dataplane_password'].map((field) =>
    textOf(data[field]),
  );
  if (username === undefined || password === undefined)
    return {
      kind: 'unusable',
      message: `the Secret ${key} has no ${username === undefined ? 'dataplane_username' : 'dataplane_password'}`,
    };
  return { kind: 'known', username, password };
}

/** Undefined for what is absent or empty. */
function textOf(base64: unknown): string | undefined {
  if (typeof base64 !== 'string') return undefined;
  const text = Buffer.from(base64, 'base64').toString('utf8');
  return text === '' ? undefined : text;
}

function isSame(a: AgentCredentials, b: AgentCredentials): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
