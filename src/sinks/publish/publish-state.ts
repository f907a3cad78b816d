import type { Bundle } from '../../protocol/bundle.ts';
import type { Fleet } from '../../protocol/fleet.ts';
import type { WantedFile, WantedFiles } from './wanted-files.ts';

/** What is to be shown, as it is now. */
export interface PublishState {
  readonly options: PublishOptions;
  /** The render that HAProxy accepted last; undefined: none of this process yet, what is there stays. */
  readonly accepted?: AcceptedRender;
  /** The newest render is refused and nothing better has come; `none`: HAProxy accepts the newest one; undefined: not known yet. */
  readonly refused?: RefusedRender | 'none';
  /** HAProxy pods are kept on the accepted render since newer ones are refused. */
  readonly pinned: boolean;
  /** HAProxy pods as Kubernetes names them; undefined: not known yet. */
  readonly fleet?: Fleet;
  /** The same render gives the same files. */
  readonly filesOf: (bundle: Bundle) => WantedFiles;
  readonly twinOf: (bundle: Bundle) => WantedFile | undefined;
}

export interface PublishOptions {
  readonly enabled: boolean;
  /** See `WantedOptions`. */
  readonly compressionThreshold: number;
  readonly configFile: string;
  /** Milliseconds. */
  readonly interval: number;
}

/** Times in ISO 8601. */
export interface AcceptedRender {
  readonly bundle: Bundle;
  readonly renderedAt: string;
  readonly validatedAt: string;
}

export interface RefusedRender {
  readonly bundle: Bundle;
  readonly renderedAt: string;
  /** HAProxy's. */
  readonly words: string;
}
