import { describe, expect, it } from 'vitest';
import { hostName } from '../../../../../src/projections/policies/parsers/host-name.ts';

describe('hostName', () => {
  it.each(['shop', 'shop.example.com', ' Shop.Example.COM '])('reads %j', (text) => {
    expect(hostName(text)).toEqual({ value: text.trim().toLowerCase() });
  });

  it.each(['', '*.example.com', '10.0.0.1', 'shop:80', 'a..b', 'a_b', 'a b', 'a\nb', `${'a'.repeat(64)}.b`])(
    'refuses %j',
    (text) => {
      expect(hostName(text)).toHaveProperty('fault');
    },
  );
});
