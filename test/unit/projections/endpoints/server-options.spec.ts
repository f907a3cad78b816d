import { expect, it } from 'vitest';
import { createGraph } from '../../../../src/collections/create-graph.ts';
import { serverOptions } from '../../../../src/projections/endpoints/server-options.ts';
import type { ServerSettings } from '../../../../src/projections/policies/server-settings.ts';
import type { TrustState } from '../../../../src/projections/tls/create-trust.ts';

const graph = createGraph();
const trust = graph.source<TrustState>('trust');
const identities = graph.source<true>('identities');
trust.set('shop/ca', { ca: 'ca.pem', crl: 'crl.pem' });
identities.set('shop_own_client.pem', true);
graph.advance();

const options = (server: ServerSettings, port: Parameters<typeof serverOptions>[1] = {}) =>
  serverOptions(
    { namespace: 'shop', server },
    port,
    { read: (of, key) => of.peek(key) },
    { trust, identities },
  );
const required = { verify: 'required', authorities: 'ca.pem', revoked: 'crl.pem' };

it.each<[string, ServerSettings, unknown]>([
  ['nothing', { proxyProtocol: 'no' }, {}],
  [
    'a protocol in the clear',
    { backendProtocol: 'h2', proxyProtocol: 'v1' },
    { protocol: 'h2', proxyProtocol: 'send-proxy' },
  ],
  ['any certificate', { secureBackends: true }, { tls: { verify: 'none' } }],
  ['authorities', { secureVerifyCaSecret: 'ca' }, { tls: required }],
  [
    'those of the system',
    { secureVerifyCaSecret: '@system-ca' },
    { tls: { verify: 'required', authorities: '@system-ca' } },
  ],
  [
    'a certificate',
    { secureCrtSecret: 'own' },
    { tls: { verify: 'none', certificate: 'shop_own_client.pem' } },
  ],
  [
    'the name of the client',
    { secureBackends: true, secureSni: 'sni' },
    { tls: { verify: 'none', isServerNameOfClient: true } },
  ],
  ['authorities that are not there', { secureVerifyCaSecret: 'none' }, undefined],
  ['a certificate that is not there', { secureCrtSecret: 'none' }, undefined],
])('servers are spoken to by what is said: %s', (_what, server, expected) => {
  expect(options(server)).toEqual(expected);
});

it.each(['host', 'sni', 'other.example'])(
  'the name to verify is asked for, whatever another object says (%s)',
  (secureSni) => {
    expect(options({ secureVerifyCaSecret: 'ca', secureVerifyHostname: 'a.example', secureSni })).toEqual({
      tls: { ...required, serverName: 'a.example', verifiedName: 'a.example' },
    });
  },
);

it('what a port says stays where nothing else is said of it', () => {
  const port = { protocol: 'h2', tls: { verify: 'none', isServerNameFound: true } } as const;
  expect(options({ proxyProtocol: 'v2' }, port)).toEqual({
    protocol: 'h2',
    proxyProtocol: 'send-proxy-v2',
    tls: port.tls,
  });
  expect(options({ secureSni: 'host' }, port)).toEqual({ protocol: 'h2', tls: { verify: 'none' } });
  expect(options({ secureVerifyHostname: 'a.example' }, port)?.tls).toEqual({
    verify: 'none',
    serverName: 'a.example',
    verifiedName: 'a.example',
  });
  expect(options({ backendProtocol: 'h1' }, port)).toEqual({});
  expect(options({ secureBackends: false }, port)).toEqual({ protocol: 'h2' });
});
