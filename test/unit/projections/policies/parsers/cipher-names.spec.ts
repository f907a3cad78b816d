import { describe, expect, it } from 'vitest';
import { cipherNames } from '../../../../../src/projections/policies/parsers/cipher-names.ts';
import { cipherSuites } from '../../../../../src/projections/policies/parsers/cipher-suites.ts';

describe('names of ciphers', () => {
  it.each([
    ['ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384'],
    ['ECDHE+AESGCM:!AES128'],
    ['HIGH, !aNULL', 'HIGH:!aNULL'],
    // OpenSSL passes over what it does not know.
    ['ECDHE-RSA-AES128-GCM-SHA256:NEW-ONE'],
  ])('are taken: %s', (text, value = text) => {
    expect(cipherNames(text)).toEqual({ value });
  });

  it.each([
    'FOO',
    '-ALL',
    '!AES128',
    'TLS_AES_128_GCM_SHA256:FOO',
    'HIGH@SECLEVEL=9',
    'A@STRENGTH',
    '',
    'A;B',
  ])('that HAProxy refuses are refused: %s', (text) => {
    expect(cipherNames(text)).toHaveProperty('fault');
  });
});

describe('cipher suites', () => {
  it('are taken', () => {
    expect(cipherSuites('TLS_AES_256_GCM_SHA384, TLS_AES_128_GCM_SHA256')).toEqual({
      value: 'TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256',
    });
  });

  it.each(['FOO', 'ALL:eNULL', 'TLS_AES_128_GCM_SHA256:FOO', 'ECDHE-RSA-AES128-GCM-SHA256', ''])(
    'that there are not are refused: %s',
    (text) => {
      expect(cipherSuites(text)).toHaveProperty('fault');
    },
  );
});
