import { afterAll, beforeAll, describe } from 'vitest';
import type { ApiServer } from '../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../src/sandbox/api/create-api-server.ts';
import { publishSuite } from '../fixtures/publish-suite.ts';

describe("what is published on the sandbox's API server", () => {
  let api: ApiServer;
  beforeAll(async () => {
    api = await createApiServer();
  });
  afterAll(() => api.close());
  publishSuite(() => api.kubeconfig());
});
