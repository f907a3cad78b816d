import { once } from 'node:events';
import https from 'node:https';
import { expect, it } from 'vitest';
import { addressRules } from '../../src/projections/endpoints/address-rules.ts';
import { issueCertificate } from '../fixtures/certificates.ts';
import { startDnsServer } from '../fixtures/dns-server.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { freeAddress } from '../fixtures/haproxy-process.ts';
import { startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { ingress, secret, service } from '../fixtures/kube-objects.ts';
import { prefixed } from '../fixtures/prefixed.ts';
import { setUp } from '../fixtures/set-up.ts';

const host = 'pay.example.com';

/** Answers with the name that it was asked for by TLS; its certificate is for `b.test` alone. */
const far = setUp(async () => {
  const { cert, key } = await issueCertificate({ names: ['b.test'], isAuthority: true });
  const at = await freeAddress();
  const server = https.createServer({ cert, key }, ({ socket }, response) =>
    response.end('servername' in socket ? String(socket.servername) : ''),
  );
  server.listen(at.port, at.host);
  await once(server, 'listening');
  return {
    ...at,
    cert,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
});
const dns = setUp(() => startDnsServer());

describeEachLine('external names by TLS', (line) => {
  const route = (annotations: Readonly<Record<string, string>> = {}) =>
    ingress({
      name: 'pay',
      annotations: prefixed(annotations),
      rules: [{ host, paths: [{ path: '/', service: 'pay', port: far.port }] }],
    });
  const leadsTo = (externalName: string) =>
    service({
      name: 'pay',
      type: 'ExternalName',
      externalName,
      ports: [{ port: far.port, appProtocol: 'https' }],
      selector: null,
    });
  const world = setUp(() => {
    for (const name of ['a.test', 'b.test']) dns.set(name, far.host);
    const authority = secret({ name: 'far-ca', type: 'Opaque', data: { 'ca.crt': far.cert } });
    return startIngressTraffic(line, [route(), leadsTo('a.test'), authority], {
      extraContext: { resolvers: { nameservers: [dns.address], hold: '1ms' } },
      externalNames: {
        enabled: true,
        allowedNames: [],
        clusterDomain: 'cluster.local',
        rules: addressRules([`${far.host}/32`]),
      },
    });
  });
  const answer = async () => {
    const { status, body } = await world.request({ host });
    return [status, body.replace(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$/g, '')];
  };

  it('are asked for their own name, and for another one without a reload', async () => {
    expect(await answer()).toEqual([200, 'a.test']);
    const before = world.bundle();
    world.put(leadsTo('b.test'));
    expect(await world.changeFrom(before)).toEqual(['map_set']);
    expect(await answer()).toEqual([200, 'b.test']);
  });

  it('have to show a certificate for it where that is asked for', async () => {
    world.put(route({ 'secure-verify-ca-secret': 'far-ca' }));
    await world.deploy();
    expect(await answer()).toEqual([200, 'b.test']);
    const before = world.bundle();
    world.put(leadsTo('a.test'));
    await world.changeFrom(before);
    expect((await answer())[0]).toBe(503);
  });

  it('are asked for the host of the client where that is asked for', async () => {
    world.put(route({ 'secure-sni': 'host' }));
    await world.deploy();
    expect(await answer()).toEqual([200, host]);
  });
});
