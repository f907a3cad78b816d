import { isRecord } from '../lib/is-record.ts';
import type { ConfigDocument } from './config-document.ts';
import type { ConfigError } from './config-error.ts';
import type { ConfigLibrary } from './config-library.ts';

export interface LibraryChoice {
  /** In the order of `libraryRefs`. */
  readonly documents: readonly ConfigDocument[];
  readonly errors: readonly ConfigError[];
}

/**
 * The libraries that a configuration refers to. One that is not there, has another revision, is referred to twice, or is there
 * twice, is an error that names it. A reference of a wrong shape is passed over: the schema speaks of it.
 *
 * @param source of the configuration, for messages
 * @param pools those of an earlier pool are taken before those of a later
 */
export function chooseLibraries(
  source: string,
  spec: unknown,
  pools: readonly (readonly ConfigLibrary[])[],
): LibraryChoice {
  const documents: ConfigDocument[] = [];
  const errors: ConfigError[] = [];
  const references = isRecord(spec) && Array.isArray(spec['libraryRefs']) ? spec['libraryRefs'] : [];
  references.forEach((reference: unknown, index) => {
    if (!isRecord(reference)) return;
    const { name, revision } = reference;
    if (typeof name !== 'string' || typeof revision !== 'string') return;
    const refuse = (field: string, message: string): void => {
      errors.push({ source, field: `spec.libraryRefs[${index}].${field}`, message });
    };
    const found = pools
      .map((pool) => pool.filter((library) => library.name === name))
      .find(({ length }) => length > 0);
    const [library, other] = found ?? [];
    if (library === undefined)
      refuse('name', `is ${name}, and there is no HAProxyTemplateLibrary ${name}${offer(pools)}`);
    else if (other !== undefined) refuse('name', `is ${name}, and there are two libraries of this name`);
    else if (library.revision !== revision)
      refuse(
        'revision',
        `is ${revision}, and the HAProxyTemplateLibrary ${name} has revision ${library.revision}`,
      );
    else documents.push({ origin: { kind: 'library', name }, spec: withoutRevision(library.spec) });
  });
  return { documents, errors };
}

function offer(pools: readonly (readonly ConfigLibrary[])[]): string {
  const names = [...new Set(pools.flat().map(({ name }) => name))].sort();
  return names.length === 0 ? '' : `; there are ${names.join(', ')}`;
}

function withoutRevision(spec: unknown): unknown {
  if (!isRecord(spec)) return spec;
  const { revision: _revision, ...rest } = spec;
  return rest;
}
