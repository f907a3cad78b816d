import { afterAll, describe } from 'vitest';
import type { ApiServer } from '../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../src/sandbox/api/create-api-server.ts';
import { ownObjectsSuite } from '../fixtures/own-objects-suite.ts';

describe("own objects on the sandbox's API server", () => {
  let api: ApiServer | undefined;
  afterAll(() => api?.close());
  ownObjectsSuite(async () => {
    api = await createApiServer();
    return api.kubeconfig();
  });
});
