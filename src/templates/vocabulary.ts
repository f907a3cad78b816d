/** The names that templates of one configuration may use. */
export interface Vocabulary {
  /** Derived collections, each a name of its own: `hosts`, `backends`, `controller.haproxyPods`. */
  readonly collections: readonly string[];
  /** Watched resources, `resources.<name>`, with the number of expressions in their `indexBy`. */
  readonly resources: Readonly<Record<string, { readonly indexKeys: number }>>;
  /** Constants of the configuration: `extraContext`, `capabilities`, … */
  readonly constants: readonly string[];
}

/**
 * What a template is for: only the configuration has sections. A `resource` is YAML of Kubernetes objects, the others are files of
 * the bundle.
 */
export type DocumentKind = 'config' | 'map' | 'file' | 'certificate' | 'crt-list' | 'resource';

export interface TemplateSource {
  readonly name: string;
  readonly document: DocumentKind;
  readonly source: string;
}

/**
 * A tracked lookup as it is written: `list "endpointslices" a b` has two keys; `http` has neither resource nor keys. `context` is one
 * of what the render is for, and `collect` no lookup but a name that the fragment puts values under.
 */
export interface LookupUse {
  readonly helper: 'single' | 'list' | 'fetch' | 'http' | 'context' | 'collect';
  readonly resource: string;
  readonly keys: number;
}
