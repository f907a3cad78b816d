import { describe, expect, it } from 'vitest';
import { isSnippetPattern, matchesSnippet, missesNumber } from '../../../src/templates/snippet-pattern.ts';

describe('a pattern of snippets', () => {
  it.each([
    ['map-path-prefix-*', 'map-path-prefix-500-ingress', true],
    ['map-path-prefix-*', 'map-path-prefix-exact-500-ingress', false],
    ['map-path-prefix-exact-*', 'map-path-prefix-exact-500-ingress', true],
    ['frontend-filters-*', 'frontend-filters-050', true],
    ['frontend-filters-*', 'frontend-filters-50x', false],
    ['frontend-filters-*', 'frontend-filters-cors', false],
    ['frontend-filters-*', 'frontend-filters-', false],
    ['frontend-filters-*', 'other-500-x', false],
    ['frontend-routing', 'frontend-routing', true],
    ['frontend-routing', 'frontend-routing-500-x', false],
  ])('%s and %s: %s', (pattern, name, expected) => {
    expect(matchesSnippet(pattern, name)).toBe(expected);
  });

  it.each([
    ['frontend-filters-*', true],
    ['frontend-routing', true],
    ['*', false],
    ['a-*-b', false],
    ['a*', false],
    ['', false],
    ['a b-*', false],
  ])('%j is one: %s', (pattern, expected) => {
    expect(isSnippetPattern(pattern)).toBe(expected);
  });

  it.each([
    ['frontend-filters-*', 'frontend-filters-cors', true],
    ['frontend-filters-*', 'frontend-filters-500-cors', false],
    ['map-path-prefix-*', 'map-path-prefix-exact-500-x', false],
    ['frontend-routing', 'frontend-routing-x', false],
  ])('%s: %s lacks its number: %s', (pattern, name, expected) => {
    expect(missesNumber(pattern, name)).toBe(expected);
  });
});
