import { checkDocument } from './check-document.ts';
import { chooseLibraries } from './choose-libraries.ts';
import { originName, type ConfigDocument } from './config-document.ts';
import type { ConfigLibrary } from './config-library.ts';
import { mergeDocuments, type Resolution } from './merge-documents.ts';

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

/**
 * The configuration of a HAProxyTemplateConfig: its libraries in the order of `libraryRefs`, its own `spec` on top, defaults
 * applied, everything checked that can be without rendering. Pure; `spec` is left as it is. All errors at once, each with
 * the object and the field to blame. A library that is not there, or not in the revision asked for, is one.
 */
export function resolveConfig({ name, spec, libraries, shipped = [] }: ConfigRequest): Resolution {
  const own: ConfigDocument = { origin: { kind: 'object', name }, spec };
  const chosen = chooseLibraries(originName(own.origin), spec, [libraries, shipped]);
  if (chosen.errors.length === 0) return mergeDocuments([...chosen.documents, own]);
  // Where a library is missing, so is what it has: only what is wrong by itself is worth telling.
  return { ok: false, errors: [...chosen.errors, ...[...chosen.documents, own].flatMap(checkDocument)] };
}
