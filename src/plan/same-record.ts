import type { Backend, Keyword, MapEntry, Section, Server } from '../protocol/plan.ts';

/** Equality by value of what HAProxy runs: owners, templates and reasons do not count. */
export function sameSection(a: Section, b: Section): boolean {
  return a === b || (a.kind === b.kind && a.name === b.name && a.text === b.text);
}

/**
 * Equal in every typed field; the text may still differ. Where it does not, nothing else does: the text is printed from all fields, and
 * comparing it takes a tenth of the time. One that was changed in place has none.
 */
export function sameBackend(a: Backend, b: Backend): boolean {
  return (
    a === b ||
    (a.text !== '' && a.text === b.text && a.shape === b.shape && a.bodyDigest === b.bodyDigest) ||
    (a.name === b.name &&
      a.profile === b.profile &&
      a.mode === b.mode &&
      a.guid === b.guid &&
      a.balance === b.balance &&
      a.hashType === b.hashType &&
      a.shape === b.shape &&
      a.bodyDigest === b.bodyDigest &&
      sameKeywords(a.defaultServer, b.defaultServer) &&
      sameList(a.servers, b.servers, sameServer))
  );
}

export function sameServer(a: Server, b: Server): boolean {
  return (
    a === b ||
    (a.name === b.name &&
      a.address === b.address &&
      a.port === b.port &&
      a.weight === b.weight &&
      (a.disabled === true) === (b.disabled === true) &&
      a.guid === b.guid &&
      sameKeywords(a.extra, b.extra))
  );
}

export function sameKeywords(a: readonly Keyword[], b: readonly Keyword[]): boolean {
  return sameList(a, b, (x, y) => x.name === y.name && sameList(x.args, y.args, Object.is));
}

export function sameMapEntry(a: MapEntry, b: MapEntry): boolean {
  return a === b || (a.key === b.key && a.value === b.value);
}

function sameList<T>(a: readonly T[], b: readonly T[], same: (x: T, y: T) => boolean): boolean {
  return a === b || (a.length === b.length && a.every((item, at) => same(item, b[at] as T)));
}
