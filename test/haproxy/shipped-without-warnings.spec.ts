import { hostname, tmpdir } from 'node:os';
import { firstValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import { createGate, defaultGateLimits } from '../../src/gate/create-gate.ts';
import { checkRootsIn } from '../../src/gate/check-root.ts';
import { runProcess } from '../../src/gate/run-process.ts';
import { capabilitiesOf } from '../../src/plan/capabilities.ts';
import { createChangeCheck } from '../../src/webhook/check-change.ts';
import { createHarmless } from '../../src/webhook/harmless-plan.ts';
import { createReducer } from '../../src/webhook/reduce-plan.ts';
import { standInCertificate } from '../../src/webhook/stand-in-certificate.ts';
import { worldSlices } from '../../src/world/world-slices.ts';
import { annotationRows } from '../fixtures/annotation-rows.ts';
import { prefixed } from '../fixtures/prefixed.ts';
import { issueCertificate } from '../fixtures/certificates.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { createIngressRenderer, type IngressRendererOptions } from '../fixtures/ingress-renderer.ts';
import { endpointSlice, ingress, ingressClass, secret, service } from '../fixtures/kube-objects.ts';

/** Each annotation on an Ingress of its own, with what it needs, and everything that the examples name. */
async function objects() {
  const { cert, key } = await issueCertificate({ names: ['*.example.com'], isAuthority: true });
  const rsa = await issueCertificate({ keys: 'rsa' });
  const pair = { 'tls.crt': cert, 'tls.key': key };
  const served = (name: string, port = 80) => [
    service({ name, ports: [{ port }] }),
    endpointSlice({ name: `${name}-1`, service: name, endpoints: ['10.0.0.1'] }),
  ];
  const at = (name: string, created: string, annotations: Readonly<Record<string, string>>) =>
    ingress({
      name,
      created,
      annotations: prefixed(annotations),
      rules: [{ host: `${name}.example.com`, paths: [{ path: '/', service: 'web' }] }],
      tls: [{ hosts: [`${name}.example.com`], secretName: 'certificate' }],
    });
  return [
    ingressClass(),
    ...[...served('web'), ...served('shop-next'), ...served('oauth2-proxy', 4180)],
    ...[secret({ name: 'certificate', data: pair }), secret({ name: 'haproxy-client', data: pair })],
    secret({ name: 'client-ca', type: 'Opaque', data: { 'ca.crt': cert } }),
    secret({ name: 'server-ca', type: 'Opaque', data: { 'ca.crt': cert } }),
    secret({ name: 'login-keys', type: 'Opaque', data: { rsa: rsa.cert, ecdsa: cert } }),
    secret({ name: 'shop-users', type: 'Opaque', data: { auth: 'ann::secret' } }),
    service({ name: 'away', type: 'ExternalName', externalName: 'example.org' }),
    ingress({ name: 'away', rules: [{ host: 'away.example.com', paths: [{ path: '/', service: 'away' }] }] }),
    ...annotationRows.map(({ key: name, example, companions }) =>
      at(`x-${name}`, '2026-02-01T00:00:00Z', { ...companions, [name]: example }),
    ),
  ];
}

describeEachLine('the shipped configuration', (line) => {
  const gate = createGate({
    haproxy: line.path,
    withRoot: checkRootsIn(tmpdir()),
    run: runProcess,
    limits: defaultGateLimits,
  });
  const warningsOf = async (options: IngressRendererOptions) => {
    const world = createIngressRenderer({
      capabilities: { ...capabilitiesOf({ version: line.line }, []) },
      snippetAnnotations: true,
      ...options,
    });
    world.put(...(await objects()));
    const verdict = await firstValueFrom(gate.check(world.bundle().plan));
    return verdict.kind === 'accepted' ? verdict.warnings.map(({ message }) => message) : verdict;
  };

  it('has no warnings, whatever annotations there are', async () => {
    expect(await warningsOf({})).toEqual([]);
    expect(await warningsOf({ extraContext: { tls: { passthrough: true }, sslRedirect: true } })).toEqual([]);
  });

  it('has none for who applies an object that asks for it', async () => {
    const check = createChangeCheck({
      gate,
      reduce: createReducer(),
      harmless: createHarmless(await standInCertificate(Date.now())),
      slices: worldSlices,
      validators: () => [],
    });
    const world = createIngressRenderer({
      capabilities: { ...capabilitiesOf({ version: line.line }, []) },
      snippetAnnotations: true,
    });
    world.put(...(await objects()));
    const { plan: next } = world.bundle();
    expect(
      await firstValueFrom(check({ accepted: undefined, next, present: () => undefined })),
    ).toMatchObject({ kind: 'accepted', notJudged: [] });
  });

  it('has none with limits shared among pods, of which the checking process is none', async () => {
    const haproxyPods = ['haproxy-0', 'haproxy-1'].map((name, index) => ({
      namespace: 'haptic',
      name,
      address: `10.1.0.${index}`,
    }));
    expect(haproxyPods.map(({ name }) => name)).not.toContain(hostname());
    const extraContext = { limits: { peersPort: 10000 } };
    expect(await warningsOf({ extraContext, haproxyPods })).toEqual([]);
    // Before there is any.
    expect(await warningsOf({ extraContext, haproxyPods: [] })).toEqual([]);
  });
});
