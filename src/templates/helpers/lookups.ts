import { anyNumber, type HelperScope, type HelperTable } from '../helper-spec.ts';
import type { TrackedReads } from '../run.ts';
import { textOf } from './arguments.ts';

/** Looks at other objects than the item. Each is tracked: when what it gave changes, exactly this fragment is printed again. */
export const lookupHelpers: HelperTable = {
  single: {
    signature: 'single "services" namespace name',
    summary:
      'The object under these index keys (`indexBy`); nothing if there is none, an error if there are several.',
    example:
      '{{#with (single "services" w.metadata.namespace w.spec.service) as |s|}}{{s.spec.clusterIP}}{{/with}}',
    output: 'value',
    args: [2, anyNumber],
    only: 'fragment',
    call: ([resource, ...keys], scope) => reads(scope).single(textOf(resource), keys.map(textOf)),
  },
  list: {
    signature: 'list "endpointslices" namespace service',
    summary:
      'All objects under these index keys, or under the first few of them, or all there are; in order of their keys.',
    example: '{{#each (list "services" w.metadata.namespace) as |s|}}{{s.metadata.name}} {{/each}}',
    output: 'value',
    args: [1, anyNumber],
    only: 'fragment',
    call: ([resource, ...keys], scope) => reads(scope).list(textOf(resource), keys.map(textOf)),
  },
  fetch: {
    signature: 'fetch "configmaps" namespace name',
    summary: 'One object by its name, or an entry of a collection by its key.',
    example: '{{#with (fetch "services" w.metadata.namespace "shop") as |s|}}{{s.spec.clusterIP}}{{/with}}',
    output: 'value',
    args: [2, 3],
    only: 'fragment',
    call: ([resource, ...keys], scope) => reads(scope).fetch(textOf(resource), keys.map(textOf)),
  },
  renderMode: {
    signature: 'renderMode',
    summary:
      '`reconcile` for what goes out, `admission` for a what-if. Tracked: what reads it is printed anew for each what-if, so read it where the answer differs and nowhere else.',
    example: '{{#if (eq (renderMode) "admission")}}a what-if{{else}}for real{{/if}}',
    output: 'value',
    args: [0, 0],
    only: 'fragment',
    call: (_args, scope) => textOf(reads(scope).context('renderMode')),
  },
  admissionSubject: {
    signature: 'admissionSubject',
    summary:
      'The object that a what-if is about, as `kind`, `namespace` and `name`; nothing in a render for real. Tracked.',
    example: '{{#with (admissionSubject) as |o|}}{{o.name}}{{else}}nobody asks{{/with}}',
    output: 'value',
    args: [0, 0],
    only: 'fragment',
    call: (_args, scope) => reads(scope).context('admissionSubject'),
  },
};

function reads(scope: HelperScope): TrackedReads {
  if (scope.run.reads === undefined) throw new RangeError('lookups are for forEach bodies');
  return scope.run.reads;
}
