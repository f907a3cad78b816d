import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

/** All that there are for TLS 1.3 (RFC 8446, B.4). */
const known = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_CCM_SHA256',
  'TLS_AES_128_CCM_8_SHA256',
];

/** Names of cipher suites for TLS 1.3, with colons, commas or blanks between them. As HAProxy takes them: with colons, each once. */
export function cipherSuites(text: string): Parsed<string> {
  const names = new Set(text.split(/[\s,:]+/).filter((name) => name !== ''));
  if (names.size > 0 && [...names].every((name) => known.includes(name)))
    return { value: [...names].join(':') };
  return { fault: `must be some of ${known.join(', ')}, with colons between them, not ${showValue(text)}` };
}
