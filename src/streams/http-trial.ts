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
  /**
   * Contents with which no item is printed: nothing can be said about them. `failed`: all that read it fail with and without it. `pending`:
   * they need another content too, which is not there yet. `unread`: there is none.
   */
  readonly silent: ReadonlyMap<string, 'failed' | 'pending' | 'unread'>;
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
 * turn was half done at that moment, or another content is needed that is not there yet (`content`). `unseen`: nothing either, since no item
 * reads it but such as fail for a reason of their own.
 */
export type HttpTrialResult =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unseen'; readonly message: string }
  | { readonly kind: 'postponed'; readonly why: 'moment' | 'unchecked' | 'base' | 'content' };

export type HttpTrialResults = ReadonlyMap<string, HttpTrialResult>;

type Contents = ReadonlyMap<string, HttpText>;

const noFaults: ReadonlySet<string> = new Set();
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
      const own = tried.faults.length > 0 ? ownFaults(some, good) : noFaults;
      const fault = tried.faults.find((one) => !own.has(one));
      if (fault !== undefined) return refused(some, good, fault);
      const seen = new Map([...some].filter(([key]) => !tried.silent.has(key)));
      if (seen.size < some.size) {
        const results = unsaid(some, tried);
        if (seen.size === 0) return of(results);
        return tryOut(seen, good).pipe(map((others): HttpTrialResults => new Map([...others, ...results])));
      }
      if (tried.plan.id === tried.base.id) return of(all(some, { kind: 'accepted' }));
      return check(tried.plan).pipe(concatMap((verdict) => judged(some, good, verdict, tried)));
    });

  /** An item that never was printed may fail whatever the content is: it fails the same way with an empty one. */
  const ownFaults = (some: Contents, good: Contents): ReadonlySet<string> => {
    const [[key] = ['']] = some;
    if (some.size !== 1 || !isFirst(key)) return noFaults;
    return new Set(preview(new Map([...good, [key, emptyText]]))?.faults);
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

function unsaid(some: Contents, { silent, faults: [fault] }: HttpPreview): HttpTrialResults {
  return new Map(
    [...some.keys()].flatMap((key): readonly (readonly [string, HttpTrialResult])[] => {
      const why = silent.get(key);
      if (why === undefined) return [];
      if (why === 'pending') return [[key, { kind: 'postponed', why: 'content' }]];
      const message =
        why === 'unread' ? 'nothing reads it' : (fault ?? 'what reads it fails for another reason');
      return [[key, { kind: 'unseen', message }]];
    }),
  );
}

function wordsOf({ findings = [] }: TrialVerdict): string {
  return findings[0]?.message ?? 'HAProxy refuses the configuration with it';
}
