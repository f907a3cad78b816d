/** Where a part of a configuration comes from. */
export type ConfigOrigin =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'library'; readonly name: string }
  | { readonly kind: 'object'; readonly name: string };

/** A part of a configuration: some fields of `HAProxyTemplateConfig.spec`, not checked yet. */
export interface ConfigDocument {
  readonly origin: ConfigOrigin;
  readonly spec: unknown;
}

/** How messages name it. */
export function originName(origin: ConfigOrigin): string {
  switch (origin.kind) {
    case 'file':
      return origin.path;
    case 'library':
      return `library ${origin.name}`;
    case 'object':
      return `HAProxyTemplateConfig ${origin.name}`;
  }
}

/** How a message names a field of it: objects have theirs below `spec`. */
export function originField(origin: ConfigOrigin, field: string): string {
  if (origin.kind === 'file') return field;
  return field === '' ? 'spec' : `spec.${field}`;
}
