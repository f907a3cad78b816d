import { describe, expect, it } from 'vitest';
import { nearestName } from '../../../src/lib/nearest-name.ts';

describe('nearestName', () => {
  it.each([
    ['quotd', 'quoted'],
    ['sectionname', 'sectionName'],
    ['qouted', 'quoted'],
    ['iff', 'if'],
    ['nothing', undefined],
    ['xy', undefined],
    ['', undefined],
    ['q'.repeat(1_000_000), undefined],
  ])('%s → %s', (name, meant) => {
    expect(nearestName(name, ['if', 'quoted', 'sectionName', 'unless'])).toBe(meant);
  });
});
