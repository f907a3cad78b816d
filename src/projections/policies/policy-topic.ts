import type { Parsed } from '../parsed.ts';
import type { PolicyFields } from './policy-fields.ts';
import type { PolicyNeed } from './policy-need.ts';

/** One setting: how it is written, where it may be said, what it costs and what a mistake in it means. */
export interface PolicyField<Value> {
  /** Its annotation, without the prefix: `cors-allow-origin`. */
  readonly key: string;
  /** Reads the annotation's text, which is somebody's input, of an object in this namespace. */
  readonly parse: (text: string, namespace?: string) => Parsed<Value>;
  /**
   * What it is about: `route`, requests that one object routes; or `backend`, the way to a Service, so that the Service may say it as well, and is heard
   * before those who route to it; or `host`, the hosts of an object as a whole, before there is a request.
   */
  readonly scope: 'route' | 'backend' | 'host';
  /**
   * What of it is printed in the profile and so takes a reload when it is new: `nothing`, as its values are in maps; the whole `value`; or a part. `server`: it is on the lines
   * of servers, so that other values are another backend of the same profile. Never
   * what a stranger wrote unchecked.
   */
  readonly shape: 'nothing' | 'value' | 'server' | { part(value: Value, namespace: string): unknown };
  /** What a change takes, in words for the documentation, where that does not follow from `shape`. */
  readonly cost?: string;
  /** It keeps requests out: where it cannot be understood the route is closed, not open. */
  readonly restricting?: true;
  /** It narrows what its topic grants: where it cannot be understood, the topic grants nothing. */
  readonly narrows?: true;
  /** What has to be said as well; all of these, besides the topic's switch. Without, it has no effect, and closes the route where it is `restricting`. */
  readonly needs?: readonly PolicyNeed[];
  /** It is HAProxy's language, and taken only where the configuration allows that. */
  readonly snippet?: true;
  /** For the documentation: what may be written, what it does, and one value that works. */
  readonly values: string;
  readonly summary: string;
  readonly example: string;
}

/** A setting that cannot be said beside another one. */
export interface PolicyClash {
  readonly field: keyof PolicyFields;
  readonly fault: string;
  /** It is clear what is meant, and that it comes to nothing: no mistake that an object is refused for. */
  readonly isIdle?: true;
}

/** Settings that belong together, printed by the same lines. */
export interface PolicyTopic {
  /** What its profiles are known by in templates: `profile.shape.cors`. */
  readonly name: string;
  readonly title: string;
  /** A switch without which the others have no effect. */
  readonly switch?: keyof PolicyFields;
  readonly fields: { readonly [Name in keyof PolicyFields]?: PolicyField<NonNullable<PolicyFields[Name]>> };
  /** What is wrong with values that are each well-formed, once what they need is there. Those that are named are left out. */
  readonly check?: (fields: PolicyFields) => readonly PolicyClash[];
  /** What of a route's path its profile depends on. */
  readonly pathShape?: (path: string) => unknown;
}
