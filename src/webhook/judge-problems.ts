import { formatOwner, type Owner } from '../lib/owner.ts';
import type { Problem } from '../lib/problem.ts';
import type { AdmissionCause } from './admission.ts';

/** Problems before and after a change, of all objects that it touches. */
export interface ProblemChange {
  readonly before: readonly Problem[];
  readonly after: readonly Problem[];
}

export interface ProblemJudgement {
  /** What the change makes wrong. */
  readonly causes: readonly AdmissionCause[];
  /** What it makes suspicious, and what was wrong already. */
  readonly warnings: readonly string[];
}

/**
 * Decides which problems a change is to blame for.
 *
 * An error is a cause when it was not there before: the same words about the same object count as the same error, wherever in the
 * object they are about now, so that an object with two faults can be repaired in two steps, and moved list items are no new
 * faults. Errors that depend on other objects (a Service that is not there yet, a path that somebody older has) are warnings: the
 * other object may come, go or change at any time.
 */
export function judgeProblems({ before, after }: ProblemChange, subject: Owner): ProblemJudgement {
  const known = new Map<string, number>();
  for (const problem of before) known.set(identityOf(problem), (known.get(identityOf(problem)) ?? 0) + 1);
  const causes: AdmissionCause[] = [];
  const warnings: string[] = [];
  for (const problem of after) {
    const identity = identityOf(problem);
    const left = known.get(identity) ?? 0;
    if (left > 0) known.set(identity, left - 1);
    const isNew = left === 0;
    const isOwn = isSame(problem.owner, subject);
    const words = isOwn ? problem.message : `${formatOwner(problem.owner)}: ${withField(problem)}`;
    if (isNew && problem.severity === 'error' && !isAboutOthers(problem))
      causes.push({ field: isOwn ? problem.field : '', message: words });
    // What was wrong with others before is no news for whoever changes this one.
    else if (isOwn || isNew) warnings.push(isOwn ? withField(problem) : words);
  }
  return { causes, warnings };
}

const aboutOthers = /(?:Missing|Conflict|Lost|Pending)$/;
const othersReasons: ReadonlySet<string> = new Set([
  'AuthoritiesInvalid',
  'CertificateInvalid',
  'ExternalNameRefused',
  'KeysInvalid',
  'ObjectUnreadable',
  'PasswordsInvalid',
]);

/** By convention such reasons end in Missing, Conflict, Lost or Pending. */
function isAboutOthers({ reason }: Problem): boolean {
  return aboutOthers.test(reason) || othersReasons.has(reason);
}

function identityOf({ owner, severity, reason, message }: Problem): string {
  return JSON.stringify([owner.kind, owner.namespace, owner.name, severity, reason, message]);
}

function isSame(a: Owner, b: Owner): boolean {
  return a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}

function withField({ field, message }: Problem): string {
  return field === '' ? message : `${field}: ${message}`;
}
