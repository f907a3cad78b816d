import type { Observable } from 'rxjs';
import { abortable } from '../operators/abortable.ts';
import type { KubeResult } from './kube-failure.ts';
import { networkFailure, type KubeRequest, type KubeTransport } from './kube-transport.ts';

/** Asks on subscription for one JSON answer, emits it or why there is none, and completes; never errors. Unsubscribing aborts. */
export type ReadJson = (request: Omit<KubeRequest, 'signal'>) => Observable<KubeResult<unknown>>;

export function readJson(transport: KubeTransport): ReadJson {
  return (request) =>
    abortable(async (signal): Promise<KubeResult<unknown>> => {
      const result = await transport.request({ ...request, signal });
      if (!result.ok) return result;
      let text: string;
      try {
        text = await result.value.body.text();
      } catch (error) {
        return { ok: false, failure: networkFailure(error, signal) };
      }
      try {
        return { ok: true, value: JSON.parse(text) };
      } catch {
        const message = `the answer to ${request.method ?? 'GET'} ${request.path} is not JSON`;
        return { ok: false, failure: { kind: 'protocol', message } };
      }
    });
}
