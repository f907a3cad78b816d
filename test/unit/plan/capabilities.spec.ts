import { describe, expect, it } from 'vitest';
import { isVersionAtLeast } from '../../../src/lib/is-version-at-least.ts';
import { capabilitiesOf } from '../../../src/plan/capabilities.ts';

const flags = (version: string) => {
  const { dynamicServers, guid, serverInitState, dynamicBackends } = capabilitiesOf({ version }, []);
  return [dynamicServers, guid, serverInitState, dynamicBackends];
};

describe('capabilitiesOf', () => {
  it.each([
    ['2.4', [false, false, false, false]],
    ['2.6', [true, false, false, false]],
    ['2.8', [true, false, false, false]],
    ['3.0', [true, true, false, false]],
    ['3.1', [true, true, true, false]],
    ['3.2', [true, true, true, false]],
    ['3.4', [true, true, true, true]],
    ['3.10', [true, true, true, true]],
    ['4.0', [true, true, true, true]],
    ['3.4.7-1', [true, true, true, true]],
    ['3.4-dev1', [true, true, true, true]],
  ])('knows what %s can do', (version, expected) => {
    expect(flags(version)).toEqual(expected);
  });

  it.each(['', 'unknown', 'v3.4', '3', '3.x'])('expects nothing of a version that reads %j', (version) => {
    expect(flags(version)).toEqual([false, false, false, false]);
    expect(capabilitiesOf({ version }, []).version).toBeUndefined();
  });

  it('keeps major and minor, and the operations of the agent', () => {
    const capabilities = capabilitiesOf({ version: '3.2.26-1' }, ['server_add']);
    expect(capabilities.version).toBe('3.2');
    expect([...capabilities.operations]).toEqual(['server_add']);
  });
});

describe('isVersionAtLeast', () => {
  it('compares numbers, not text', () => {
    expect(isVersionAtLeast('3.10', '3.4')).toBe(true);
    expect(isVersionAtLeast('3.4', '3.10')).toBe(false);
    expect(isVersionAtLeast('10.0', '9.9')).toBe(true);
    expect(isVersionAtLeast('2.6', '2.6')).toBe(true);
  });
});
