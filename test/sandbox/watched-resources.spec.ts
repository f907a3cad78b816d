import { afterAll, describe } from 'vitest';
import type { ApiServer } from '../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../src/sandbox/api/create-api-server.ts';
import { watchedResourcesSuite } from '../fixtures/watched-resources-suite.ts';

describe("watched resources on the sandbox's API server", () => {
  let api: ApiServer | undefined;
  afterAll(() => api?.close());
  watchedResourcesSuite(async () => {
    api = await createApiServer();
    return api.kubeconfig();
  });
});
