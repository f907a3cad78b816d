import { configure } from 'rxjs-marbles';
import { expect } from 'vitest';

/** Marble tests run in virtual time (`run: true`); a mismatch is shown by vitest as a frame diff. */
configure({
  run: true,
  frameworkMatcher: true,
  assertDeepEqual: (actual: unknown, expected: unknown) => {
    expect(actual).toStrictEqual(expected);
  },
});
