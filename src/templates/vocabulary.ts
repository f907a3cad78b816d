/** The names that templates of one configuration may use. */
export interface Vocabulary {
  /** Derived collections, each a name of its own: `hosts`, `backends`. */
  readonly collections: readonly string[];
  /** Watched resources, `resources.<name>`, with the number of expressions in their `indexBy`. */
  readonly resources: Readonly<Record<string, { readonly indexKeys: number }>>;
  /** Constants of the configuration: `extraContext`, `capabilities`, … */
  readonly constants: readonly string[];
}

/** What a template is for: only the configuration has sections. */
export type DocumentKind = 'config' | 'map' | 'file';

export interface TemplateSource {
  readonly name: string;
  readonly document: DocumentKind;
  readonly source: string;
}

/** A tracked lookup as it is written: `list "endpointslices" a b` has two keys; `http` has neither resource nor keys. */
export interface LookupUse {
  readonly helper: 'single' | 'list' | 'fetch' | 'http';
  readonly resource: string;
  readonly keys: number;
}
