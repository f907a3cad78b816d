import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { containsAddress, parseCidr } from '../../../../../src/lib/cidr.ts';
import { sourceNetwork } from '../../../../../src/projections/policies/parsers/source-network.ts';

describe('sourceNetwork', () => {
  it.each([
    ['10.1.2.3', '10.1.2.3/32'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['::/0', '::/0'],
    ['::1', '::1/128'],
    ['FD00:0:0:0:0:0:0:1/8', 'fd00::/8'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1/128'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1/128'],
    ['::ffff:10.1.2.3', '10.1.2.3/32'],
    ['::ffff:a01:203/112', '10.1.0.0/16'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
  ])('reads %s as %s', (text, value) => {
    expect(sourceNetwork(text)).toEqual({ value });
  });

  it.each([
    '',
    '10.0.0',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '010.0.0.1',
    'fd00::/129',
    'fe80::1%eth0',
    '::10.0.0.1',
    '::/64',
    '::2',
    '::/128',
    'localhost',
    '!10.0.0.0/8',
    '10.0.0.0/08 ',
  ])('refuses %j', (text) => {
    expect(sourceNetwork(text)).toHaveProperty('fault');
  });

  it('gives one spelling for one network, which means the same', () => {
    const octets = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 });
    const groups = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), {
      minLength: 8,
      maxLength: 8,
    });
    const network = fc.oneof(
      fc.tuple(octets, fc.integer({ min: 0, max: 32 })).map(([four, bits]) => `${four.join('.')}/${bits}`),
      fc
        .tuple(groups, fc.integer({ min: 0, max: 128 }))
        .map(([eight, bits]) => `${eight.map((group) => group.toString(16)).join(':')}/${bits}`),
    );
    fc.assert(
      fc.property(network, (text) => {
        const parsed = sourceNetwork(text);
        if ('fault' in parsed) return;
        expect(sourceNetwork(parsed.value)).toEqual(parsed);
        const [before, after] = [parseCidr(text), parseCidr(parsed.value)];
        if (before === undefined || after === undefined) throw new Error('must be networks');
        if (before.family !== after.family) return;
        expect([containsAddress(before, after), containsAddress(after, before)]).toEqual([true, true]);
      }),
    );
  });
});
