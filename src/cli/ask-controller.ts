import { CodedError } from '../lib/coded-error.ts';
import { errorMessage } from '../lib/error-message.ts';

/**
 * One GET of a running controller's debug pages; the body is still to be read.
 *
 * @param base of the debug pages, `http://127.0.0.1:8080/debug`
 * @throws CodedError `HAPTIC_ERR_CLI_USAGE` for a base that is no URL, `HAPTIC_ERR_CLI_CONTROLLER` when it does not answer, or not with 200
 */
export async function askController(base: string, path: string, signal: AbortSignal): Promise<Response> {
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol))
    throw new CodedError('HAPTIC_ERR_CLI_USAGE', `--url must be http://… or https://…, not "${base}"`);
  const url = `${base.replace(/\/+$/, '')}/${path}`;
  let response: Response;
  try {
    response = await fetch(url, { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    const words = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new CodedError(
      'HAPTIC_ERR_CLI_CONTROLLER',
      `no controller answers at ${base}: ${errorMessage(words)}. Its debug pages answer on loopback only: in a cluster, ` +
        'kubectl port-forward deployment/haptic 8080 first; --url or HAPTIC_DEBUG says where they are',
      { cause: error },
    );
  }
  if (response.ok) return response;
  const text = await response.text();
  throw new CodedError('HAPTIC_ERR_CLI_CONTROLLER', `${url}: ${reasonIn(text) ?? response.statusText}`);
}

function reasonIn(text: string): string | undefined {
  try {
    const answer = JSON.parse(text) as { readonly error?: unknown; readonly message?: unknown };
    const reason = typeof answer.message === 'string' ? answer.message : answer.error;
    return typeof reason === 'string' ? reason : undefined;
  } catch {
    return undefined;
  }
}
