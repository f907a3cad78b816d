/** A file of YAML: some fields of `HAProxyTemplateConfig.spec`, or objects of haproxy-haptic.org. */
export interface LibraryFile {
  /** For messages: its path. */
  readonly name: string;
  readonly text: string;
}
