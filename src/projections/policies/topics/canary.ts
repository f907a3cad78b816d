import { boolean } from '../parsers/boolean.ts';
import { boundedRegex } from '../parsers/bounded-regex.ts';
import { headerName } from '../parsers/header-name.ts';
import { matchedName } from '../parsers/matched-name.ts';
import { matchedValue } from '../parsers/matched-value.ts';
import { wholeNumber } from '../parsers/whole-number.ts';
import type { PolicyFields } from '../policy-fields.ts';
import type { PolicyClash, PolicyTopic } from '../policy-topic.ts';

const common = { scope: 'route', shape: 'nothing' } as const;
const most = 1_000_000;

/**
 * A part of the requests of another Ingress. Whom they are let in for, and what becomes of them, is that one's to say: whatever else an Ingress with
 * `canary` says has no effect.
 */
export const canary: PolicyTopic = {
  name: 'canaries',
  title: 'Canaries',
  switch: 'canary',
  fields: {
    canary: {
      ...common,
      key: 'canary',
      parse: boolean,
      values: '`true` or `false`',
      summary:
        'This Ingress serves a part of what another one of its namespace serves on the same host and path. Everything else but the Service is what the other one says.',
      example: 'true',
    },
    canaryByHeader: {
      ...common,
      key: 'canary-by-header',
      cost: 'a line of the frontends, where no other route has the same',
      parse: (text) => headerName(text.trim(), () => undefined),
      values: 'name of a header',
      summary:
        'Requests that have `always` there go to the canary and those that have `never` do not; others go by cookie or weight. First of the three.',
      example: 'X-Canary',
    },
    canaryByHeaderValue: {
      ...common,
      key: 'canary-by-header-value',
      needs: [{ anyOf: ['canaryByHeader'] }],
      parse: matchedValue,
      values: 'visible ASCII without blanks',
      summary: 'Requests that have this there go to the canary, in place of `always` and `never`.',
      example: 'beta',
    },
    canaryByHeaderPattern: {
      ...common,
      key: 'canary-by-header-pattern',
      needs: [{ anyOf: ['canaryByHeader'] }],
      cost: 'free, but for the first pattern of a header',
      parse: boundedRegex,
      values: 'a regular expression that begins with `^`',
      summary:
        'The same by an expression, at values of up to 1000 characters. `canary-by-header-value` goes before it.',
      example: '^(beta|next)-[0-9]+$',
    },
    canaryByCookie: {
      ...common,
      key: 'canary-by-cookie',
      cost: 'a line of the frontends, where no other route has the same',
      parse: matchedName,
      values: 'name of a cookie',
      summary: 'The same by a cookie with `always` or `never` in it. Second.',
      example: 'canary',
    },
    canaryWeight: {
      ...common,
      key: 'canary-weight',
      parse: wholeNumber(0, most),
      values: 'a whole number up to `canary-weight-total`',
      summary:
        'How many of the requests go to the canary that neither header nor cookie decides on. Default `0`.',
      example: '10',
    },
    canaryWeightTotal: {
      ...common,
      key: 'canary-weight-total',
      needs: [{ anyOf: ['canaryWeight'] }],
      parse: wholeNumber(1, most),
      values: 'a whole number from 1 to 1000000',
      summary: 'Of how many. Default `100`.',
      example: '1000',
    },
  },
  check(fields) {
    if (fields.canary !== true) return [];
    const { canaryByHeaderValue, canaryByHeaderPattern } = fields;
    const { canaryWeight = 0, canaryWeightTotal = 100 } = fields;
    const faults: PolicyClash[] = [];
    for (const field of Object.keys(fields) as (keyof PolicyFields)[]) {
      if (!Object.hasOwn(canary.fields, field))
        faults.push({ field, fault: 'belongs to the Ingress that this one is the canary of', isIdle: true });
    }
    if (canaryWeight > canaryWeightTotal)
      faults.push({
        field: 'canaryWeight',
        fault: `is more than canary-weight-total (${canaryWeightTotal})`,
      });
    if (canaryByHeaderValue !== undefined && canaryByHeaderPattern !== undefined)
      faults.push({
        field: 'canaryByHeaderPattern',
        fault: 'is not looked at beside canary-by-header-value',
        isIdle: true,
      });
    return faults;
  },
};
