import { runSlices } from '../lib/run-slices.ts';
import type { Slices } from '../lib/slices.ts';
import { checkDocument } from './check-document.ts';
import { chooseLibraries } from './choose-libraries.ts';
import { originName, type ConfigDocument } from './config-document.ts';
import type { ConfigError } from './config-error.ts';
import type { ConfigLibrary } from './config-library.ts';
import type { LibraryFile } from './library-file.ts';
import { mergeDocuments, type Resolution } from './merge-documents.ts';
import { readDocuments, type ReadDocument } from './read-documents.ts';

export interface FileRequest {
  /** What the user gives: bare fields of `spec`, or a HAProxyTemplateConfig with its libraries. */
  readonly values: readonly LibraryFile[];
  /** Libraries that the program brings along, lowest first. */
  readonly shipped?: readonly LibraryFile[];
  /** Revision of `shipped`. */
  readonly revision?: string;
  /** Which HAProxyTemplateConfig, where there are several. */
  readonly name?: string;
}

type ConfigObject = Extract<ReadDocument, { readonly kind: 'config' }>;

/**
 * The configuration from files, by the same rules as that from objects. Where a HAProxyTemplateConfig is among them it is taken as on
 * a cluster: its `libraryRefs` are looked up in the files, then in `shipped` by file name; bare fields are laid on top.
 * Else `shipped` and all files are laid over each other as they come.
 */
export function resolveFiles({ values, shipped = [], revision = '', name }: FileRequest): Resolution {
  const errors: ConfigError[] = [];
  const below = shipped.flatMap((file) => readDocuments(file, errors));
  const read = values.flatMap((file) => readDocuments(file, errors));
  const configs = read.filter((document) => document.kind === 'config');
  if (configs.length === 0) return runSlices(merged([...below, ...read].map(documentOf), errors));
  const config = theConfig(configs, name, errors);
  if (config === undefined) return { ok: false, errors };
  const own: ConfigDocument = { origin: { kind: 'object', name: config.name }, spec: config.spec };
  const chosen = chooseLibraries(originName(own.origin), config.spec, [
    read.flatMap((document) => (document.kind === 'library' ? [document] : [])),
    below.map((document) => libraryOf(document, revision)),
  ]);
  errors.push(...chosen.errors);
  const documents = [...chosen.documents, own, ...read.filter(({ kind }) => kind === 'spec').map(documentOf)];
  return runSlices(merged(documents, errors));
}

/** Where a file cannot be read, what the others have wrong by themselves is told nevertheless. */
function* merged(documents: readonly ConfigDocument[], given: readonly ConfigError[]): Slices<Resolution> {
  if (given.length === 0) return yield* mergeDocuments(documents);
  const errors = [...given];
  for (const document of documents) errors.push(...(yield* checkDocument(document)));
  return { ok: false, errors };
}

function theConfig(
  all: readonly ConfigObject[],
  wanted: string | undefined,
  errors: ConfigError[],
): ConfigObject | undefined {
  const refuse = (documents: readonly ConfigObject[], message: string): void => {
    const source = [...new Set(documents.map(({ file }) => file))].join(', ');
    errors.push({ source, field: 'metadata.name', message });
  };
  const named = wanted === undefined ? all : all.filter(({ name }) => name === wanted);
  const [config, ...others] = named;
  if (config !== undefined && others.length === 0) return config;
  if (config === undefined)
    refuse(all, `is ${all.map(shown).join(', ')}: there is no configuration ${wanted ?? ''}`);
  else if (others.some((other) => shown(other) === shown(config)))
    refuse(named, `is ${shown(config)} more than once: only one configuration can have the name`);
  else refuse(named, `is ${named.map(shown).join(' and ')}: say which configuration is meant`);
  return undefined;
}

function shown({ namespace, name }: ConfigObject): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

function documentOf(document: ReadDocument): ConfigDocument {
  if (document.kind === 'spec') return { origin: { kind: 'file', path: document.file }, spec: document.spec };
  if (document.kind === 'config')
    return { origin: { kind: 'object', name: document.name }, spec: document.spec };
  return { origin: { kind: 'library', name: document.name }, spec: document.spec };
}

/** A file among the shipped ones is the library of its name. */
function libraryOf(document: ReadDocument, revision: string): ConfigLibrary {
  if (document.kind === 'library') return document;
  const file = document.file.slice(document.file.lastIndexOf('/') + 1);
  return { name: file.replace(/\.ya?ml$/, ''), revision, spec: document.spec };
}
