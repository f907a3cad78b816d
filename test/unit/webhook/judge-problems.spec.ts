import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/lib/problem.ts';
import { judgeProblems } from '../../../src/webhook/judge-problems.ts';

const subject = { kind: 'Ingress', namespace: 'shop', name: 'web' };
const other = { kind: 'Ingress', namespace: 'shop', name: 'other' };
const problem = (change: Partial<Problem> = {}): Problem => ({
  severity: 'error',
  reason: 'InvalidHost',
  field: 'spec.rules[0].host',
  message: 'is wrong',
  owner: subject,
  ...change,
});
const judge = (before: readonly Problem[], after: readonly Problem[]) =>
  judgeProblems({ before, after }, subject);

describe('a change is to blame', () => {
  it('for an error that it brings', () => {
    expect(judge([], [problem()])).toEqual({
      causes: [{ field: 'spec.rules[0].host', message: 'is wrong' }],
      warnings: [],
    });
  });

  it('for an error that it brings to another object, named', () => {
    expect(judge([], [problem({ owner: other })]).causes).toEqual([
      { field: '', message: 'Ingress shop/other: spec.rules[0].host: is wrong' },
    ]);
  });

  it('for one more of a fault that was there', () => {
    const moved = problem({ field: 'spec.rules[1].host' });
    expect(judge([problem()], [problem(), moved]).causes).toHaveLength(1);
  });
});

describe('a change is not to blame', () => {
  it('for what was there, wherever it stands now', () => {
    expect(judge([problem()], [problem({ field: 'spec.rules[7].host' })])).toEqual({
      causes: [],
      warnings: ['spec.rules[7].host: is wrong'],
    });
  });

  it.each([
    'AuthoritiesInvalid',
    'BackendMissing',
    'CertificateInvalid',
    'CertificateMissing',
    'PortMissing',
    'ConflictLost',
    'MapKeyConflict',
    'ContentPending',
    'ExternalNameRefused',
    'KeysInvalid',
    'PasswordsInvalid',
  ])('for what depends on other objects: %s', (reason) => {
    const { causes, warnings } = judge([], [problem({ reason })]);
    expect({ causes, warnings: warnings.length }).toEqual({ causes: [], warnings: 1 });
  });

  it('for a warning, which it is told', () => {
    expect(judge([], [problem({ severity: 'warning' })])).toEqual({
      causes: [],
      warnings: ['spec.rules[0].host: is wrong'],
    });
  });

  it('and is told nothing of what was wrong with others before', () => {
    expect(judge([problem({ owner: other })], [problem({ owner: other })])).toEqual({
      causes: [],
      warnings: [],
    });
  });
});

it('never refuses a change that takes problems away', () => {
  const arbitrary = fc.array(
    fc.record({
      field: fc.constantFrom('a', 'b', 'c'),
      message: fc.constantFrom('x', 'y'),
      reason: fc.constantFrom('InvalidHost', 'InvalidPath'),
      owner: fc.constantFrom(subject, other),
    }),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(arbitrary, fc.nat(8), (given, taken) => {
      const before = given.map(problem);
      expect(
        judge(
          before,
          before.filter((_, at) => at !== taken),
        ).causes,
      ).toEqual([]);
    }),
  );
});
