import type { ApplyManifest } from './wire.ts';

/** One `POST /v1/apply`: the manifest and the bytes of the files that the pod does not hold. */
export interface ApplyRequest {
  readonly manifest: ApplyManifest;
  readonly parts: readonly FilePart[];
  /** Opaque plan blob, stored by the agent for the next leader. */
  readonly plan?: Uint8Array;
}

export interface FilePart {
  readonly path: string;
  /** Whole file, or the patch's replacement bytes. Shared: never written to. */
  readonly bytes: readonly Uint8Array[];
}
