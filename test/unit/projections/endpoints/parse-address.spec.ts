import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../../src/projections/endpoints/parse-address.ts';

describe('parseAddress', () => {
  it.each([
    ['10.0.0.1', 'IPv4', '10.0.0.1'],
    ['127.1.2.3', 'IPv4', '127.1.2.3'],
    ['fd00::1', 'IPv6', 'fd00::1'],
    ['FD00:0:0::1', 'IPv6', 'fd00::1'],
    ['::1', 'IPv6', '::1'],
    ['::ffff:10.0.0.1', 'IPv6', '::ffff:10.0.0.1'],
    ['64:ff9b::10.0.0.1', 'IPv6', '64:ff9b::a00:1'],
  ] as const)('reads %s (%s) as %s', (raw, family, value) => {
    expect(parseAddress(raw, family)).toEqual({ value });
  });

  it.each([
    ['fd00::1', 'IPv4'],
    ['10.0.0.1', 'IPv6'],
    ['pod.example.com', 'IPv4'],
    ['10.0.0.1:80', 'IPv4'],
    ['10.0.0.256', 'IPv4'],
    ['010.0.0.1', 'IPv4'],
    ['10.0.0.1 check', 'IPv4'],
    ['10.0.0.1\n', 'IPv4'],
    ['[fd00::1]', 'IPv6'],
    ['fe80::1%eth0', 'IPv6'],
    ['fd00::1%25eth0', 'IPv6'],
    ['', 'IPv4'],
    [undefined, 'IPv4'],
    [2130706433, 'IPv4'],
    [{}, 'IPv6'],
  ] as const)('refuses %j as %s', (raw, family) => {
    expect(parseAddress(raw, family)).toMatchObject({
      fault: expect.stringContaining(`must be an ${family}`) as string,
    });
  });

  it.each([
    ['0.0.0.0', 'IPv4'],
    ['0.1.2.3', 'IPv4'],
    ['169.254.169.254', 'IPv4'],
    ['224.0.0.1', 'IPv4'],
    ['255.255.255.255', 'IPv4'],
    ['::', 'IPv6'],
    ['fe80::1', 'IPv6'],
    ['ff02::1', 'IPv6'],
    ['::ffff:169.254.169.254', 'IPv6'],
    ['::169.254.169.254', 'IPv6'],
    ['::ffff:0:169.254.169.254', 'IPv6'],
    ['64:ff9b::a9fe:a9fe', 'IPv6'],
    ['64:ff9b:1::169.254.169.254', 'IPv6'],
    ['64:ff9b::0.0.0.0', 'IPv6'],
    ['2002:a9fe:a9fe::1', 'IPv6'],
    ['2001:0:102:304:5:6:5601:5601', 'IPv6'],
    ['100.100.100.200', 'IPv4'],
    ['168.63.129.16', 'IPv4'],
    ['fd00:ec2::254', 'IPv6'],
    ['fd20:ce::254', 'IPv6'],
  ] as const)('refuses %s, which is no single reachable host', (raw, family) => {
    expect(parseAddress(raw, family)).toMatchObject({
      fault: expect.stringContaining('one reachable host') as string,
    });
  });
});
