import type { RuntimeInventory } from '../protocol/wire.ts';

/** Kinds of files that a worker keeps in memory under their names. */
export type LoadedKind = 'map' | 'cert' | 'ca' | 'crl' | 'crtlist';

/** What a worker has loaded, ready to be asked by path. */
export interface LoadedFiles {
  has(kind: LoadedKind, path: string): boolean;
  /**
   * The name under which the worker seems to have the file when it does not know it by its path: the configuration names it by an absolute
   * path or through `crt-base`. No runtime command can be trusted to mean it then.
   */
  otherName(kind: LoadedKind, path: string): string | undefined;
}

const lists: Readonly<Record<LoadedKind, keyof Omit<RuntimeInventory, 'generation'>>> = {
  map: 'maps',
  cert: 'certs',
  ca: 'ca_files',
  crl: 'crl_files',
  crtlist: 'crt_lists',
};

/** Indexes of one inventory are made when they are first needed, and once. */
const known = new WeakMap<RuntimeInventory, LoadedFiles>();

export function loadedFiles(inventory: RuntimeInventory): LoadedFiles {
  const held = known.get(inventory);
  if (held !== undefined) return held;
  const indexes = new Map<LoadedKind, Index>();
  const indexOf = (kind: LoadedKind): Index => {
    const made = indexes.get(kind) ?? createIndex(inventory[lists[kind]]);
    indexes.set(kind, made);
    return made;
  };
  const loaded: LoadedFiles = {
    has: (kind, path) => indexOf(kind).paths.has(path),
    otherName: (kind, path) =>
      indexOf(kind)
        .byBaseName.get(baseName(path))
        ?.find((name) => name.endsWith(`/${path}`)),
  };
  known.set(inventory, loaded);
  return loaded;
}

interface Index {
  readonly paths: ReadonlySet<string>;
  readonly byBaseName: ReadonlyMap<string, readonly string[]>;
}

function createIndex(paths: readonly string[]): Index {
  const byBaseName = new Map<string, string[]>();
  for (const path of paths) {
    const name = baseName(path);
    const same = byBaseName.get(name);
    if (same === undefined) byBaseName.set(name, [path]);
    else same.push(path);
  }
  return { paths: new Set(paths), byBaseName };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
