import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiFaults } from './api-server.ts';
import { apiError } from './api-status.ts';
import { type FaultRequest, parseFaultRequest } from './fault-request.ts';
import { readBody } from './read-body.ts';
import { sendJson } from './send-response.ts';

export const faultsPath = '/sandbox/faults';

/**
 * The faults of a running sandbox over HTTP, for `kubectl … --raw`: GET lists those that are waiting, POST adds one (or strikes
 * at open watches or the history at once), DELETE takes all back. Faults do not concern this path.
 */
export async function serveFaults(
  faults: ApiFaults,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  switch (request.method) {
    case 'GET':
      break;
    case 'DELETE':
      request.resume();
      faults.clear();
      break;
    case 'POST': {
      const { value } = await readBody(request, {});
      strike(faults, parseFaultRequest(value));
      break;
    }
    default:
      throw apiError(405, `${request.method ?? ''} is not supported here: GET, POST or DELETE`);
  }
  sendJson(response, 200, { faults: faults.list() });
}

function strike(faults: ApiFaults, asked: FaultRequest): void {
  if ('action' in asked) {
    faults.inject(asked);
    return;
  }
  if ('compact' in asked) {
    faults.compact(asked.compact === true ? undefined : asked.compact);
    return;
  }
  const { watches, match } = asked;
  if (watches === 'cut') faults.cutWatches(match);
  else if (watches === 'silence') faults.silenceWatches(match);
  else if (watches === 'end') faults.endWatches(match);
  else faults.failWatches(watches, match);
}
