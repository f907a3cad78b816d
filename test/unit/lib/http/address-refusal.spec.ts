import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressRefusal } from '../../../../src/lib/http/address-refusal.ts';

const publicOnes = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.0.1',
  '11.0.0.1',
];
const privateOnes = [
  '127.0.0.1',
  '127.255.255.254',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '198.18.0.1',
];
const never = [
  '169.254.169.254',
  '169.254.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '192.0.2.1',
  '100.100.100.200',
  '168.63.129.16',
];

describe('addressRefusal', () => {
  it.each([...publicOnes, '2606:4700::1111', '2a00:1450:4001:81b::200e'])('lets %s be asked', (address) => {
    expect(addressRefusal(address, false)).toBeUndefined();
  });

  it.each([...privateOnes, '::1', 'fd12::1', 'fc00::1'])(
    'refuses %s unless private ones are allowed',
    (address) => {
      expect(addressRefusal(address, false)).toContain(address);
      expect(addressRefusal(address, true)).toBeUndefined();
    },
  );

  it.each([
    ...never,
    'fe80::1',
    'fe80::1%eth0',
    '::',
    'ff02::1',
    'fd00:ec2::254',
    'fd00:ec2::23',
    '2001:db8::1',
  ])('refuses %s whatever is allowed', (address) => {
    expect(addressRefusal(address, false)).toBeDefined();
    expect(addressRefusal(address, true)).toBeDefined();
  });

  it('says what it is', () => {
    expect(addressRefusal('169.254.169.254', true)).toBe('169.254.169.254, a metadata address');
    expect(addressRefusal('10.1.2.3', false)).toBe('10.1.2.3, a private address');
    expect(addressRefusal('::ffff:127.0.0.1', false)).toBe(
      '::ffff:127.0.0.1 stands for 127.0.0.1, a loopback address',
    );
  });

  it.each(['', 'localhost', '1.2.3', '::g', '[::1]'])('refuses %j, which is no address', (text) => {
    expect(addressRefusal(text, true)).toContain('is no address');
  });

  /** Every way to write an IPv4 address inside of an IPv6 one. */
  const wrappings: readonly (readonly [string, (a: number, b: number) => string])[] = [
    ['mapped', (a, b) => `::ffff:${a.toString(16)}:${b.toString(16)}`],
    ['mapped, dotted', (a, b) => `::ffff:${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`],
    ['translated', (a, b) => `::ffff:0:${a.toString(16)}:${b.toString(16)}`],
    ['NAT64', (a, b) => `64:ff9b::${a.toString(16)}:${b.toString(16)}`],
    ['local NAT64', (a, b) => `64:ff9b:1::${a.toString(16)}:${b.toString(16)}`],
    ['6to4', (a, b) => `2002:${a.toString(16)}:${b.toString(16)}::1`],
    [
      'Teredo',
      (a, b) => `2001:0:4136:e378:8000:63bf:${(a ^ 0xffff).toString(16)}:${(b ^ 0xffff).toString(16)}`,
    ],
  ];

  it.each(wrappings)('judges an IPv4 address that is %s as what it is', (_name, wrap) => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.tuple(octet, octet, octet, octet), fc.boolean(), ([a, b, c, d], allowPrivate) => {
        const plain = `${a}.${b}.${c}.${d}`;
        const wrapped = wrap(a * 256 + b, c * 256 + d);
        expect(addressRefusal(wrapped, allowPrivate) === undefined).toBe(
          addressRefusal(plain, allowPrivate) === undefined,
        );
      }),
    );
    for (const address of [...privateOnes, ...never, ...publicOnes]) {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
      const wrapped = wrap(a * 256 + b, c * 256 + d);
      expect([address, addressRefusal(wrapped, false) === undefined]).toStrictEqual([
        address,
        addressRefusal(address, false) === undefined,
      ]);
    }
  });

  /** Shorter prefixes of local NAT64 (RFC 6052, section 2.2), with a public address where longer ones have theirs. */
  const shorter: typeof wrappings = [
    [
      'local NAT64 of 48 bits',
      (a, b) =>
        `64:ff9b:1:${a.toString(16)}:${(b >> 8).toString(16)}:${((b & 255) << 8).toString(16)}:808:808`,
    ],
    [
      'local NAT64 of 56 bits',
      (a, b) =>
        `64:ff9b:1:${(0x100 | (a >> 8)).toString(16)}:${(a & 255).toString(16)}:${b.toString(16)}:808:808`,
    ],
    [
      'local NAT64 of 64 bits',
      (a, b) =>
        `64:ff9b:1:102:${(a >> 8).toString(16)}:${(((a & 255) << 8) | (b >> 8)).toString(16)}:${((b & 255) << 8).toString(16)}:808`,
    ],
  ];

  it.each(shorter)('refuses what may lead to an address that is refused: %s', (_name, wrap) => {
    for (const address of [...privateOnes, ...never]) {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
      // Zeros are what longer prefixes have there.
      if (address === '0.0.0.0') continue;
      expect([address, addressRefusal(wrap(a * 256 + b, c * 256 + d), false)]).toStrictEqual([
        address,
        expect.stringContaining(`stands for ${address}`),
      ]);
    }
  });

  it('takes every spelling of one IPv6 address for the same', () => {
    for (const spelling of ['::1', '0::1', '0:0:0:0:0:0:0:1', '0000:0000:0000:0000:0000:0000:0000:0001'])
      expect(addressRefusal(spelling, false)).toContain('loopback');
  });
});
