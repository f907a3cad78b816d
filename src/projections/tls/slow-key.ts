import type { KeyObject } from 'node:crypto';

/** 8192 bits take 0.5 ms to check a signature with, 16384 take 5 ms. */
const mostBits = 8192;

/** All that anybody uses are 3 and 65537. One of 3072 bits, with a modulus of as many, takes 31 ms. */
const largestExponent = 2n ** 32n;

/**
 * Why checking a signature with a key takes HAProxy so long that others wait, in words that follow what has the key; undefined if it does not. OpenSSL checks what it
 * has signed itself, too.
 */
export function slowKey({ asymmetricKeyDetails }: KeyObject): string | undefined {
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {};
  if (publicExponent > largestExponent)
    return 'has a key with a public exponent of more than 32 bits, which keeps HAProxy from everybody else';
  if (modulusLength > mostBits)
    return `has a key of ${modulusLength} bits, which keeps HAProxy from everybody else; 4096 are enough`;
  return undefined;
}
