import { runSlices } from '../lib/run-slices.ts';
import type { Slices } from '../lib/slices.ts';
import { environmentInSlices } from './environment-in-slices.ts';
import type { Fragment } from './fragment.ts';
import type { RenderProfile } from './render-profile.ts';
import type { Slot, TemplateFolders, TrackedReads } from './run.ts';
import type { TemplateError, TemplatePlace } from './template-error.ts';
import type { LookupUse, TemplateSource, Vocabulary } from './vocabulary.ts';

export interface EnvironmentInput {
  readonly templates: readonly TemplateSource[];
  readonly snippets: Readonly<Record<string, string>>;
  readonly vocabulary: Omit<Vocabulary, 'constants'>;
  /** Plain data, the same for the whole life of the environment. */
  readonly constants: Readonly<Record<string, unknown>>;
  /** Default: those of the default directories. */
  readonly folders?: TemplateFolders;
  /** Whether a template is one that the program brings along, by its name. Default: none is. */
  readonly isShipped?: (template: string) => boolean;
  /** Counts and times what runs. Absent: nothing is measured, and nothing is paid for it. */
  readonly profile?: RenderProfile;
}

/** A whole template, run once: its pieces in order, with a slot where the fragments of a forEach go. */
export interface WholeTemplate extends Fragment {
  readonly slots: readonly Slot[];
}

export interface TemplateEnvironment {
  /** Throws a `HAPTIC_ERR_TEMPLATE_RENDER` if the text outside of forEach bodies fails. */
  renderWhole(template: string): WholeTemplate;
  /** The body of a slot for one item: a pure function of the item and of what `reads` gives. Throws `HAPTIC_ERR_TEMPLATE_RENDER`. */
  renderItem(slot: Slot, item: unknown, key: string, reads: TrackedReads): Fragment;
  /** Tracked lookups that the body of a slot can make, and the collections that it can fill. */
  lookupsOf(slot: Slot): readonly LookupUse[];
  /** Maps that mapEntry calls name literally, with the first such call. */
  readonly mapPaths: ReadonlyMap<string, TemplatePlace>;
  /** The same for crt-lists and crtListEntry. */
  readonly crtListPaths: ReadonlyMap<string, TemplatePlace>;
  /** Compiles all that may run, which is done otherwise when it first runs. */
  prepare(): Slices<void>;
  /** What works but is hardly meant. */
  readonly warnings: readonly TemplateError[];
}

/** See {@link environmentInSlices}: all at once, for whoever has nothing else to do. */
export function createTemplateEnvironment(input: EnvironmentInput): TemplateEnvironment {
  return runSlices(environmentInSlices(input));
}
