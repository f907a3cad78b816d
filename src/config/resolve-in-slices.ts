import type { Slices } from '../lib/slices.ts';
import { checkDocument } from './check-document.ts';
import { chooseLibraries } from './choose-libraries.ts';
import { originName, type ConfigDocument } from './config-document.ts';
import type { ConfigError } from './config-error.ts';
import type { ConfigRequest } from './config-request.ts';
import { mergeDocuments, type Resolution } from './merge-documents.ts';

/**
 * The configuration of a HAProxyTemplateConfig: its libraries in the order of `libraryRefs`, its own `spec` on top, defaults
 * applied, everything checked that can be without rendering. Pure; `spec` is left as it is. All errors at once, each with
 * the object and the field to blame. A library that is not there, or not in the revision asked for, is one.
 */
export function* resolveInSlices({ name, spec, libraries, shipped = [] }: ConfigRequest): Slices<Resolution> {
  const own: ConfigDocument = { origin: { kind: 'object', name }, spec };
  const chosen = chooseLibraries(originName(own.origin), spec, [libraries, shipped]);
  if (chosen.errors.length === 0) return yield* mergeDocuments([...chosen.documents, own]);
  // Where a library is missing, so is what it has: only what is wrong by itself is worth telling.
  const errors: ConfigError[] = [...chosen.errors];
  for (const document of [...chosen.documents, own]) errors.push(...(yield* checkDocument(document)));
  return { ok: false, errors };
}
