import { describe, expect, it } from 'vitest';
import { authUrl } from '../../../../../src/projections/policies/parsers/auth-url.ts';

describe('authUrl', () => {
  it.each([
    ['svc://auth:80', { service: 'auth', port: 80, path: '/' }],
    ['svc://auth:http/check', { service: 'auth', port: 'http', path: '/check' }],
    [
      'svc://shop/auth:8080/check?a=b',
      { namespace: 'shop', service: 'auth', port: 8080, path: '/check?a=b' },
    ],
    ['http://auth/check', { service: 'auth', port: 80, path: '/check' }],
    ['http://auth.shop:81/', { namespace: 'shop', service: 'auth', port: 81, path: '/' }],
    ['http://auth.shop.svc/x', { namespace: 'shop', service: 'auth', port: 80, path: '/x' }],
    ['http://auth.shop.svc.cluster.local/x', { namespace: 'shop', service: 'auth', port: 80, path: '/x' }],
  ])('reads %s', (text, value) => {
    expect(authUrl(text)).toEqual({ value });
  });

  it.each([
    '',
    'auth',
    '/check',
    'https://auth.shop.svc/check',
    'http://login.example.com/check',
    'http://auth.shop.pod/check',
    'http://auth.shop.svc.example.com/check',
    'http://127.0.0.1/check',
    'http://169.254.169.254/latest',
    'http://[::1]/check',
    'http://user@auth/check',
    'http://auth:0/check',
    'http://auth:65536/check',
    'svc://a/b/c:80/check',
    'svc:///auth:80/check',
    'svc://auth:80/with blank',
    'svc://auth:80/line\nbreak',
    'svc://auth:80/ä',
    'svc://auth',
    'svc://shop/auth/check',
    'SVC://auth:80',
    `svc://auth:80/${'x'.repeat(2_000)}`,
  ])('refuses %j', (text) => {
    expect(authUrl(text)).toHaveProperty('fault');
  });
});
