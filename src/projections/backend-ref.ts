import type { Owner } from '../lib/owner.ts';
import type { SpokenProtocol } from './endpoints/port-protocols.ts';
import type { ShapedProfile } from './policies/profile-of.ts';
import type { ServerSettings } from './policies/server-settings.ts';

/** What a route names: a port of a Service, as written, and what is said of the way to it. */
export interface BackendRef {
  readonly namespace: string;
  readonly service: string;
  /** A name, or a number of the Service's ports (not the pods'). */
  readonly port: string | number;
  /** Absent: the base library's own profile. */
  readonly profile?: ShapedProfile;
  /** What is on the lines of its servers. Absent: what the Service's port says. */
  readonly server?: ServerSettings;
  /** What the Service's port says of what its servers speak, where another word is to be another backend. Absent: HTTP/1.1, or something else is said of it. */
  readonly protocol?: SpokenProtocol;
  /** Whose lines in HAProxy's own language its profile has, so that nobody else suffers from them. Absent: it has none. */
  readonly snippetOf?: Owner;
  /** What its profile would keep out must not get in without it: it has no servers. */
  readonly closed?: true;
  /** Connections as they come, which nobody looks into. */
  readonly passthrough?: true;
}
