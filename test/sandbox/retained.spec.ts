import { afterAll } from 'vitest';
import type { ApiServer } from '../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../src/sandbox/api/create-api-server.ts';
import { newestHaproxyLine } from '../fixtures/haproxy-lines.ts';
import { describeWithKubectl } from '../fixtures/kubectl.ts';
import { retainedSuite } from '../fixtures/retained-suite.ts';

describeWithKubectl("what new pods get while nothing can be rendered, on the sandbox's API server", () => {
  const line = newestHaproxyLine();
  if (line === undefined) return;
  let api: ApiServer | undefined;
  afterAll(() => api?.close());
  retainedSuite({
    line,
    kubeconfig: async () => {
      api = await createApiServer();
      return api.kubeconfig();
    },
  });
});
