/** How much the objects of one namespace may make of the configuration that all share. */
export interface PolicyBounds {
  /** Profiles: combinations of settings that HAProxy takes from its configuration only. */
  readonly profiles: number;
  /** Headers and cookies that canaries go by, each of which frontends look at. */
  readonly matches: number;
}
