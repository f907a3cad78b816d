/** Which requests a fault concerns; what is left out matches everything. */
export interface FaultMatch {
  readonly method?: string;
  /** Plural: `ingresses`. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  readonly watch?: boolean;
  /** Text that the User-Agent contains: to hit one client and spare the others. */
  readonly userAgent?: string;
}

/**
 * What happens to a matching request:
 * `status` it is answered so (with Retry-After if given) · `delay` it waits first, then goes on · `silence` it gets no
 * byte (a watch: headers, then nothing) and the socket stays open · `cut` the watch breaks off in the middle of the line
 * after `afterEvents` whole ones · `watch-error` the watch carries an ERROR event after `afterEvents` · `no-bookmarks`
 * the watch gets none · `no-initial-events` `sendInitialEvents` is refused with 400 · `no-end-marker` initial events come, the
 * bookmark that ends them does not · `reset` the connection is closed without an answer.
 */
export type FaultAction =
  | {
      readonly kind: 'status';
      readonly code: number;
      readonly retryAfterSeconds?: number;
      readonly message?: string;
    }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'silence' }
  | { readonly kind: 'cut'; readonly afterEvents: number }
  | { readonly kind: 'watch-error'; readonly code: number; readonly afterEvents: number }
  | { readonly kind: 'no-bookmarks' }
  | { readonly kind: 'no-initial-events' }
  | { readonly kind: 'no-end-marker' }
  | { readonly kind: 'reset' };

export interface Fault {
  readonly match?: FaultMatch;
  readonly action: FaultAction;
  /** How many requests it hits; absent: until it is taken away. */
  readonly count?: number;
}

/** A request, as far as faults look at it. */
export interface FaultSubject {
  readonly method: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly watch: boolean;
  readonly userAgent: string;
}

export interface FaultBook {
  /** Adds a fault; gives the way to take it back. */
  readonly inject: (fault: Fault) => () => void;
  readonly clear: () => void;
  /** Faults that may still strike, oldest first, with what is left of their counts. */
  readonly list: () => readonly Fault[];
  /** The actions that hit this request, oldest fault first; each hit counts. */
  readonly hits: (subject: FaultSubject) => readonly FaultAction[];
}

export function createFaultBook(): FaultBook {
  const faults = new Set<{ readonly fault: Fault; left: number }>();
  return {
    inject: (fault) => {
      const item = { fault, left: fault.count ?? Infinity };
      faults.add(item);
      return () => faults.delete(item);
    },
    clear: () => faults.clear(),
    list: () => [...faults].map(({ fault, left }) => (left === Infinity ? fault : { ...fault, count: left })),
    hits: (subject) => {
      const actions: FaultAction[] = [];
      for (const item of faults) {
        if (!matchesFault(item.fault.match ?? {}, subject)) continue;
        actions.push(item.fault.action);
        if (--item.left <= 0) faults.delete(item);
      }
      return actions;
    },
  };
}

export function matchesFault(match: FaultMatch, subject: FaultSubject): boolean {
  return (
    (match.method === undefined || match.method === subject.method) &&
    (match.resource === undefined || match.resource === subject.resource) &&
    (match.namespace === undefined || match.namespace === subject.namespace) &&
    (match.name === undefined || match.name === subject.name) &&
    (match.subresource === undefined || match.subresource === subject.subresource) &&
    (match.watch === undefined || match.watch === subject.watch) &&
    (match.userAgent === undefined || subject.userAgent.includes(match.userAgent))
  );
}
