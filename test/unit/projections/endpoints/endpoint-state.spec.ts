import { describe, expect, it } from 'vitest';
import { endpointState } from '../../../../src/projections/endpoints/endpoint-state.ts';

describe('endpointState', () => {
  it.each([
    [undefined, 'ready'],
    [null, 'ready'],
    [{}, 'ready'],
    [{ ready: null, serving: null, terminating: null }, 'ready'],
    [{ ready: true }, 'ready'],
    [{ ready: true, serving: true, terminating: true }, 'ready'],
    [{ ready: false }, 'waiting'],
    [{ ready: false, terminating: false }, 'waiting'],
    [{ ready: false, serving: true, terminating: false }, 'waiting'],
    [{ ready: false, serving: true, terminating: true }, 'draining'],
    [{ ready: false, serving: false, terminating: true }, 'gone'],
    [{ ready: false, terminating: true }, 'gone'],
  ])('reads %j as %s', (conditions, value) => {
    expect(endpointState(conditions)).toEqual({ value });
  });

  it.each([
    ['ready', 'an object'],
    [[], 'an object'],
    [{ ready: 'true' }, 'ready must be true or false'],
    [{ ready: false, serving: 1 }, 'serving must be true or false'],
    [{ terminating: {} }, 'terminating must be true or false'],
  ])('refuses %j', (conditions, message) => {
    expect(endpointState(conditions)).toMatchObject({ fault: expect.stringContaining(message) as string });
  });
});
