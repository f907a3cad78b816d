import { describe, expect, it } from 'vitest';
import { proxyHeader, proxyHeaderLength } from '../../../../src/validation/traffic/proxy-header.ts';

const v1 = Buffer.from('PROXY TCP4 192.0.2.1 192.0.2.2 1 80\r\n');
const v2 = Buffer.concat([
  Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1'),
  Buffer.from([0x21, 0x11, 0, 12]),
  Buffer.alloc(12),
]);
const request = Buffer.from('GET / HTTP/1.1\r\n\r\n');

describe('the PROXY header that a connection begins with', () => {
  it.each([
    ['version 1', v1],
    ['version 2', v2],
  ])('%s is skipped, however it comes', (_title, header) => {
    const all = Buffer.concat([header, request]);
    for (let size = 1; size < header.byteLength; size++)
      expect(proxyHeaderLength(all.subarray(0, size))).toBe('incomplete');
    for (let size = header.byteLength; size <= all.byteLength; size++)
      expect(proxyHeaderLength(all.subarray(0, size))).toBe(header.byteLength);
  });

  it.each([
    ['a request', request],
    ['HTTP/2', Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
    ['TLS', Buffer.from([0x16, 3, 1, 0, 5])],
    ['a method that begins like it', Buffer.from('PROXYFIND / HTTP/1.1\r\n')],
    ['a line of it without an end', Buffer.from(`PROXY ${'x'.repeat(200)}`)],
  ])('%s is none', (_title, bytes) => {
    expect(proxyHeaderLength(bytes)).toBe(0);
  });
});

describe('the PROXY header of a request', () => {
  it.each([
    ['203.0.113.7', '10.0.0.1', 'PROXY TCP4 203.0.113.7 10.0.0.1 40000 80\r\n'],
    ['203.0.113.7', '*', 'PROXY TCP4 203.0.113.7 127.0.0.1 40000 80\r\n'],
    ['203.0.113.7', '0.0.0.0', 'PROXY TCP4 203.0.113.7 127.0.0.1 40000 80\r\n'],
    ['2001:db8::1', '::', 'PROXY TCP6 2001:db8::1 :: 40000 80\r\n'],
    ['2001:db8::1', '', 'PROXY TCP6 2001:db8::1 ::1 40000 80\r\n'],
  ])('of %s to %s', (client, host, expected) => {
    expect(proxyHeader(client, { host, port: 80 })).toBe(expected);
  });
});
