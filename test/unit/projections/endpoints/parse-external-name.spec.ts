import { describe, expect, it } from 'vitest';
import { addressRules } from '../../../../src/projections/endpoints/address-rules.ts';
import { parseExternalName } from '../../../../src/projections/endpoints/parse-external-name.ts';

function parse(
  name: unknown,
  { enabled = true, allowedNames = [] as string[], allowedNetworks = [] as string[] } = {},
) {
  const rules = addressRules(allowedNetworks);
  return parseExternalName(name, { enabled, allowedNames, clusterDomain: 'cluster.local', rules });
}

const refusal = (text: string) => ({ fault: expect.stringContaining(text) as string });

describe('parseExternalName', () => {
  it.each([
    ['api.example.com', 'api.example.com'],
    ['API.Example.COM.', 'api.example.com'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['cluster.local.example.com', 'cluster.local.example.com'],
    ['notcluster.local', 'notcluster.local'],
  ])('takes %s for a host', (raw, name) => {
    expect(parse(raw)).toEqual({ value: { host: { name, isTrusted: false } } });
  });

  it.each([
    ['localhost', 'HAProxy itself'],
    ['LOCALHOST.', 'HAProxy itself'],
    ['a.localhost', 'HAProxy itself'],
    ['kubernetes.default.svc.cluster.local', 'inside of the cluster'],
    ['vault.other.svc.Cluster.Local.', 'inside of the cluster'],
    ['cluster.local', 'inside of the cluster'],
    ['10-1-2-3.other.pod.cluster.local', 'inside of the cluster'],
  ])('refuses %s, which leads past the borders of namespaces', (raw, why) => {
    expect(parse(raw)).toEqual(refusal(why));
  });

  it('NGX#55: a name without a domain is not looked for in the namespaces of HAProxy', () => {
    expect(parse('db')).toEqual(refusal('no full name'));
  });

  it.each([
    '127.0.0.1',
    '127.8.9.10',
    '169.254.169.254',
    '100.100.100.200',
    '0.0.0.0',
    '10.0.0.1',
    '192.168.1.1',
    '172.31.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fd00:ec2::254',
    'fc00::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::169.254.169.254',
    '2002:7f00:1::',
  ])('NGX#55: refuses the address %s', (raw) => {
    expect(parse(raw)).toEqual(refusal('no public address'));
  });

  it.each(['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', '64:ff9b::5db8:d70e'])(
    'NGX#55: takes %s for the address that it is, not for a name',
    (raw) => {
      expect(parse(raw)).toEqual({ value: { address: raw } });
    },
  );

  it.each([
    undefined,
    null,
    7,
    '',
    '.',
    'a..b',
    '-a.example.com',
    'a_b.example.com',
    'a.example.com check',
    'a.example.com\nserver b 127.0.0.1',
    '${HOME}.example.com',
    '%[src].example.com',
    '2130706433',
    '127.1',
    '0x7f.1',
    'unix@/run/haproxy.sock',
    '::1%lo',
    'fe80::1%eth0',
    '2606:2800:21f::1%lo',
    '/run/haproxy.sock',
    'fd@1',
    `${'a'.repeat(64)}.example.com`,
    `${'a.'.repeat(126)}example.com`,
  ])('refuses %j, which is no name', (raw) => {
    expect(parse(raw)).toEqual(refusal('must be a DNS name'));
  });

  it('takes what the configuration allows', () => {
    const allowed = { allowedNames: ['db', '*.shop.svc.cluster.local', 'localhost'] };
    expect(parse('db', allowed)).toEqual({ value: { host: { name: 'db', isTrusted: true } } });
    expect(parse('a.shop.svc.cluster.local', allowed)).toMatchObject({
      value: { host: { isTrusted: true } },
    });
    expect(parse('a.other.svc.cluster.local', allowed)).toEqual(refusal('inside of the cluster'));
    expect(parse('localhost', allowed)).toMatchObject({ value: { host: { isTrusted: true } } });
    expect(parse('10.1.2.3', { allowedNetworks: ['10.1.0.0/16'] })).toEqual({
      value: { address: '10.1.2.3' },
    });
    expect(parse('10.2.2.3', { allowedNetworks: ['10.1.0.0/16'] })).toEqual(refusal('no public address'));
  });

  it('refuses all when they are switched off', () => {
    expect(parse('api.example.com', { enabled: false })).toEqual(refusal('is not served'));
  });
});
