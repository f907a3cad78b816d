import { hostAllowed } from '../lib/http/host-allowed.ts';
import type { Problem } from '../lib/problem.ts';
import { shownUrl } from '../lib/shown-url.ts';
import type { HttpContent, HttpContentFailure, HttpWant } from '../protocol/http-content.ts';
import { contentOf, type HttpEntry, newHttpEntry, textContent, trouble } from './http-entry.ts';
import { type BookedMember, createMember, type HttpPolicy, sameContent } from './http-member.ts';

export interface BookedUrl {
  readonly key: string;
  readonly url: string;
  readonly wants: Map<BookedMember, HttpWant>;
  entry: HttpEntry;
  /** Grows whenever there is a reason to fetch at once. */
  round: number;
  /** Why its pending content cannot be judged before an item reads it again. */
  unseen: string | undefined;
  /** Under which configuration its content was refused. */
  refusedBy: BookedMember | undefined;
}

/** A URL as it is to be fetched now: by the most demanding of what is wanted of it, under the newest policy. */
export interface Wanted {
  readonly key: string;
  readonly want: HttpWant;
  readonly policy: HttpPolicy;
  readonly round: number;
}

/** All URLs and who wants them. Nothing here is done at the time of a read: a projector may be running. */
export interface HttpBook {
  readonly urls: ReadonlyMap<string, BookedUrl>;
  readonly members: ReadonlySet<BookedMember>;
  readonly join: (policy: HttpPolicy) => BookedMember;
  /** Brings the contents of all members to what is known, and tells those that something changed for. */
  readonly sync: () => void;
  readonly wanted: () => readonly Wanted[];
  /** Gives up what no item has read at this sweep and the one before; the URLs that nobody wants now. */
  readonly sweep: () => readonly BookedUrl[];
}

const waiting: HttpContent = { kind: 'waiting' };
const nothingKnown = { unseen: undefined, refusedBy: undefined };

/** Called within projectors, too. */
export interface HttpBookEvents {
  /** There may be something to sync. */
  readonly touched: () => void;
  /** A content that could not be judged is read again. */
  readonly readAgain: () => void;
}

export function createHttpBook({ touched, readAgain }: HttpBookEvents): HttpBook {
  const urls = new Map<string, BookedUrl>();
  /** Credentials tell URLs apart; keys are numbers, so that they can stand anywhere. */
  const keys = new Map<string, string>();
  const members = new Set<BookedMember>();
  let made = 0;

  const bookedFor = (wanted: HttpWant): BookedUrl => {
    const identity = JSON.stringify([wanted.url, Object.entries(wanted.headers).sort(), wanted.contentType]);
    const key = keys.get(identity) ?? `url ${++made}`;
    keys.set(identity, key);
    const known = urls.get(key);
    if (known !== undefined) return known;
    const url: BookedUrl = {
      ...nothingKnown,
      key,
      url: wanted.url,
      wants: new Map(),
      entry: newHttpEntry,
      round: 0,
    };
    urls.set(key, url);
    return url;
  };

  const want = (member: BookedMember, wanted: HttpWant): string => {
    const url = bookedFor(wanted);
    const former = url.wants.get(member);
    const merged = former === undefined ? wanted : mostDemanding([former, wanted]);
    // In a preview nothing is learnt of an item that reads it.
    if (member.failing === undefined && url.unseen !== undefined) {
      url.unseen = undefined;
      readAgain();
    }
    if (former === undefined || !sameWant(former, merged)) {
      url.wants.set(member, merged);
      touched();
    }
    return url.key;
  };

  const giveUp = (member: BookedMember, url: BookedUrl): boolean => {
    url.wants.delete(member);
    if (url.wants.size > 0) return false;
    urls.delete(url.key);
    for (const [identity, key] of keys) if (key === url.key) keys.delete(identity);
    return true;
  };

  const leave = (member: BookedMember): void => {
    members.delete(member);
    for (const url of [...urls.values()]) if (url.wants.has(member)) giveUp(member, url);
    touched();
  };

  const syncUrl = (url: BookedUrl, rank: number, member: BookedMember): boolean => {
    const { key } = url;
    const shown = member.shown.get(key);
    const now = contentFor(member, url, rank);
    // What was had for missing stays so until it is there.
    const content = now.kind === 'waiting' && shown?.content.kind === 'failed' ? shown.content : now;
    const problem = problemOf(url, content);
    const isSame = sameContent(shown?.content ?? waiting, content);
    if (shown !== undefined && isSame && shown.problem?.message === problem?.message) return false;
    member.shown.set(key, { content, problem });
    if (!isSame) member.reads.contents.set(key, content);
    if (problem === undefined) member.problems.delete(key);
    else member.problems.set(key, problem);
    return !isSame || shown?.problem?.message !== problem?.message;
  };

  return {
    urls,
    members,
    join: (policy) => {
      const member = createMember(policy, want, leave);
      members.add(member);
      return member;
    },
    sync: () => {
      const changed = new Set<BookedMember>();
      let rank = 0;
      for (const url of urls.values()) {
        for (const member of url.wants.keys()) if (syncUrl(url, rank, member)) changed.add(member);
        rank++;
      }
      for (const member of changed) member.changed$.next();
    },
    wanted: () =>
      [...urls.values()].flatMap((url, rank): readonly Wanted[] => {
        const able = [...url.wants].filter(([member]) => refusalFor(member, url, rank) === undefined);
        const newest = able.at(-1);
        if (newest === undefined) return [];
        const merged = mostDemanding(able.map(([, wanted]) => wanted));
        return [{ key: url.key, want: merged, policy: newest[0].policy, round: url.round }];
      }),
    sweep: () => {
      const gone: BookedUrl[] = [];
      for (const url of [...urls.values()])
        for (const member of [...url.wants.keys()]) {
          if (member.world === undefined || member.world.isRead(url.key)) member.unread.delete(url.key);
          else if (!member.unread.has(url.key)) member.unread.add(url.key);
          else {
            member.unread.delete(url.key);
            member.shown.delete(url.key);
            member.provisional.delete(url.key);
            member.reads.contents.delete(url.key);
            member.problems.delete(url.key);
            if (giveUp(member, url)) gone.push(url);
          }
        }
      if (gone.length > 0) touched();
      return gone;
    },
  };
}

