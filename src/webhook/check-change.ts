import { LRUCache } from 'lru-cache';
import { type Observable, concatMap, defer, forkJoin, map, of } from 'rxjs';
import type { Validator } from '../gate/create-validator.ts';
import type { Gate } from '../gate/create-gate.ts';
import type { LineRisk } from '../gate/guard/judge-line.ts';
import type { HaproxyMessage } from '../gate/parse-haproxy-output.ts';
import type { Finding, Verdict } from '../gate/verdict.ts';
import { diffOrderedMaps, getEntry } from '../lib/ordered-map.ts';
import type { Slices } from '../lib/slices.ts';
import { runInSlices, type RunInSlicesOptions } from '../operators/run-in-slices.ts';
import type { Plan, Section } from '../protocol/plan.ts';
import { certificateFault } from './certificate-fault.ts';
import type { CheckScope } from './check-scope.ts';
import type { HarmlessPlan } from './harmless-plan.ts';
import { textOf } from './plan-of.ts';
import type { ReducePlan, Reduction } from './reduce-plan.ts';

const rememberedForms = 4_096;

/** What HAProxy says of as much of a plan as it was given. */
interface Judged {
  readonly whole: HarmlessPlan;
  readonly verdict: Verdict;
}

export interface CheckChangeDeps {
  readonly gate: Pick<Gate, 'check'>;
  readonly reduce: ReducePlan;
  readonly harmless: (plan: Plan) => Slices<HarmlessPlan>;
  /** How work on a whole configuration pauses. */
  readonly slices: RunInSlicesOptions;
  /** Asked about what HAProxy accepts; they get the whole plan. */
  readonly validators: () => readonly Validator[];
}

export interface ChangeToCheck {
  /** What HAProxy accepted last; absent when it has not yet. */
  readonly accepted: Plan | undefined;
  readonly next: Plan;
  /** What would be rendered without the change: asked for only when something is refused. */
  readonly present: () => Plan | undefined;
}

export type CheckedChange =
  | {
      readonly kind: 'accepted';
      readonly scope: CheckScope;
      /** What is wrong, and was so without the change. */
      readonly known: readonly Finding[];
      /** Why some lines were not judged. */
      readonly notJudged: readonly string[];
    }
  | { readonly kind: 'refused'; readonly scope: CheckScope; readonly findings: readonly Finding[] }
  | { readonly kind: 'unchecked'; readonly message: string };

/**
 * HAProxy's and the validators' word on a change, in the smallest check that is known to be enough. A refusal is confirmed by a check
 * of the whole, and counts as far as it is not said without the change too, and cannot be due to lines that HAProxy was not given. One value, then completion; never an error of its own.
 */
