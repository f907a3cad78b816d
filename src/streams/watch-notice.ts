import type { WatchEvent } from './watch-event.ts';

/** What a watch says about itself rather than about objects: for logs, metrics and readiness. */
export type WatchNotice = Exclude<
  WatchEvent,
  { readonly kind: 'init' | 'init-apply' | 'apply' | 'delete' }
> & {
  /** Name of the entry in `watchedResources`. */
  readonly resource: string;
};

/** The notice that an event is, if it is one. */
export function noticeOf(resource: string, event: WatchEvent): WatchNotice | undefined {
  switch (event.kind) {
    case 'init':
    case 'init-apply':
    case 'apply':
    case 'delete':
      return undefined;
    case 'init-done':
    case 'absent':
    case 'degraded':
    case 'recovered':
    case 'retrying':
    case 'empty-unconfirmed':
    case 'malformed':
      return { ...event, resource };
  }
}
