import { isRecord } from '../lib/is-record.ts';
import { parseJsonPath, type JsonPathStep } from '../lib/json-path.ts';
import type { KubeObject } from './kube-object.ts';

/** A tree of the steps that paths share; a leaf is where a path ends. */
interface Wanted {
  isLeaf: boolean;
  all: Wanted | undefined;
  readonly children: Map<string | number, Wanted>;
}

/**
 * Makes references: of an object its identity (namespace, name, uid, resourceVersion) and the scalars at these paths, at the
 * places where the object has them, so that the same paths read the same of both. A reference says no kind.
 */
export function referenceTo(paths: readonly string[]): (object: KubeObject) => KubeObject {
  const tree = wantedOf(paths.map(parseJsonPath));
  return (object) => {
    const { name, namespace, uid, resourceVersion } = object.metadata;
    const picked = pick(object, tree);
    const rest = isRecord(picked) ? picked : {};
    const metadata = isRecord(rest['metadata']) ? rest['metadata'] : {};
    return {
      ...rest,
      metadata: {
        ...metadata,
        name,
        ...(namespace !== undefined && { namespace }),
        ...(uid !== undefined && { uid }),
        ...(resourceVersion !== undefined && { resourceVersion }),
      },
    };
  };
}

/** Whether this stands for an object that has to be read; whole objects say their kind. */
export function isReference(object: KubeObject): boolean {
  return object.kind === undefined;
}

function wantedOf(paths: readonly (readonly JsonPathStep[])[]): Wanted {
  const root = newWanted();
  for (const steps of paths) {
    let node = root;
    for (const step of steps) {
      if (step === 'all') node = node.all ??= newWanted();
      else {
        const key = 'index' in step ? step.index : step.key;
        const child = node.children.get(key) ?? newWanted();
        node.children.set(key, child);
        node = child;
      }
    }
    node.isLeaf = true;
  }
  return root;
}

function newWanted(): Wanted {
  return { isLeaf: false, all: undefined, children: new Map() };
}

function pick(value: unknown, wanted: Wanted): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) => pickOf(item, [wanted.all, wanted.children.get(index)]));
    return items.some((item) => item !== undefined) ? items.map((item) => item ?? null) : undefined;
  }
  if (isRecord(value)) {
    const kept = Object.keys(value).flatMap((key) => {
      const child = pickOf(value[key], [wanted.all, wanted.children.get(key)]);
      return child === undefined ? [] : [[key, child] as const];
    });
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  }
  return wanted.isLeaf && value !== null ? value : undefined;
}

/** What two branches want of one value; a list and its items may be named by number and by `*`. */
function pickOf(value: unknown, branches: readonly (Wanted | undefined)[]): unknown {
  const there = branches.filter((branch) => branch !== undefined);
  const [first, second] = there;
  if (first === undefined) return undefined;
  return pick(value, second === undefined ? first : united(first, second));
}

function united(a: Wanted, b: Wanted): Wanted {
  const children = new Map(a.children);
  for (const [key, child] of b.children) {
    const same = children.get(key);
    children.set(key, same === undefined ? child : united(same, child));
  }
  const all = a.all !== undefined && b.all !== undefined ? united(a.all, b.all) : (a.all ?? b.all);
  return { isLeaf: a.isLeaf || b.isLeaf, all, children };
}
