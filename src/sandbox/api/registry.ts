import { apiVersionOf, type ResourceType } from './resource-type.ts';

/** The kinds a server knows: the built-in ones, and those that CRDs add and take away while it runs. */
export interface Registry {
  readonly all: () => readonly ResourceType[];
  readonly byPlural: (group: string, version: string, plural: string) => ResourceType | undefined;
  readonly byKind: (apiVersion: string, kind: string) => ResourceType | undefined;
  /** Rises with every change; discovery and OpenAPI documents are cached against it. */
  readonly generation: () => number;
  /** Puts `types` in the place of whatever `owner` had registered before. */
  readonly replace: (owner: string, types: readonly ResourceType[]) => void;
}

export function createRegistry(builtin: readonly ResourceType[]): Registry {
  const owned = new Map<string, readonly ResourceType[]>([['', builtin]]);
  let generation = 0;
  let plurals = new Map<string, ResourceType>();
  let kinds = new Map<string, ResourceType>();
  let types: readonly ResourceType[] = [];

  const rebuild = () => {
    generation++;
    types = [...owned.values()].flat();
    plurals = new Map(types.map((type) => [`${apiVersionOf(type)}/${type.plural}`, type]));
    kinds = new Map(types.map((type) => [`${apiVersionOf(type)}/${type.kind}`, type]));
  };
  rebuild();

  return {
    all: () => types,
    byPlural: (group, version, plural) => plurals.get(`${apiVersionOf({ group, version })}/${plural}`),
    byKind: (apiVersion, kind) => kinds.get(`${apiVersion}/${kind}`),
    generation: () => generation,
    replace: (owner, next) => {
      if (next.length === 0) owned.delete(owner);
      else owned.set(owner, next);
      rebuild();
    },
  };
}
