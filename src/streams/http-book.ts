import { hostAllowed } from '../lib/http/host-allowed.ts';
import type { Problem } from '../lib/problem.ts';
import { shownUrl } from '../lib/shown-url.ts';
import type { HttpContent, HttpContentFailure, HttpWant } from '../protocol/http-content.ts';
import { bytesOf, contentOf, type HttpEntry, newHttpEntry, textContent, trouble } from './http-entry.ts';
import { httpWantKey } from './http-want-key.ts';
import { type BookedMember, createMember, type HttpPolicy, sameContent } from './http-member.ts';

export interface BookedUrl {
  readonly key: string;
  readonly url: string;
  readonly host: string;
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
  readonly join: (policy: HttpPolicy, isLooking: boolean) => BookedMember;
  /** Brings the contents of all members to what is known, and tells those that something changed for. */
  readonly sync: () => void;
  readonly wanted: () => readonly Wanted[];
  /** Gives up what no item has read at this sweep and the one before; the URLs that nobody wants now. */
  readonly sweep: () => readonly BookedUrl[];
  /** Gives up what no item reads at this moment; the URLs that nobody wants now. */
  readonly evict: () => readonly BookedUrl[];
  /** Of all texts that are held. */
  readonly bytes: () => number;
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
  const members = new Set<BookedMember>();

  const bookedFor = (key: string, wanted: HttpWant): BookedUrl => {
    const known = urls.get(key);
    if (known !== undefined) return known;
    const url: BookedUrl = {
      ...nothingKnown,
      key,
      url: wanted.url,
      host: new URL(wanted.url).hostname.replace(/^\[|\]$/g, ''),
      wants: new Map(),
      entry: newHttpEntry,
      round: 0,
    };
    urls.set(key, url);
    return url;
  };

  const want = (member: BookedMember, wanted: HttpWant, isWhatIf: boolean): string => {
    const key = httpWantKey(wanted);
    // What a new content leads to is needed to judge it.
    if (isWhatIf && member.trial === undefined) return key;
    if (member.isLooking && !urls.has(key)) return key;
    const url = bookedFor(key, wanted);
    const former = url.wants.get(member);
    const merged = former === undefined ? wanted : mostDemanding([former, wanted]);
    if (!isWhatIf && !member.isLooking && url.unseen !== undefined) {
      url.unseen = undefined;
      readAgain();
    }
    if (former === undefined || !sameWant(former, merged)) {
      url.wants.set(member, merged);
      touched();
    }
    return key;
  };

  const giveUp = (member: BookedMember, url: BookedUrl): boolean => {
    url.wants.delete(member);
    for (const { isLooking } of url.wants.keys()) if (!isLooking) return false;
    urls.delete(url.key);
    return true;
  };

  /** Of a URL that no item of this configuration reads any more. */
  const forget = (member: BookedMember, url: BookedUrl): boolean => {
    member.unread.delete(url.key);
    member.shown.delete(url.key);
    member.provisional.delete(url.key);
    member.reads.contents.delete(url.key);
    member.problems.delete(url.key);
    return giveUp(member, url);
  };

  /** Each URL with each member that may have lost interest in it. */
  const forgotten = (isOver: (member: BookedMember, url: BookedUrl) => boolean): readonly BookedUrl[] => {
    const gone: BookedUrl[] = [];
    const changed = new Set<BookedMember>();
    for (const url of [...urls.values()])
      for (const member of [...url.wants.keys()]) {
        if (member.isLooking || !isOver(member, url)) continue;
        changed.add(member);
        if (forget(member, url)) gone.push(url);
      }
    if (gone.length > 0) touched();
    // Nothing is tried on a graph that has changes to take in.
    for (const member of changed) member.changed$.next();
    return gone;
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
    join: (policy, isLooking) => {
      const member = createMember(policy, isLooking, want, leave);
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
        const able = [...url.wants].filter(
          ([member]) => !member.isLooking && refusalFor(member, url, rank) === undefined,
        );
        const newest = able.at(-1);
        if (newest === undefined) return [];
        const merged = mostDemanding(able.map(([, wanted]) => wanted));
        return [{ key: url.key, want: merged, policy: newest[0].policy, round: url.round }];
      }),
    sweep: () =>
      forgotten((member, { key }) => {
        if (member.world === undefined || member.world.isRead(key)) {
          member.unread.delete(key);
          return false;
        }
        if (member.unread.has(key)) return true;
        member.unread.add(key);
        return false;
      }),
    evict: () =>
      // What a turn is about to read again looks as if nobody read it.
      forgotten((member, { key }) => !member.isTurning && member.world?.isRead(key) === false),
    bytes: () => {
      let sum = 0;
      for (const { entry } of urls.values()) sum += bytesOf(entry);
      return sum;
    },
  };
}

/** @param rank of the URL in order of arrival */
function refusalFor(
  { policy }: BookedMember,
  { host }: BookedUrl,
  rank: number,
): HttpContentFailure | undefined {
  if (!hostAllowed(host, policy.allowedHosts))
    return failed('AddressRefused', `the host ${host} is not among those that may be asked`);
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
