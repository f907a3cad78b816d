import { anyNumber, type HelperScope, type HelperTable } from '../helper-spec.ts';
import type { TrackedReads } from '../run.ts';
import { textOf } from './data.ts';

/** Looks at other objects than the item. Each is tracked: when what it gave changes, exactly this fragment is printed again. */
export const lookupHelpers: HelperTable = {
  single: {
    summary:
      '`single "services" namespace name`: the object under these index keys (`indexBy`); nothing if there is none.',
    output: 'value',
    args: [2, anyNumber],
    only: 'fragment',
    call: ([resource, ...keys], scope) => reads(scope).single(textOf(resource), keys.map(textOf)),
  },
  list: {
    summary:
      '`list "endpointslices" namespace service`: all objects under these index keys, or under the first few of them.',
    output: 'value',
    args: [1, anyNumber],
    only: 'fragment',
    call: ([resource, ...keys], scope) => reads(scope).list(textOf(resource), keys.map(textOf)),
  },
  fetch: {
    summary: '`fetch "configmaps" namespace name`: one object by its name.',
    output: 'value',
    args: [2, 3],
    only: 'fragment',
    call: ([resource, ...keys], scope) => reads(scope).fetch(textOf(resource), keys.map(textOf)),
  },
};

function reads(scope: HelperScope): TrackedReads {
  if (scope.run.reads === undefined) throw new RangeError('lookups are for forEach bodies');
  return scope.run.reads;
}
