import { describe, expect, it } from 'vitest';
import type { TrafficExpectation } from '../../../../src/api/template-config.ts';
import { judgeTraffic } from '../../../../src/validation/traffic/judge-traffic.ts';
import type { TrafficOutcome } from '../../../../src/validation/traffic/with-traffic.ts';

const outcome: TrafficOutcome = {
  answer: { status: 200, headers: { 'x-one': 'a, b', 'content-type': 'text/plain' }, body: 'hello' },
  backend: 'web',
  forwarded: {
    backend: 'web',
    server: 's1',
    method: 'GET',
    path: '/x?y=1',
    headers: { host: 'shop.example.com' },
    body: '',
  },
};
const own: TrafficOutcome = { answer: { status: 404, headers: {}, body: 'no' }, backend: '' };

const judge = (expect: TrafficExpectation, of = outcome) => judgeTraffic(of, expect, 'assertions[0].expect');

describe('what is expected of a request', () => {
  it.each<[string, TrafficExpectation]>([
    ['its status', { status: 200 }],
    ['its backend and server', { backend: 'web', server: 's1' }],
    [
      'patterns of its headers, whatever their case',
      { headers: { 'X-One': '^a, b$', 'content-type': 'plain' } },
    ],
    ['the absence of a header', { headers: { via: '' } }],
    ['a pattern of its body', { body: '^hel' }],
    [
      'what the server was asked',
      { request: { method: 'GET', path: '^/x\\?', headers: { host: 'shop', cookie: '' } } },
    ],
  ])('%s', (_title, expectation) => {
    expect(judge(expectation)).toBeUndefined();
  });

  it('may be that nobody was asked', () => {
    expect(judge({ backend: '', status: 404 }, own)).toBeUndefined();
  });
});

describe('a request that comes to something else', () => {
  it.each<[TrafficExpectation, string]>([
    [{ status: 301 }, 'status is 200, not 301'],
    [{ backend: 'other' }, 'backend is "web", not "other"'],
    [{ backend: '' }, 'backend is "web", not none'],
    [{ server: 's2' }, 'server is "s1", not "s2"'],
    [{ headers: { 'x-two': 'a' } }, 'header x-two is missing'],
    [{ headers: { 'x-one': '' } }, 'header x-one is there: "a, b"'],
    [{ headers: { 'x-one': '^b' } }, 'header x-one is "a, b", which "^b" does not match'],
    [{ body: 'bye' }, 'body is "hello", which "bye" does not match'],
    [{ request: { method: 'PUT' } }, 'forwarded method is "GET", not "PUT"'],
    [{ request: { path: '^/z' } }, 'forwarded path is "/x?y=1", which "^/z" does not match'],
    [{ request: { headers: { cookie: 'a' } } }, 'forwarded header cookie is missing'],
    [{ request: { body: 'a' } }, 'forwarded body is none, which "a" does not match'],
  ])('%j', (expectation, error) => {
    const said = judge(expectation) ?? '';
    expect(said.split('; ')[0]).toBe(error);
    expect(said).toContain(
      '(the answer was 200, backend web was chosen, server web/s1 was asked for /x?y=1)',
    );
  });

  it('says everything that differs', () => {
    expect(judge({ status: 500, backend: 'x', body: 'y' })?.split('; ')).toHaveLength(4);
  });

  it('says that no server was asked', () => {
    expect(judge({ request: { method: 'GET' } }, own)).toContain('no server was asked');
    expect(judge({ server: 's1' }, own)).toContain('server is none, not "s1"');
  });

  it('says how the connection ended', () => {
    expect(judge({ status: 200 }, { failure: 'socket hang up', backend: '' })).toBe(
      'there was no answer: socket hang up',
    );
  });

  it('may be meant to get no answer', () => {
    expect(judge({ closed: true }, { failure: 'socket hang up', backend: '' })).toBeUndefined();
    expect(judge({ closed: true })).toMatch(
      /^there was an answer \(the answer was 200, backend web was chosen/,
    );
    expect(judge({ closed: false, status: 200 })).toBeUndefined();
  });

  it('refuses a pattern that is none, naming its field', () => {
    expect(() => judge({ headers: { 'x-one': '(' } })).toThrow(
      'assertions[0].expect.headers.x-one is no regular',
    );
  });
});
