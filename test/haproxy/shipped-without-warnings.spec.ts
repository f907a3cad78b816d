import { hostname, tmpdir } from 'node:os';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
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

  /** What somebody is warned of who applies these objects, where nothing was there before. */
  const notJudgedOf = async (
    given: readonly KubeObject[],
    snippets: Readonly<Record<string, string>> = {},
  ): Promise<readonly string[]> => {
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
      snippets,
    });
    world.put(...given);
    const { plan: next } = world.bundle();
    const checked = await firstValueFrom(check({ accepted: undefined, next, present: () => undefined }));
    expect(checked.kind).toBe('accepted');
    return checked.kind === 'accepted' ? checked.notJudged : [];
  };

  it('has none for who applies an object that asks for it', async () => {
    expect(await notJudgedOf(await objects())).toEqual([]);
  });

  describe('tells who asks for external authentication', () => {
    const asking = (annotations: Readonly<Record<string, string>> = {}) => [
      ingressClass(),
      service({ name: 'web' }),
      endpointSlice({ name: 'web-1', service: 'web', endpoints: ['10.0.0.1'] }),
      service({ name: 'oauth2-proxy', ports: [{ port: 4180 }] }),
      endpointSlice({ name: 'oauth2-proxy-1', service: 'oauth2-proxy', endpoints: ['10.0.0.2'] }),
      ingress({
        name: 'asking',
        annotations: prefixed({ 'auth-url': 'svc://oauth2-proxy:4180/oauth2/auth', ...annotations }),
        rules: [{ host: 'a.example.com', paths: [{ path: '/', service: 'web' }] }],
      }),
    ];
    const call = 'http-request lua.haptic_auth if { var(txn.haptic_auth) -m found }';
    const code = [expect.stringMatching(/^lines of .* were not judged by HAProxy, since they load code/)];

    it('nothing of the shipped lines', async () => {
      expect(await notJudgedOf(asking())).toEqual([]);
    });

    it('of lines of their own alone', async () => {
      const file = [expect.stringContaining('since they name a file outside of the configuration')];
      expect(await notJudgedOf(asking({ 'config-backend': 'errorfile 503 /etc/nowhere.http' }))).toEqual(
        file,
      );
      expect(await notJudgedOf(asking({ 'config-backend': 'http-request deny' }))).toEqual([]);
    });

    it('of lines of their own that read as shipped ones do', async () => {
      expect(await notJudgedOf(asking({ 'config-backend': call }))).toEqual(code);
    });

    it('of lines that a snippet of somebody else prints into a shipped section, or in place of a shipped one', async () => {
      expect(await notJudgedOf(asking(), { 'profile-directives-900-mine': `    ${call}` })).toEqual(code);
      const override = `{{#if shape.externalAuth}}\n    ${call}\n    http-request allow\n{{/if}}`;
      expect(await notJudgedOf(asking(), { 'profile-directives-420-external-auth': override })).toEqual(code);
    });

    it('of lines that a template of somebody else prints for the object', async () => {
      const own = `{{#forEach resources.ingresses as |i|}}{{#section "listen mine"}}
      listen mine from haptic-http
          bind unix@mine.sock
          ${call}
      {{/section}}{{/forEach}}`;
      expect(await notJudgedOf(asking(), { 'frontends-900-mine': own })).toEqual(code);
    });
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
