import type { View } from './page-state.ts';
import type { TapEvent } from './tap-event.ts';

/** What a person can do on the page. */
export interface PageActions {
  readonly show: (view: View) => void;
  readonly toggle: (tap: string) => void;
  readonly pause: () => void;
  readonly zoom: (by: 1 | -1) => void;
  readonly filter: (text: string) => void;
  readonly select: (event: TapEvent | undefined) => void;
  readonly search: (text: string) => void;
  readonly explainObject: (object: string) => void;
  /** What led to what a delivery cost a pod, or to any other event of a plan. */
  readonly explainReload: (event: TapEvent) => void;
}
