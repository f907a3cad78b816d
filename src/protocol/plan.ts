import type { OrderedMap } from '../lib/ordered-map.ts';
import type { Owner } from '../lib/owner.ts';

/** Version of the plan model below; a blob of another version is no baseline. */
export const planSchemaVersion = 2;

/**
 * The typed description of one render: what haproxy.cfg, maps and files contain, as data. `diff` compares two of them;
 * nobody ever parses haproxy.cfg. Immutable; versions share what did not change.
 */
export interface Plan {
  readonly schemaVersion: typeof planSchemaVersion;
  /** 16 hex digits; a function of content alone, never of the history of edits. */
  readonly id: string;
  /** haproxy.cfg byte for byte: the concatenation of the sections' texts in key order. Keys are opaque positions. */
  readonly sections: OrderedMap<Section>;
  /** By backend name. */
  readonly backends: OrderedMap<Backend>;
  /** By profile name. */
  readonly profiles: OrderedMap<Profile>;
  /** By map path, e.g. `maps/host.map`. */
  readonly maps: OrderedMap<PlanMap>;
  /** By path, e.g. `ssl/crt-list.txt`: those whose entries are declared. One that is a mere file is in `files` alone. */
  readonly crtLists: OrderedMap<PlanCrtList>;
  /** Every file of the bundle, by path, `haproxy.cfg` and maps included. */
  readonly files: OrderedMap<PlanFile>;
}

export type SectionKind = 'core' | 'profile' | 'backend';

export interface Section {
  readonly kind: SectionKind;
  /** Backend or profile name; for core sections `frontend http` and the like, as far as known, with the template's place. */
  readonly name: string;
  readonly text: string;
  /** Whom a refusal of these lines is blamed on; absent for text of the templates themselves. */
  readonly owner?: Owner;
  /** Template, line and column that printed it: `ingress/backends-500-ingress:3:1`. */
  readonly template: string;
  /**
   * What is in it that templates of the shipped libraries did not write: values that were printed as they are, and what other templates
   * print; line by line, without blanks at the ends. Absent: all of it may be anybody's.
   */
  readonly foreign?: readonly string[];
}

export interface Backend {
  readonly name: string;
  readonly profile: string;
  readonly mode: 'http' | 'tcp';
  readonly guid?: string;
  readonly balance?: string;
  readonly hashType?: string;
  /** `dynamic`: servers and nothing else, so it can be added at runtime. `structural`: has a body, see shapeReason. */
  readonly shape: 'dynamic' | 'structural';
  readonly shapeReason?: string;
  /** In print order. Names are unique within the backend. */
  readonly servers: readonly Server[];
  readonly defaultServer: readonly Keyword[];
  /** Digest of everything in the body that is not servers, default-server, balance, hash-type or guid. */
  readonly bodyDigest: string;
  /** The section's whole text. */
  readonly text: string;
  readonly owner?: Owner;
}

export interface Server {
  readonly name: string;
  /** Literal IPv4 or IPv6 (no brackets), or a host name. */
  readonly address: string;
  readonly port: number;
  /** Absent: no keyword printed. 0 drains. */
  readonly weight?: number;
  /** Printed as `disabled`: administratively in maintenance. */
  readonly disabled?: boolean;
  readonly guid?: string;
  readonly extra: readonly Keyword[];
}

export interface Keyword {
  readonly name: string;
  readonly args: readonly string[];
}

/** A named `defaults` section, generated from a shape of settings and shared by the backends of that shape. */
export interface Profile {
  readonly name: string;
  readonly text: string;
  readonly hasRules: boolean;
}

export interface PlanMap {
  readonly path: string;
  /** False: keys are unique and order does not matter, so a new key is one `add map`. */
  readonly ordered: boolean;
  /** Key → entry when unordered; print position → entry when ordered. */
  readonly entries: OrderedMap<MapEntry>;
}

export interface MapEntry {
  readonly key: string;
  readonly value: string;
  /** The line printed in the map file, newline included. */
  readonly text: string;
  readonly owner?: Owner;
}

/** A list of certificates that a `bind` line reads (`crt-list`). Its order matters: the first certificate is the default one. */
export interface PlanCrtList {
  readonly path: string;
  /** Print position → entry. */
  readonly entries: OrderedMap<CrtListEntry>;
}

export interface CrtListEntry {
  /** Path of the certificate's file, as HAProxy knows it. */
  readonly certificate: string;
  /** Words between the brackets: `alpn`, `h2,http/1.1`, `verify`, `required`. */
  readonly options: readonly string[];
  /** Host names, `*.` wildcards and negations (`!`); none: those of the certificate itself. */
  readonly sniFilters: readonly string[];
  /** The line printed in the file, newline included: `crtListLine` of the above. */
  readonly text: string;
  readonly owner?: Owner;
}

export type FileKind = 'config' | 'map' | 'cert' | 'ca' | 'crl' | 'crtlist' | 'general';

export interface PlanFile {
  readonly path: string;
  readonly kind: FileKind;
  readonly reloadOnChange: boolean;
  /** xxhash64, 16 hex digits. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  /** The content as runs of bytes: shared, never written to. */
  readonly content: () => readonly Uint8Array[];
  /** Whom it is blamed on when HAProxy cannot read it; absent for files that templates make of many objects, or by themselves. */
  readonly owner?: Owner;
}
