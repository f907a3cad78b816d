import type { ConfigLibrary } from './config-library.ts';

export interface ConfigRequest {
  /** Name of the HAProxyTemplateConfig, for messages. */
  readonly name: string;
  /** Its `spec`, as it was written or with the defaults of the API server. */
  readonly spec: unknown;
  /** The HAProxyTemplateLibrary objects that are there; also those that are not referred to. */
  readonly libraries: readonly ConfigLibrary[];
  /** Libraries that this program brings along: taken where no object has the name. */
  readonly shipped?: readonly ConfigLibrary[];
}
