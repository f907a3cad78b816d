import { type Observable, concatMap, defer, map, of, tap } from 'rxjs';
import { assertNever } from '../lib/assert-never.ts';
import type { Plan } from '../protocol/plan.ts';
import type { HttpText } from './http-entry.ts';

/** The render of a moment with other contents than those in effect, and without them. */
export interface HttpPreview {
  readonly plan: Plan;
  /** What is rendered without them. */
  readonly base: Plan;
  /** Items that fail with them and did not without. */
  readonly faults: readonly string[];
  /** URLs that an item read which fails with and without them: nothing can be said about such contents. */
  readonly unseen: ReadonlySet<string>;
}

/** What is asked of HAProxy's verdict here. */
export interface TrialVerdict {
  readonly kind: 'accepted' | 'refused' | 'unchecked';
  readonly findings?: readonly { readonly message: string }[];
}

export interface HttpTrialDeps {
  /** No content of this URL was ever accepted. */
  readonly isFirst: (key: string) => boolean;
  /** Undefined: not at this moment. */
  readonly preview: (contents: ReadonlyMap<string, HttpText>) => HttpPreview | undefined;
  /** Emits one verdict and completes, never errors. */
  readonly check: (plan: Plan) => Observable<TrialVerdict>;
}

/**
 * What is known of a content after a trial. `postponed`: nothing; the render is refused without it too (`base`), no check could run, or a
 * turn was half done at that moment. `unseen`: nothing either, since an item that reads it fails for a reason of its own.
 */
export type HttpTrialResult =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unseen'; readonly message: string }
  | { readonly kind: 'postponed'; readonly why: 'moment' | 'unchecked' | 'base' };

export type HttpTrialResults = ReadonlyMap<string, HttpTrialResult>;

type Contents = ReadonlyMap<string, HttpText>;

const nothing: Contents = new Map();
const emptyText: HttpText = { text: '', digest: '', bytes: 0 };

/**
 * Tries new contents on the render of the moment: all at once, and by halves where that is refused, so that a bad one keeps back none of the
 * others. Refused is one with which alone a template fails or HAProxy refuses, although it accepts the render without. Emits the results
 * of all together, once, and completes; never errors.
 */
export function httpTrial(
  contents: Contents,
  { isFirst, preview, check }: HttpTrialDeps,
): Observable<HttpTrialResults> {
  const bases = new Map<string, TrialVerdict['kind']>();
  const kindOf = (base: Plan): Observable<TrialVerdict['kind']> =>
    defer(() => {
      const known = bases.get(base.id);
      if (known !== undefined) return of(known);
      return check(base).pipe(
        map(({ kind }) => kind),
        tap((kind) => bases.set(base.id, kind)),
      );
    });

  /** `good` is what was accepted in this trial and is not in effect yet. */
  const tryOut = (some: Contents, good: Contents): Observable<HttpTrialResults> =>
    defer(() => {
      const tried = preview(new Map([...good, ...some]));
      if (tried === undefined) return of(all(some, { kind: 'postponed', why: 'moment' }));
      const [fault] = tried.faults;
      if (fault !== undefined) return faulty(some, good, fault);
      const seen = new Map([...some].filter(([key]) => !tried.unseen.has(key)));
      if (seen.size < some.size) {
        const unseen = new Map([...some].filter(([key]) => tried.unseen.has(key)));
        const results = all(unseen, { kind: 'unseen', message: 'what reads it fails for another reason' });
        if (seen.size === 0) return of(results);
        return tryOut(seen, good).pipe(map((others): HttpTrialResults => new Map([...others, ...results])));
      }
      if (tried.plan.id === tried.base.id) return of(all(some, { kind: 'accepted' }));
      return check(tried.plan).pipe(concatMap((verdict) => judged(some, good, verdict, tried)));
    });

  /** An item that never was printed may fail whatever the content is. */
  const faulty = (some: Contents, good: Contents, fault: string): Observable<HttpTrialResults> => {
    const [[key] = ['']] = some;
    const isOwnFault =
      some.size === 1 &&
      isFirst(key) &&
      preview(new Map([...good, [key, emptyText]]))?.faults.includes(fault) === true;
    return isOwnFault ? of(all(some, { kind: 'unseen', message: fault })) : refused(some, good, fault);
  };

  const judged = (some: Contents, good: Contents, verdict: TrialVerdict, { base }: HttpPreview) => {
    switch (verdict.kind) {
      case 'accepted':
        return of(all(some, { kind: 'accepted' }));
      case 'unchecked':
        return of(all(some, { kind: 'postponed', why: 'unchecked' }));
      case 'refused':
        // Without the contents it may be refused too: then they are not to blame.
        return kindOf(base).pipe(
          concatMap((kind) =>
            kind === 'accepted'
              ? refused(some, good, wordsOf(verdict))
              : of(all(some, { kind: 'postponed', why: kind === 'refused' ? 'base' : 'unchecked' })),
          ),
        );
      default:
        return assertNever(verdict.kind);
    }
  };

  const refused = (some: Contents, good: Contents, message: string): Observable<HttpTrialResults> => {
    if (some.size === 1) return of(all(some, { kind: 'refused', message }));
    const entries = [...some];
    const middle = entries.length >> 1;
    return tryOut(new Map(entries.slice(0, middle)), good).pipe(
      concatMap((first) => {
        const accepted = entries.filter(([key]) => first.get(key)?.kind === 'accepted');
        return tryOut(new Map(entries.slice(middle)), new Map([...good, ...accepted])).pipe(
          map((second): HttpTrialResults => new Map([...first, ...second])),
        );
      }),
    );
  };

  return tryOut(contents, nothing);
}

function all(contents: Contents, result: HttpTrialResult): HttpTrialResults {
  return new Map([...contents.keys()].map((key) => [key, result]));
}

function wordsOf({ findings = [] }: TrialVerdict): string {
  return findings[0]?.message ?? 'HAProxy refuses the configuration with it';
}
