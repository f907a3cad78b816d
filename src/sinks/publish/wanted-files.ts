import path from 'node:path';
import type { PublishedKind } from '../../kube/published-object.ts';
import { digest } from '../../lib/digest.ts';
import { valuesOf } from '../../lib/ordered-map.ts';
import type { FileKind, Plan, PlanFile } from '../../protocol/plan.ts';
import type { PublishedNames } from './published-names.ts';

/** A file of a render that is to be published. */
export interface WantedFile {
  readonly kind: PublishedKind;
  /** Of the object. */
  readonly name: string;
  /** Where the file lies in the pods. */
  readonly path: string;
  readonly fileName: string;
  /** Of the form in which the object is wanted: what has it already is not written. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  readonly content: () => readonly Uint8Array[];
}

export interface WantedOptions {
  readonly names: PublishedNames;
  /** Where haproxy.cfg lies in the pods; the other files lie beside it. */
  readonly configFile: string;
  /** Bytes from which a text is compressed; 0: never. */
  readonly compressionThreshold: number;
}

export interface WantedFiles {
  readonly config: WantedFile | undefined;
  readonly others: readonly WantedFile[];
}

/** A change of what objects look like makes them be written anew. */
const formVersion = 1;
const kinds: Readonly<Record<FileKind, PublishedKind>> = {
  config: 'config',
  map: 'map',
  crtlist: 'crtList',
  general: 'general',
  cert: 'secret',
  ca: 'secret',
  crl: 'secret',
};
const keyMark = Buffer.from('PRIVATE KEY-----');

/** What a plan's files are published as: O(files), their contents are looked at only for keys where none belong. */
export function wantedFiles(plan: Plan, options: WantedOptions): WantedFiles {
  let config: WantedFile | undefined;
  const others: WantedFile[] = [];
  for (const file of valuesOf(plan.files)) {
    const wanted = wantedFile(file, options);
    if (wanted.kind === 'config') config = wanted;
    else others.push(wanted);
  }
  return { config, others };
}

/** The haproxy.cfg of a refused render. */
export function wantedTwin(plan: Plan, options: WantedOptions): WantedFile | undefined {
  const { config } = wantedFiles(plan, options);
  return config && { ...config, name: options.names.twin };
}

function wantedFile(file: PlanFile, { names, configFile, compressionThreshold }: WantedOptions): WantedFile {
  const kind = kindOf(file);
  const place =
    kind === 'config' ? configFile : path.posix.resolve(path.posix.dirname(configFile), file.path);
  const isLarge = compressionThreshold > 0 && file.size > compressionThreshold;
  return {
    kind,
    name: kind === 'config' ? names.main : names.file(file.path),
    path: place,
    fileName: path.posix.basename(file.path),
    digest: digest(JSON.stringify([formVersion, kind, place, file.digest, isLarge])),
    size: file.size,
    content: file.content,
  };
}

/** Whatever holds a key, or comes from a Secret, is published as one. */
function kindOf(file: PlanFile): PublishedKind {
  const kind = kinds[file.kind];
  if (kind !== 'general') return kind;
  return file.owner?.kind === 'Secret' || holdsKey(file) ? 'secret' : kind;
}

const holding = new WeakMap<PlanFile, boolean>();

/** Files are shared between renders: each is looked at once. */
function holdsKey(file: PlanFile): boolean {
  let holds = holding.get(file);
  if (holds === undefined) {
    holds = Buffer.concat(file.content()).includes(keyMark);
    holding.set(file, holds);
  }
  return holds;
}
