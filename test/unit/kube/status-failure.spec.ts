import { describe, expect, it } from 'vitest';
import { describeFailure } from '../../../src/kube/kube-failure.ts';
import { statusFailure } from '../../../src/kube/status-failure.ts';

describe('statusFailure', () => {
  it('takes status, reason and message of a Status object', () => {
    const body = { kind: 'Status', code: 409, reason: 'Conflict', message: 'changed meanwhile' };
    expect(statusFailure(409, body)).toEqual({
      kind: 'http',
      status: 409,
      reason: 'Conflict',
      message: 'changed meanwhile',
    });
  });

  it('takes the code of the object for an ERROR event, and 500 without one', () => {
    expect(statusFailure(0, { code: 410, reason: 'Expired' })).toMatchObject({
      status: 410,
      reason: 'Expired',
    });
    expect(statusFailure(0, {})).toMatchObject({ status: 500, message: 'no message' });
  });

  it('takes the header’s delay, else that of the details', () => {
    const body = { details: { retryAfterSeconds: 3 } };
    expect(statusFailure(429, body, { retryAfter: '1', now: 0 })).toMatchObject({ retryAfterMs: 1000 });
    expect(statusFailure(429, body, { retryAfter: undefined, now: 0 })).toMatchObject({ retryAfterMs: 3000 });
    expect(statusFailure(429, body)).toMatchObject({ retryAfterMs: 3000 });
    expect(statusFailure(429, { details: { retryAfterSeconds: 'x' } })).not.toHaveProperty('retryAfterMs');
  });

  it('makes do with text, nothing, or the wrong types, and keeps messages short', () => {
    expect(statusFailure(502, '<html>')).toMatchObject({ reason: '', message: '<html>' });
    for (const body of [null, undefined, 3, [], { message: {}, reason: [], details: 'x' }])
      expect(statusFailure(500, body)).toEqual({
        kind: 'http',
        status: 500,
        reason: '',
        message: 'no message',
      });
    expect(statusFailure(500, 'x'.repeat(5000))).toMatchObject({ message: 'x'.repeat(1024) });
  });
});

describe('describeFailure', () => {
  it('says each kind in one line', () => {
    expect(describeFailure(statusFailure(403, { reason: 'Forbidden', message: 'no' }))).toBe(
      '403 Forbidden: no',
    );
    expect(describeFailure(statusFailure(502, 'bad'))).toBe('502: bad');
    expect(describeFailure({ kind: 'network', code: 'ECONNRESET', message: 'cut' })).toBe('ECONNRESET: cut');
    expect(describeFailure({ kind: 'protocol', message: 'garbage' })).toBe('garbage');
    expect(describeFailure({ kind: 'credentials', message: 'no token' })).toBe('no token');
    expect(describeFailure({ kind: 'aborted' })).toBe('aborted');
  });
});
