import { afterAll } from 'vitest';
import type { ApiServer } from '../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../src/sandbox/api/create-api-server.ts';
import { createKubectl, kubectlMissing } from '../fixtures/kubectl.ts';
import { statusSuite } from '../fixtures/status-suite.ts';

let api: ApiServer | undefined;
const kubeconfig = async (): Promise<string> => {
  api ??= await createApiServer();
  return api.kubeconfig();
};
afterAll(() => api?.close());

statusSuite(kubeconfig, async () =>
  kubectlMissing === undefined ? createKubectl(await kubeconfig()) : undefined,
);