/** @param rank of the URL in order of arrival */
function refusalFor(
  { policy }: BookedMember,
  { url }: BookedUrl,
  rank: number,
): HttpContentFailure | undefined {
  const { hostname } = new URL(url);
  if (!hostAllowed(hostname.replace(/^\[|\]$/g, ''), policy.allowedHosts))
    return failed('AddressRefused', `the host ${hostname} is not among those that may be asked`);
  if (rank >= policy.maxEntries) return failed('TooManyUrls', `more than ${policy.maxEntries} URLs are read`);
  return undefined;
}

function contentFor(member: BookedMember, url: BookedUrl, rank: number): HttpContent {
  const content = refusalFor(member, url, rank) ?? contentOf(url.entry);
  if (content.kind !== 'waiting') return content;
  const provisional = member.provisional.get(url.key);
  if (provisional !== undefined) return textContent(provisional);
  return member.isLate && !member.isOpen ? failed('FetchFailed', 'there was no answer in time') : waiting;
}

function problemOf(url: BookedUrl, content: HttpContent): Problem | undefined {
  const cause = content.kind === 'failed' ? content : trouble(url.entry);
  const owner = { kind: 'HTTPContent', namespace: '', name: shownUrl(url.url) };
  if (cause === undefined)
    return url.unseen === undefined
      ? undefined
      : { severity: 'warning', reason: 'ContentUnseen', field: '', message: url.unseen, owner };
  return content.kind === 'content'
    ? {
        severity: 'warning',
        reason: cause.reason,
        field: '',
        message: `${cause.message}; the former content stays in effect`,
        owner,
      }
    : { severity: 'error', reason: cause.reason, field: '', message: cause.message, owner };
}

function failed(reason: string, message: string): HttpContentFailure {
  return { kind: 'failed', reason, message };
}

/** Of wants of one URL with the same credentials: who wants it fresher, or tries longer, has his way. */
function mostDemanding(wants: readonly HttpWant[]): HttpWant {
  return wants.reduce((a, b) => ({
    ...b,
    refresh:
      a.refresh === 0 || b.refresh === 0 ? Math.max(a.refresh, b.refresh) : Math.min(a.refresh, b.refresh),
    timeout: Math.max(a.timeout, b.timeout),
    retries: Math.max(a.retries, b.retries),
  }));
}

export function sameWant(a: HttpWant, b: HttpWant): boolean {
  return a.refresh === b.refresh && a.timeout === b.timeout && a.retries === b.retries;
}
