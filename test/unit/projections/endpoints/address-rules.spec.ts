import { describe, expect, it } from 'vitest';
import { addressRules } from '../../../../src/projections/endpoints/address-rules.ts';
import { judgeAddress } from '../../../../src/projections/endpoints/judge-address.ts';

const verdict = (address: string, ...allowed: readonly string[]) =>
  judgeAddress(addressRules(allowed), address);

describe('addressRules', () => {
  it.each([
    ['93.184.215.14', 'public'],
    ['2606:2800:21f::1', 'public'],
    ['10.255.0.1', 'private'],
    ['100.64.0.1', 'private'],
    ['100.100.100.200', 'refused'],
    ['fd12::1', 'private'],
    ['fd00:ec2::254', 'refused'],
    ['127.0.0.1', 'refused'],
    ['::1', 'refused'],
    ['169.254.1.1', 'refused'],
    ['::7f00:1', 'refused'],
    ['::ffff:93.184.215.14', 'refused'],
    ['64:ff9b::5db8:d70e', 'public'],
    ['64:ff9b::a00:1', 'private'],
    ['64:ff9b::a9fe:a9fe', 'refused'],
    ['2606:2800:21f::1%lo', 'refused'],
    ['no address', 'refused'],
  ])('thinks of %s as %s', (address, expected) => {
    expect(verdict(address)).toBe(expected);
  });

  it('lets the more specific network count', () => {
    expect(verdict('10.1.2.3', '10.0.0.0/8')).toBe('allowed');
    expect(verdict('10.1.2.3', '10.1.0.0/16')).toBe('allowed');
    expect(verdict('10.2.2.3', '10.1.0.0/16')).toBe('private');
    expect(verdict('64:ff9b::a01:203', '10.1.0.0/16')).toBe('allowed');
  });

  it('does not open what is refused along with a wider network', () => {
    expect(verdict('169.254.169.254', '0.0.0.0/0', '::/0')).toBe('refused');
    expect(verdict('fd00:ec2::254', 'fc00::/7')).toBe('refused');
    expect(verdict('fd00:ec2::254', 'FD00:EC2:0::254/128')).toBe('allowed');
    expect(verdict('127.0.0.1', '127.0.0.0/8')).toBe('allowed');
  });

  it('has each network once, however it is written', () => {
    const networks = (allowed: readonly string[]) => addressRules(allowed).map(({ network }) => network);
    expect(networks(['10.9.9.9/8', 'FC00:0::/7'])).toHaveLength(networks([]).length);
  });
});
