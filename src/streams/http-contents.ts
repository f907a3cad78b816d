import {
  EMPTY,
  type Observable,
  Subject,
  asyncScheduler,
  defer,
  distinctUntilChanged,
  from,
  map,
  merge,
  mergeMap,
  of,
  race,
  repeat,
  startWith,
  takeUntil,
  tap,
  timer,
} from 'rxjs';
import { type FetchOutcome, fetchFailure, type HttpValidators } from '../lib/http/fetch-outcome.ts';
import { shownUrl } from '../lib/shown-url.ts';
import { coalesce } from '../operators/coalesce.ts';
import { createSlots } from '../operators/create-slots.ts';
import { exhaustMapLatest } from '../operators/exhaust-map-latest.ts';
import { perKeyLatest } from '../operators/per-key-latest.ts';
import type { HttpWant } from '../protocol/http-content.ts';
import { type BookedUrl, createHttpBook, sameWant, type Wanted } from './http-book.ts';
import {
  bytesOf,
  type HttpText,
  newHttpEntry,
  onAccepted,
  onFetched,
  onOtherConfig,
  onRefused,
  textContent,
} from './http-entry.ts';
import type { BookedMember, FirstContents, HttpMember, HttpPolicy } from './http-member.ts';
import { httpRefresh } from './http-refresh.ts';
import { type HttpPreview, httpTrial, type HttpTrialDeps, type HttpTrialResult } from './http-trial.ts';

/** One attempt at a URL. */
export interface HttpFetch extends Pick<HttpWant, 'url' | 'headers' | 'contentType' | 'timeout'> {
  readonly validators: HttpValidators;
  readonly policy: HttpPolicy;
}

export interface HttpContentsDeps {
  /** Emits one outcome and completes, never errors; unsubscribing ends it. */
  readonly fetch: (request: HttpFetch) => Observable<FetchOutcome>;
  /** HAProxy's verdict on a render with new content: one, never an error. */
  readonly check: HttpTrialDeps['check'];
  /** In [0, 1). */
  readonly random: () => number;
  readonly timing: HttpTiming;
}

/** Milliseconds. */
export interface HttpTiming {
  /** Between two looks for URLs that nothing reads; one that was not read at two of them is given up. */
  readonly sweep: number;
  /** From the first render of a configuration, for which its URLs are waited for. */
  readonly firstWait: number;
  /** Between attempts to try a content about which nothing could be said: doubles from `min` to `max`. */
  readonly trialRetry: { readonly min: number; readonly max: number };
}

/** What happened to a URL. It is shown without query: nothing here is secret. */
export interface HttpReport {
  readonly kind: 'fetched' | 'unchanged' | 'failed' | 'accepted' | 'refused' | 'unseen' | 'given-up';
  readonly url: string;
  readonly digest?: string;
  readonly bytes?: number;
  readonly reason?: string;
  readonly message?: string;
}

/** A URL for people. */
export interface HttpStatus {
  readonly url: string;
  readonly refreshMs: number;
  readonly accepted?: { readonly digest: string; readonly bytes: number };
  readonly pending?: { readonly digest: string; readonly bytes: number };
  readonly reason?: string;
  readonly message?: string;
}

/** A member, with how far it is with its first contents. */
export interface JoinedMember extends HttpMember {
  readonly first: FirstContents;
}

export interface HttpContents {
  /** For one configuration: content that was accepted under another one is there at once. */
  readonly join: (policy: HttpPolicy) => JoinedMember;
  /** For one that is only asked about: it sees the contents that others have, and nothing is fetched for it. */
  readonly look: (policy: HttpPolicy) => JoinedMember;
  /** Fetches, trials and eviction, for as long as somebody subscribes: once. Reports what happened; never errors, never completes. */
  readonly work$: Observable<HttpReport>;
  /** In order of arrival. */
  readonly status: () => readonly HttpStatus[];
}

/** Fetches at the same time; suspects are those whose last attempt failed. */
const fetchSlots = { total: 16, suspects: 8 };