export function createChangeCheck(
  deps: CheckChangeDeps,
): (change: ChangeToCheck) => Observable<CheckedChange> {
  const { gate, reduce } = deps;
  const known = new LRUCache<string, true>({ max: rememberedForms });

  const harmless = (plan: Plan): Observable<HarmlessPlan> =>
    runInSlices(() => deps.harmless(plan), deps.slices);

  const judge = (plan: Plan): Observable<Judged> =>
    harmless(plan).pipe(
      concatMap((whole) => gate.check(whole.plan).pipe(map((verdict) => ({ whole, verdict })))),
    );

  const confirm = (change: ChangeToCheck): Observable<CheckedChange> => {
    const { next, present } = change;
    return judge(next).pipe(
      concatMap(({ whole, verdict }): Observable<CheckedChange> => {
        if (verdict.kind === 'unchecked') return of({ kind: 'unchecked', message: verdict.message });
        if (verdict.kind === 'accepted') return of(accepted('full', whole, change));
        const certain = verdict.findings.filter((finding) => !whole.isDoubtful(finding));
        if (certain.length === 0) return of(accepted('full', whole, change));
        const before = present();
        if (before === undefined) return of({ kind: 'refused', scope: 'full', findings: certain });
        return judge(before).pipe(
          map(({ verdict: former }): CheckedChange => {
            if (former.kind === 'unchecked') return { kind: 'unchecked', message: former.message };
            const known = new Set(former.kind === 'refused' ? former.findings.map(identityOf) : []);
            const findings = certain.filter((finding) => !known.has(identityOf(finding)));
            if (findings.length > 0) return { kind: 'refused', scope: 'full', findings };
            return { ...accepted('full', whole, change), known: certain };
          }),
        );
      }),
    );
  };

  const byHaproxy = (change: ChangeToCheck): Observable<CheckedChange> => {
    const { accepted: base, next } = change;
    const reduction: Reduction =
      base === undefined
        ? { kind: 'full', reason: 'nothing was accepted yet' }
        : reduce(base, next, (forms) => forms.every((form) => known.get(form) === true));
    if (reduction.kind === 'unchanged' || reduction.kind === 'known') {
      const scope = reduction.kind === 'known' ? 'known' : 'none';
      return of({ kind: 'accepted', scope, known: [], notJudged: [] });
    }
    if (reduction.kind === 'full') return confirm(change);
    const { forms } = reduction;
    return judge(reduction.plan).pipe(
      concatMap(({ whole: part, verdict }): Observable<CheckedChange> => {
        if (verdict.kind === 'accepted') {
          if (part.leftOut.size === 0) for (const form of forms ?? []) known.set(form, true);
          return of(accepted('reduced', part, change));
        }
        // The part lacks what nobody thought of, or the change is bad: the whole tells which.
        return verdict.kind === 'refused'
          ? confirm(change)
          : of({ kind: 'unchecked', message: verdict.message });
      }),
    );
  };

  const byValidators = (
    validators: readonly Validator[],
    plan: Plan,
  ): Observable<readonly HaproxyMessage[]> =>
    forkJoin(validators.map((validator) => validator.check(plan))).pipe(map((said) => said.flat()));

  return (change) =>
    defer(() => {
      const faults = certificateFaults(change.accepted, change.next);
      if (faults.length > 0) return of<CheckedChange>({ kind: 'refused', scope: 'none', findings: faults });
      return byHaproxy(change).pipe(
        concatMap((checked) => {
          const validators = deps.validators();
          if (checked.kind !== 'accepted' || checked.scope === 'none' || validators.length === 0)
            return of(checked);
          return byValidators(validators, change.next).pipe(
            map((said): CheckedChange => {
              const findings = said.filter(({ severity }) => severity === 'alert');
              return findings.length === 0 ? checked : { kind: 'refused', scope: checked.scope, findings };
            }),
          );
        }),
      );
    });
}

const reasonOf: Readonly<Record<LineRisk, string>> = {
  load: 'load code',
  run: 'load code',
  code: 'load code',
  write: 'write a file',
  file: 'name a file outside of the configuration',
  unknown: 'are not known to be harmless',
};

function accepted(scope: CheckScope, { leftOut }: HarmlessPlan, { accepted: base, next }: ChangeToCheck) {
  const reasons = new Set<string>();
  for (const [key, lines] of leftOut) {
    const section = getEntry(next.sections, key);
    // What templates print by themselves is nothing that the author of an object could mend.
    if (section?.owner === undefined) continue;
    // What was accepted so already is no news.
    if (base !== undefined && getEntry(base.sections, key)?.text === section.text) continue;
    for (const { risk } of lines.filter(({ text }) => isForeign(text, section)))
      reasons.add(
        `lines of ${section.kind} ${section.name} were not judged by HAProxy, since they ` +
          `${reasonOf[risk]}: they are before they are deployed`,
      );
  }
  return { kind: 'accepted', scope, known: [], notJudged: [...reasons] } as const;
}

/** Whoever asks for what the shipped libraries do has written none of its lines. */
function isForeign(line: string, { foreign }: Section): boolean {
  return foreign === undefined || foreign.some((text) => line.includes(text));
}

/** Line numbers move with what stands before them. */
function identityOf({ message, owner, section, validator }: Finding): string {
  return JSON.stringify([message.replace(/\[[^\]\s]+:\d+\]|\bline \d+/g, ''), owner, section, validator]);
}

/** Certificates that are new or other than they were are read here: HAProxy gets a stand-in for them. */
function certificateFaults(before: Plan | undefined, { files }: Plan): readonly Finding[] {
  const findings: Finding[] = [];
  const note = (path: string, what: string, owner: Finding['owner']) =>
    findings.push({
      severity: 'alert',
      message: `the certificate ${path} is of no use: ${what}`,
      file: path,
      ...(owner === undefined ? {} : { owner }),
    });
  for (const { key: path, before: was, after: is } of diffOrderedMaps(
    before?.files ?? { size: 0, chunks: [] },
    files,
  )) {
    if (is?.kind !== 'cert' || is.digest === was?.digest) continue;
    const hasKeyFile = getEntry(files, `${path}.key`) !== undefined;
    const fault = certificateFault(
      textOf(is) + (hasKeyFile ? textOf(getEntry(files, `${path}.key`) ?? is) : ''),
    );
    if (fault !== undefined) note(path, fault, is.owner);
  }
  return findings;
}
