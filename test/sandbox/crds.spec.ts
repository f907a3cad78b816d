import { afterAll } from 'vitest';
import type { ApiServer } from '../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../src/sandbox/api/create-api-server.ts';
import { crdSuite } from '../fixtures/crd-suite.ts';
import { createKubectl, describeWithKubectl } from '../fixtures/kubectl.ts';

describeWithKubectl('the CRDs on the API of the sandbox', () => {
  let server: ApiServer | undefined;
  afterAll(() => server?.close());
  crdSuite(async () => {
    server = await createApiServer();
    return createKubectl(server.kubeconfig());
  });
});