/**
 * The texts of URLs that templates read. A read makes a URL wanted; it is fetched beside the render and again after its refresh interval, and
 * given up when nothing reads it any more. New text is *pending*: it is tried on a what-if of the render, and templates see it once
 * HAProxy has accepted that. So no pod ever gets a text that was not checked, and no other change waits for the check. A refused one leaves
 * the former in effect.
 *
 * What-ifs read what is there and want nothing. All texts together are bounded: for a new one, those that nothing reads are given up at once,
 * and where that makes no room, it is not taken.
 *
 * Loss policy: of several new texts of one URL, only the newest is sure to be tried. A verdict is about the very text that was tried.
 */
export function createHttpContents(deps: HttpContentsDeps): HttpContents {
  const { check, random, timing } = deps;
  const touched$ = new Subject<void>();
  const toTry$ = new Subject<void>();
  const rendered$ = new Subject<void>();
  const readAgain$ = new Subject<void>();
  const book = createHttpBook({ touched: () => touched$.next(), readAgain: () => readAgain$.next() });
  const slots = createSlots(fetchSlots);

  const refresh = ({ key, want, policy }: Wanted): Observable<HttpReport> =>
    httpRefresh(want, {
      fetch: () => {
        const { url, headers, timeout } = want;
        const validators = book.urls.get(key)?.entry.validators ?? {};
        const { contentType } = want;
        const request = { url, headers, timeout, validators, policy };
        return deps
          .fetch({ ...request, ...(contentType !== undefined && { contentType }) })
          .pipe(map((outcome) => withRoom(key, outcome, policy)));
      },
      slot: (attempt$, isSuspect) => slots.run(attempt$, { isSuspect }),
      random,
    }).pipe(mergeMap((outcome) => from(fetched(key, outcome))));

  const fetched = (key: string, outcome: FetchOutcome): readonly HttpReport[] => {
    const gone = evicted.splice(0).map(givenUp);
    const url = book.urls.get(key);
    if (url === undefined) return gone;
    url.entry = onFetched(url.entry, outcome);
    if (outcome.kind === 'fetched') url.unseen = undefined;
    touched$.next();
    if (url.entry.pending !== undefined) toTry$.next();
    return [...gone, reportOf(url, outcome)];
  };

  /** Given up to make room, and not reported yet. */
  const evicted: BookedUrl[] = [];
  const withRoom = (key: string, outcome: FetchOutcome, { maxTotalBytes }: HttpPolicy): FetchOutcome => {
    const entry = book.urls.get(key)?.entry ?? newHttpEntry;
    const grows = bytesOf(onFetched(entry, outcome)) - bytesOf(entry);
    const fits = (): boolean => grows <= 0 || book.bytes() + grows <= maxTotalBytes;
    if (fits()) return outcome;
    evicted.push(...book.evict());
    if (fits()) return outcome;
    const message = `with it the texts of all URLs would be longer than ${maxTotalBytes} bytes together`;
    return fetchFailure('TooMuchContent', message);
  };

  /** Those of one configuration: of the one at work, which is the oldest, if it reads them; else of one that has not begun yet. */
  const toTry = ():
    { readonly member: BookedMember; readonly contents: Map<string, HttpText> } | undefined => {
    const members = [...book.members].filter(({ world, isLooking }) => world !== undefined && !isLooking);
    const inOrder = [...members.filter(({ isOpen }) => isOpen), ...members.filter(({ isOpen }) => !isOpen)];
    const pending = [...book.urls.values()].filter((url) => url.unseen === undefined);
    for (const member of inOrder) {
      const contents = new Map<string, HttpText>();
      for (const { key, entry, wants } of pending) {
        const belongs = wants.has(member) && inOrder.find((one) => wants.has(one)) === member;
        const isUntold = member.isOpen || !member.provisional.has(key);
        if (entry.pending !== undefined && belongs && isUntold) contents.set(key, entry.pending);
      }
      if (contents.size > 0) return { member, contents };
    }
    return undefined;
  };

  const preview = (member: BookedMember, contents: ReadonlyMap<string, HttpText>) => {
    const edits = [...contents].map(([key, text]) => ({
      collection: member.reads.contents,
      key,
      value: textContent(text),
    }));
    const outcomes: NonNullable<BookedMember['trial']> = new Map();
    member.trial = outcomes;
    try {
      const tried = member.isTurning ? undefined : member.world?.preview(edits);
      return tried && { ...tried, silent: silentOf(member, contents, outcomes) };
    } finally {
      member.trial = undefined;
    }
  };

  const judged = (url: BookedUrl, member: BookedMember, tried: HttpText, result: HttpTrialResult) => {
    const report = { url: shownUrl(url.url), digest: tried.digest, bytes: tried.bytes };
    switch (result.kind) {
      case 'accepted':
        url.entry = onAccepted(url.entry, tried);
        return { ...report, kind: 'accepted' as const };
      case 'refused':
        url.entry = onRefused(url.entry, tried, result.message);
        url.refusedBy = member;
        member.provisional.delete(url.key);
        return { ...report, kind: 'refused' as const, reason: 'ContentRefused', message: result.message };
      case 'unseen':
        url.unseen = result.message;
        return { ...report, kind: 'unseen' as const, message: result.message };
      case 'postponed':
        // The first render is checked as a whole before it goes out, and finds out who is to blame.
        if (!member.isOpen && result.why === 'base') member.provisional.set(url.key, tried);
        return undefined;
    }
  };

  const trials = (newer$: Observable<void>): Observable<HttpReport> => {
    let why: 'moment' | 'later' | undefined;
    let failures = 0;
    const once = defer(() => {
      why = undefined;
      const group = toTry();
      if (group === undefined) return EMPTY;
      const { member, contents } = group;
      return httpTrial(contents, {
        check,
        preview: (some) => preview(member, some),
        isFirst: (key) => book.urls.get(key)?.entry.accepted === undefined,
      }).pipe(
        mergeMap((results) => {
          const reports = [...results].flatMap(([key, result]) => {
            const url = book.urls.get(key);
            const tried = contents.get(key);
            if (url === undefined || tried === undefined) return [];
            if (result.kind === 'postponed')
              why = result.why === 'moment' ? (why ?? 'moment') : member.provisional.has(key) ? why : 'later';
            return judged(url, member, tried, result) ?? [];
          });
          failures = why === 'later' ? failures + 1 : 0;
          touched$.next();
          return from(reports);
        }),
      );
    });
    const pause = (): Observable<unknown> => {
      if (toTry() === undefined) return EMPTY;
      const { min, max } = timing.trialRetry;
      const later$ = timer(Math.min(max, min * 2 ** Math.max(0, failures - 1)));
      if (why === undefined) return of(undefined);
      return why === 'moment' ? race(rendered$, later$, newer$) : race(later$, newer$);
    };
    return once.pipe(repeat({ delay: pause }));
  };

  const work$ = defer(() =>
    merge(
      merge(toTry$, readAgain$).pipe(
        coalesce(),
        exhaustMapLatest((_, newer$) => trials(newer$)),
      ),
      timer(timing.sweep, timing.sweep).pipe(mergeMap(() => from(book.sweep().map(givenUp)))),
      touched$.pipe(
        startWith(undefined),
        coalesce(),
        tap(() => book.sync()),
        map(() => book.wanted()),
        distinctUntilChanged(sameWanted),
        perKeyLatest({
          keyOf: ({ key }) => key,
          same: isSameWanted,
          // Bounded by slots: each of them waits most of the time.
          concurrent: Infinity,
          project: (wanted, newer$) => refresh(wanted).pipe(takeUntil(newer$)),
        }),
      ),
    ),
  );

  return {
    join: (policy) => joined(book.join(policy, false)),
    look: (policy) => joined(book.join(policy, true)),
    work$,
    status: () => [...book.urls.values()].map(statusOf),
  };

  function joined(member: BookedMember): JoinedMember {
    const isWaited = (url: BookedUrl): boolean => {
      const shown = member.shown.get(url.key);
      if (!url.wants.has(member) || url.unseen !== undefined) return false;
      return member.isLooking ? shown === undefined : (shown?.content.kind ?? 'waiting') === 'waiting';
    };
    const first: FirstContents = {
      isOpen: () => member.isOpen,
      isSettled: () =>
        member.world?.isDirty() !== true && (member.isLate || ![...book.urls.values()].some(isWaited)),
      changed$: member.changed$,
      deadline$: deadlineAfter(timing.firstWait),
      giveUp: () => {
        member.isLate = true;
        if (member.isLooking) return;
        for (const { key, entry, wants } of book.urls.values())
          if (wants.has(member) && entry.accepted === undefined && entry.pending !== undefined)
            member.provisional.set(key, entry.pending);
        book.sync();
      },
      begun: () => (member.isTurning = true),
      rendered: () => {
        member.isTurning = false;
        rendered$.next();
      },
      open: () => {
        member.isOpen = true;
        if (member.isLooking) return;
        for (const url of book.urls.values()) {
          if (!url.wants.has(member) || url.refusedBy === undefined || url.refusedBy === member) continue;
          if (url.entry.refusal !== undefined) url.round++;
          url.entry = onOtherConfig(url.entry);
          url.refusedBy = undefined;
        }
        touched$.next();
        toTry$.next();
      },
    };
    const { graph, reads, changed$, attach, leave, policy } = member;
    return { graph, reads, changed$, attach, leave, policy, first };
  }
}

