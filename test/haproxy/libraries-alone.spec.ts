import { tmpdir } from 'node:os';
import { firstValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import { checkRootsIn } from '../../src/gate/check-root.ts';
import { createGate, defaultGateLimits } from '../../src/gate/create-gate.ts';
import { runProcess } from '../../src/gate/run-process.ts';
import { capabilitiesOf } from '../../src/plan/capabilities.ts';
import { annotationRows } from '../fixtures/annotation-rows.ts';
import { prefixed } from '../fixtures/prefixed.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { createIngressRenderer } from '../fixtures/ingress-renderer.ts';
import { endpointSlice, ingress, ingressClass, service } from '../fixtures/kube-objects.ts';

/** Every annotation that needs no Secret, whether a library prints it or not. */
const said = annotationRows
  .filter(({ key, companions }) => ![key, ...Object.keys(companions)].some((name) => /secret/.test(name)))
  .map(({ key, example, companions }) =>
    ingress({
      name: `x-${key}`,
      annotations: prefixed({ ...companions, [key]: example }),
      rules: [{ host: `${key}.example.com`, paths: [{ path: '/', service: 'web' }] }],
    }),
  );
const served = ['web', 'shop-next', 'oauth2-proxy'].flatMap((name) => [
  service({ name, ports: [{ port: name === 'oauth2-proxy' ? 4180 : 80 }] }),
  endpointSlice({ name: `${name}-1`, service: name, endpoints: ['10.0.0.1'] }),
]);

describeEachLine('libraries beside the base alone', (line) => {
  it.each(['ssl', 'policies', 'policies-access', 'policies-requests'].map((name) => [name]))(
    '%s: is a configuration that HAProxy takes',
    async (name) => {
      const world = createIngressRenderer({
        libraries: ['base', name, 'ingress'],
        capabilities: { ...capabilitiesOf({ version: line.line }, []) },
        snippetAnnotations: true,
      });
      world.put(ingressClass(), ...served, ...said);
      const gate = createGate({
        haproxy: line.path,
        withRoot: checkRootsIn(tmpdir()),
        run: runProcess,
        limits: defaultGateLimits,
      });
      expect(await firstValueFrom(gate.check(world.bundle().plan))).toMatchObject({
        kind: 'accepted',
      });
    },
  );
});
