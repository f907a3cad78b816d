import type { KubeObject } from '../api/kube-object.ts';
import type { TemplateConfig } from '../api/template-config.ts';
import type { Owner } from '../lib/owner.ts';
import type { DeliveryReport } from '../protocol/delivery-report.ts';
import type { HttpContent } from '../protocol/http-content.ts';
import type { Leadership } from '../protocol/leadership.ts';
import type { HaproxyPod } from '../protocol/pod.ts';

/** The format of recordings that is written; others are not read. */
export const recordingFormat = 'haptic-recording/1';

/** What was written into the store of a watched resource. */
export type StoreEdit =
  | { readonly resource: string; readonly op: 'set'; readonly key: string; readonly object: KubeObject }
  | { readonly resource: string; readonly op: 'delete'; readonly key: string }
  /** The whole content, as a list gives it. */
  | {
      readonly resource: string;
      readonly op: 'replace';
      readonly objects: readonly (readonly [string, KubeObject])[];
    };

/** What came into the pipeline, or a shape of what came out of it; secrets taken out. */
export type RecordedValue =
  | {
      readonly kind: 'begin';
      readonly format: string;
      /** Of the program. */
      readonly version: string;
      /** ISO 8601. */
      readonly startedAt: string;
      /** What templates may know of HAProxy. */
      readonly capabilities: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'config'; readonly config: TemplateConfig }
  | { readonly kind: 'edit'; readonly edit: StoreEdit }
  /** The stores hold what the cluster has: the first render can be made. */
  | { readonly kind: 'synced' }
  /** At the begin: a render is out, and newer ones go out before their check. */
  | { readonly kind: 'optimistic' }
  | { readonly kind: 'http'; readonly key: string; readonly content: HttpContent | undefined }
  | { readonly kind: 'fleet'; readonly pods: readonly HaproxyPod[] }
  | { readonly kind: 'leadership'; readonly leadership: Leadership }
  | { readonly kind: 'verdict'; readonly verdict: RecordedVerdict }
  | { readonly kind: 'delivery'; readonly report: DeliveryReport }
  | { readonly kind: 'render'; readonly planId: string; readonly problems: number; readonly tookMs: number }
  | { readonly kind: 'rejected'; readonly message: string }
  /** Nothing is missing up to here; a recording without it was cut. */
  | { readonly kind: 'end'; readonly reason: string };

/** A verdict as far as the pipeline looks at it. */
export interface RecordedVerdict {
  readonly kind: 'accepted' | 'refused' | 'unchecked';
  readonly planId: string;
  readonly findings?: readonly {
    readonly message: string;
    readonly owner?: Owner;
    readonly usedBy?: Owner;
    readonly sharedBy?: readonly Owner[];
    readonly validator?: string;
  }[];
}

/** A line of a recording. */
export type RecordingEntry = RecordedValue & {
  /** Milliseconds from its begin. */
  readonly at: number;
};