/** Contents that no item prints. What a first render shows is in it already. */
function silentOf(
  { provisional }: BookedMember,
  contents: ReadonlyMap<string, HttpText>,
  outcomes: NonNullable<BookedMember['trial']>,
): HttpPreview['silent'] {
  return new Map(
    [...contents.keys()].flatMap((key) => {
      const outcome = outcomes.get(key);
      if (outcome === 'printed' || (outcome === undefined && provisional.has(key))) return [];
      return [[key, outcome ?? 'unread'] as const];
    }),
  );
}

function givenUp({ url }: BookedUrl): HttpReport {
  return { kind: 'given-up', url: shownUrl(url) };
}

function reportOf({ url }: BookedUrl, outcome: FetchOutcome): HttpReport {
  const shown = shownUrl(url);
  switch (outcome.kind) {
    case 'unchanged':
      return { kind: 'unchanged', url: shown };
    case 'fetched':
      return { kind: 'fetched', url: shown, digest: outcome.digest, bytes: outcome.bytes };
    case 'failed':
      return { kind: 'failed', url: shown, reason: outcome.reason, message: outcome.message };
  }
}

function deadlineAfter(limit: number): Observable<unknown> {
  let begun: number | undefined;
  return defer(() => {
    begun ??= asyncScheduler.now();
    return timer(Math.max(0, begun + limit - asyncScheduler.now()));
  });
}

function statusOf({ url, wants, entry: { accepted, pending, refusal, failure } }: BookedUrl): HttpStatus {
  const [want] = [...wants.values()];
  const cause = failure ?? refusal;
  const brief = ({ digest, bytes }: HttpText) => ({ digest, bytes });
  return {
    url: shownUrl(url),
    refreshMs: want?.refresh ?? 0,
    ...(accepted && { accepted: brief(accepted) }),
    ...(pending && { pending: brief(pending) }),
    ...(cause && { reason: cause.reason, message: cause.message }),
  };
}

function isSameWanted(a: Wanted, b: Wanted): boolean {
  return a.key === b.key && a.round === b.round && a.policy === b.policy && sameWant(a.want, b.want);
}

function sameWanted(a: readonly Wanted[], b: readonly Wanted[]): boolean {
  return a.length === b.length && a.every((one, i) => b[i] !== undefined && isSameWanted(one, b[i]));
}
