/** A HAProxyTemplateLibrary, or a library that the program brings along. */
export interface ConfigLibrary {
  readonly name: string;
  readonly revision: string;
  /** Fields of `HAProxyTemplateConfig.spec` that libraries may have; a `revision` among them is passed over. */
  readonly spec: unknown;
}
