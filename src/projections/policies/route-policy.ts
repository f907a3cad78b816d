import type { Canary } from './canary.ts';
import type { ShapedProfile } from './profile-of.ts';
import type { ServerSettings } from './server-settings.ts';

/** What of an object's settings decides where its routes lead. Values in maps may change without touching it. */
export interface RoutePolicy {
  readonly closed: boolean;
  /** Under which the object's values are found in maps; absent: it has none. */
  readonly rule?: string;
  readonly profile?: ShapedProfile;
  readonly server?: ServerSettings;
  /** Its routes are parts of others'. */
  readonly canary?: Canary;
  /** Nobody looks into what comes for its hosts: it has no routes. */
  readonly passthrough?: true;
}
