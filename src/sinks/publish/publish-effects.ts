import type { Observable } from 'rxjs';
import type { KnownPublished, PublishedObject, PublishedOwner } from '../../kube/published-object.ts';
import type { PublishedStock, PublishResult } from '../../kube/published-objects.ts';
import type { PublishStatus } from './publish-status.ts';
import type { WantedFile } from './wanted-files.ts';

/** What publishing asks of the cluster. Each emits once and completes; unsubscribing ends the request. Only `encode` may error. */
export interface PublishEffects {
  /** All that is there and ours; the status of HAProxyCfgs of which `isUnread` says so. */
  readonly stock: (isUnread: (known: KnownPublished) => boolean) => Observable<PublishResult<PublishedStock>>;
  /** Digest and compression of a file, beside the main thread. */
  readonly encode: (file: WantedFile, compressionThreshold: number) => Observable<PublishedObject>;
  readonly apply: (
    object: PublishedObject,
    options: { readonly known: KnownPublished | undefined; readonly owner?: PublishedOwner },
  ) => Observable<PublishResult<KnownPublished>>;
  readonly applyStatus: (
    known: KnownPublished,
    status: PublishStatus,
  ) => Observable<PublishResult<KnownPublished>>;
  readonly remove: (known: KnownPublished) => Observable<PublishResult<undefined>>;
}

/** Milliseconds. */
export interface PublishTiming {
  /** After a failure: doubles from `min` to `max`, for each object; to `refused` for what somebody has to change. */
  readonly retry: { readonly min: number; readonly max: number; readonly refused: number };
  /** After which it is looked whether everything is still there. */
  readonly resync: number;
  /** Longest request. */
  readonly deadline: number;
}

/** What became of one step. Never any content. */
export interface PublishReport {
  /**
   * - `written`, `status`, `removed`: an object, its status, its end.
   * - `off`: nothing can be published, for want of the kinds or of the configuration. `ready`: it can again.
   * - `refused`: the API says no. `failed`: it could not be done. Both are tried again.
   * - `too_large`: it is shown that the content is too large.
   * - `given_up`: what failed is not wanted any more.
   * - `published`: a round is through that has done something.
   */
  readonly kind:
    | 'written'
    | 'status'
    | 'removed'
    | 'off'
    | 'ready'
    | 'refused'
    | 'failed'
    | 'too_large'
    | 'given_up'
    | 'published';
  /** `HAProxyMapFile web-host-map-…`; of the whole, the HAProxyCfg. */
  readonly object: string;
  readonly path?: string;
  readonly checksum?: string;
  readonly bytes?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly planId?: string;
  /** Writes of a round. */
  readonly writes?: number;
  readonly tookMs?: number;
  /** Objects that are not as they should be, after this. */
  readonly failing: number;
}
