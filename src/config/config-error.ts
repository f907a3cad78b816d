/** One thing that is wrong with a configuration. */
export interface ConfigError {
  /** Who said it: a path, `library base`, `HAProxyTemplateConfig web`. */
  readonly source: string;
  /** `dataplane.port`, `libraryRefs[1]`; as it stands in `spec` for objects. Empty: the whole. */
  readonly field: string;
  /** Goes on after the field: `must be <= 65535`, `is no known field`. */
  readonly message: string;
}

/** Characters: names and values of any length may be quoted in it. */
const longest = 2_000;

/** One line, of bounded length: `x.yaml: dataplane.port must be <= 65535`. */
export function configErrorText({ source, field, message }: ConfigError): string {
  const text = `${source}: ${field === '' ? '' : `${field} `}${message}`;
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
