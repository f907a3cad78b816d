import { metadataBlocks } from './metadata-blocks.ts';

/** Networks where no client should get a server to ask for it. */
export interface AddressRange {
  readonly what: string;
  /** `never`: whatever the configuration says. `private`, and for whom that is no other than itself `loopback`: unless such addresses are allowed. */
  readonly refused: 'never' | 'loopback' | 'private';
  readonly blocks: readonly string[];
}

/** Of the IANA special-purpose registries (RFC 6890), and where clouds answer for their machines. The first that fits counts. */
export const addressRanges: readonly AddressRange[] = [
  {
    what: 'a metadata address',
    refused: 'never',
    blocks: metadataBlocks,
  },
  { what: 'a link-local address', refused: 'never', blocks: ['169.254.0.0/16', 'fe80::/10'] },
  {
    what: 'an address of no host',
    refused: 'never',
    blocks: ['0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4', '::/128', 'ff00::/8', '100::/64', '2001:db8::/32'],
  },
  {
    what: 'an address of no host',
    refused: 'never',
    blocks: ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '3fff::/20', '5f00::/16', '2001::/23'],
  },
  { what: 'a loopback address', refused: 'loopback', blocks: ['127.0.0.0/8', '::1/128'] },
  {
    what: 'a private address',
    refused: 'private',
    blocks: [
      '10.0.0.0/8',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '100.64.0.0/10',
      '192.0.0.0/24',
      '198.18.0.0/15',
      'fc00::/7',
      'fec0::/10',
    ],
  },
];
