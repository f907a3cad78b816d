import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { errorMessage } from '../lib/error-message.ts';
import { sampleHost } from './sample.ts';
import type { Sandbox } from './start-sandbox.ts';

export interface SampleCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

const deadlineMs = 60_000;

/**
 * Asks the sample through HAProxy, scales it up and down, and sees to it that no request failed and HAProxy did not
 * reload for it. Each finding is emitted as it is made; the first failure ends the check.
 */
export async function* checkSample(sandbox: Sandbox, signal: AbortSignal): AsyncGenerator<SampleCheck> {
  const failures: string[] = [];
  const first = await waitFor(signal, async () => {
    const answer = await ask(sandbox);
    return answer.pod !== undefined ? `pod ${answer.pod}` : { not: `status ${answer.status}` };
  });
  yield { name: `http://${sampleHost}/ answers through HAProxy`, ...first };
  if (!first.ok) return;

  const before = await sandbox.haproxy.reloads();
  for (const replicas of [5, 1]) {
    await firstValueFrom(
      sandbox.api.client.patch(
        'apps/v1/deployments',
        { namespace: 'default', name: 'echo' },
        { spec: { replicas } },
      ),
    );
    const scaled = await waitFor(signal, async () => {
      const pods = new Set<string>();
      // As many round trips as show every server of a round robin, several times over.
      for (let i = 0; i < replicas * 4 + 16; i++) {
        const { status, pod } = await ask(sandbox);
        if (pod === undefined) failures.push(`status ${status}`);
        else pods.add(pod);
      }
      return pods.size === replicas ? `${pods.size} pods answer` : { not: `${pods.size} pods answer` };
    });
    yield { name: `scaled to ${replicas}`, ...scaled };
    if (!scaled.ok) return;
  }
  yield {
    name: 'every request meanwhile was answered',
    ok: failures.length === 0,
    detail: failures.length === 0 ? 'no failure' : `${failures.length} failures, first: ${failures[0] ?? ''}`,
  };
  const reloads = (await sandbox.haproxy.reloads()) - before;
  yield { name: 'HAProxy did not reload', ok: reloads === 0, detail: `${reloads} reloads` };
}

/** Tries until a try gives its detail; the last reason why not is the detail of a failure. */
async function waitFor(
  signal: AbortSignal,
  attempt: () => Promise<string | { readonly not: string }>,
): Promise<Pick<SampleCheck, 'ok' | 'detail'>> {
  const end = performance.now() + deadlineMs;
  let reason = 'not tried';
  while (performance.now() < end && !signal.aborted) {
    try {
      const outcome = await attempt();
      if (typeof outcome === 'string') return { ok: true, detail: outcome };
      reason = outcome.not;
    } catch (error) {
      reason = errorMessage(error);
    }
    await sleep(20);
  }
  return {
    ok: false,
    detail: signal.aborted ? 'interrupted' : `after ${deadlineMs / 1000} s still: ${reason}`,
  };
}

/** One request on a connection of its own; `pod` is there when a pod of the sample answered 200. */
function ask(sandbox: Sandbox): Promise<{ status: number; pod: string | undefined }> {
  return new Promise((resolve, reject) => {
    const request = http.get(
      sandbox.httpUrl,
      { headers: { host: sampleHost }, agent: false, timeout: 5_000 },
      (response) => {
        response.resume();
        response.on('end', () => {
          const pod = response.headers['x-echo-pod'];
          const status = response.statusCode ?? 0;
          resolve({ status, pod: status === 200 && typeof pod === 'string' ? pod : undefined });
        });
        response.on('error', reject);
      },
    );
    request.on('timeout', () => request.destroy(new Error('no answer in 5 s')));
    request.on('error', reject);
  });
}
