import { afterAll, describe } from 'vitest';
import type { ApiServer } from '../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../src/sandbox/api/create-api-server.ts';
import type { FaultAction } from '../../src/sandbox/api/faults.ts';
import { watchedResourcesSuite } from '../fixtures/watched-resources-suite.ts';

function onApi(fault?: FaultAction): void {
  let api: ApiServer | undefined;
  afterAll(() => api?.close());
  watchedResourcesSuite(async () => {
    api = await createApiServer();
    if (fault !== undefined) api.faults.inject({ action: fault });
    return api.kubeconfig();
  });
}

describe("watched resources on the sandbox's API server", () => onApi());

describe('watched resources on an API server that knows no streaming lists', () =>
  onApi({ kind: 'no-initial-events' }));
