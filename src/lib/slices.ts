/**
 * Work that can pause: it yields where the event loop may have its turn, and returns its result. Run by `runSlices` all at once, or by
 * `runInSlices` with pauses.
 */
export type Slices<T> = Generator<undefined, T, undefined>;
