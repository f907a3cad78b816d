import * as fc from 'fast-check';
import type {
  Collection,
  Graph,
  Index,
  Reader,
  SourceCollection,
  SourceEdit,
} from '../../../src/collections/types.ts';
import type { Problem } from '../../../src/lib/problem.ts';

/** A graph as data, so that one and the same can be built in the engine and evaluated naively by the oracle. */
export type NodePlan =
  | { readonly kind: 'source' }
  | { readonly kind: 'map'; readonly source: number; readonly looks: readonly Look[]; readonly salt: number }
  | {
      readonly kind: 'flatMap';
      readonly source: number;
      readonly looks: readonly Look[];
      readonly salt: number;
    }
  | { readonly kind: 'group'; readonly source: number; readonly salt: number }
  | { readonly kind: 'index'; readonly source: number; readonly salt: number }
  | { readonly kind: 'union'; readonly sources: readonly number[] };

/** One look of a projector; `by` makes the key from the entry: its own key, or a key made from its value. */
export interface Look {
  readonly node: number;
  readonly by: 'key' | 'value' | 'membership';
}

export type Item = { readonly n: number };
type Content = ReadonlyMap<string, unknown>;

const keys = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
const slotKeys = ['s0', 's1', 's2'];
const modulus = 97;

/** 2 sources and up to 9 nodes above them; every kind, every way to look, shared sources, diamonds. */
export const graphPlans: fc.Arbitrary<readonly NodePlan[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom('map', 'map', 'map', 'flatMap', 'flatMap', 'group', 'index', 'union'),
      picks: fc.array(fc.nat(1_000), { minLength: 6, maxLength: 6 }),
      looks: fc.nat(3),
      salt: fc.nat(1_000),
    }),
    { minLength: 1, maxLength: 9 },
  )
  .map((drawn) => {
    const plan: NodePlan[] = [{ kind: 'source' }, { kind: 'source' }];
    for (const { kind, picks, looks: count, salt } of drawn) {
      const pick = (i: number, of: readonly number[]) => of[(picks[i] ?? 0) % of.length] ?? 0;
      const collections = plan.flatMap((node, at) => (node.kind === 'index' ? [] : [at]));
      const source = pick(0, collections);
      const looks = Array.from({ length: count }, (_, i): Look => {
        const node = pick(i + 1, [...plan.keys()]);
        const ways =
          plan[node]?.kind === 'index' ? (['value'] as const) : (['key', 'value', 'membership'] as const);
        return { node, by: ways[(picks[i + 2] ?? 0) % ways.length] ?? 'value' };
      });
      if (kind === 'map' || kind === 'flatMap') plan.push({ kind, source, looks, salt });
      else if (kind === 'union')
        plan.push({ kind, sources: [source, pick(1, collections), pick(2, collections)] });
      else plan.push({ kind: kind === 'group' ? 'group' : 'index', source, salt });
    }
    return plan;
  });

/** The plan built in a graph. Handles are by node number. */
export interface Built {
  readonly graph: Graph;
  readonly sources: readonly SourceCollection<Item>[];
  readonly collections: ReadonlyMap<number, Collection<unknown>>;
  readonly indexes: ReadonlyMap<number, Index<unknown>>;
  readonly runs: { count: number };
}

export function build(plan: readonly NodePlan[], graph: Graph): Built {
  const sources: SourceCollection<Item>[] = [];
  const collections = new Map<number, Collection<unknown>>();
  const indexes = new Map<number, Index<unknown>>();
  const runs = { count: 0 };
  const at = (node: number) => collections.get(node)!;
  const options = (looks: readonly Look[]) => ({
    reads: looks.map(({ node }) => collections.get(node) ?? indexes.get(node)!),
  });
  const looker =
    (reader: Reader) =>
    ({ node, by }: Look, key: string): unknown => {
      const index = indexes.get(node);
      if (index !== undefined) return reader.readIndex(index, key);
      return by === 'membership' ? reader.readKeys(at(node)) : reader.read(at(node), key);
    };
  plan.forEach((node, i) => {
    const name = `n${i}`;
    switch (node.kind) {
      case 'source': {
        const source = graph.source<Item>(name);
        sources.push(source);
        collections.set(i, source);
        break;
      }
      case 'map':
        collections.set(
          i,
          graph.mapEntries(
            name,
            at(node.source),
            (value, key, reader) => {
              runs.count++;
              return project(node, name, value, key, looker(reader), reader.report);
            },
            options(node.looks),
          ),
        );
        break;
      case 'flatMap':
        collections.set(
          i,
          graph.flatMapEntries(
            name,
            at(node.source),
            (value, key, reader) => {
              runs.count++;
              return emit(node, name, value, key, looker(reader), reader.report);
            },
            options(node.looks),
          ),
        );
        break;
      case 'group':
        collections.set(
          i,
          graph.groupEntriesBy(name, at(node.source), (value) => slotsFor(value, node.salt)[0]),
        );
        break;
      case 'index':
        indexes.set(
          i,
          graph.indexBy(name, at(node.source), (value) => slotsFor(value, node.salt)),
        );
        break;
      case 'union':
        collections.set(i, graph.unionEntries(name, ...node.sources.map(at)));
    }
  });
  return { graph, sources, collections, indexes, runs };
}

/** What all nodes hold, and all problems, by plain evaluation of the whole plan over the sources' content. */
export function evaluate(
  plan: readonly NodePlan[],
  sources: readonly Content[],
): { readonly contents: readonly Content[]; readonly problems: readonly string[] } {
  const contents: Content[] = [];
  const problems = new Set<string>();
  const report = (problem: Problem) => void problems.add(JSON.stringify(problem));
  const remaining = [...sources];
  const entries = (node: number) => sortedEntries(contents[node] ?? new Map());
  plan.forEach((node, i) => {
    const name = `n${i}`;
    const look = ({ node: target, by }: Look, key: string): unknown => {
      if (plan[target]?.kind === 'index') return contents[target]?.get(key) ?? [];
      return by === 'membership' ? entries(target).map(([k]) => k) : contents[target]?.get(key);
    };
    const result = new Map<string, unknown>();
    if (node.kind === 'source') {
      contents.push(new Map(remaining.shift()));
      return;
    }
    if (node.kind === 'map') {
      for (const [key, value] of entries(node.source)) {
        const projected = project(node, name, value, key, look, report);
        if (projected !== undefined) result.set(key, projected);
      }
    } else if (node.kind === 'flatMap') {
      const winners = new Map<string, string>();
      for (const [key, value] of entries(node.source)) {
        const own = new Map<string, unknown>();
        for (const [output, item] of emit(node, name, value, key, look, report)) {
          if (own.has(output))
            report(
              duplicate(
                name,
                key,
                'warning',
                `emits "${output}" of ${name} more than once: the first one counts`,
              ),
            );
          else own.set(output, item);
        }
        for (const [output, item] of own) {
          const winner = winners.get(output);
          if (winner === undefined) {
            winners.set(output, key);
            result.set(output, item);
          } else
            report(duplicate(name, key, 'error', `"${output}" of ${name} is already taken by ${winner}`));
        }
      }
    } else if (node.kind === 'union') {
      for (const source of node.sources) {
        for (const [key, value] of entries(source)) {
          if (!result.has(key)) result.set(key, value);
        }
      }
      for (const key of result.keys()) {
        const [winner, ...losers] = node.sources.filter((source) => contents[source]?.has(key) === true);
        for (const loser of losers)
          report(duplicate(`n${loser}`, key, 'error', `"${key}" of ${name} is already taken by n${winner}`));
      }
    } else {
      for (const [, value] of entries(node.source)) {
        const slots = slotsFor(value, node.salt);
        for (const slot of node.kind === 'group' ? slots.slice(0, 1) : new Set(slots))
          result.set(slot, [...((result.get(slot) ?? []) as unknown[]), value]);
      }
    }
    contents.push(result);
  });
  return { contents, problems: [...problems].sort() };
}

function duplicate(kind: string, name: string, severity: Problem['severity'], message: string): Problem {
  return { severity, reason: 'DuplicateKey', field: '', message, owner: { kind, namespace: '', name } };
}

export function sortedEntries(content: Content): readonly (readonly [string, unknown])[] {
  return [...content].sort(([a], [b]) => (a < b ? -1 : 1));
}

type LookUp = (look: Look, key: string) => unknown;
type Projecting = Extract<NodePlan, { readonly kind: 'map' | 'flatMap' }>;

/** A number made from anything that a node may hold. */
function weigh(value: unknown): number {
  if (Array.isArray(value))
    return value.reduce((sum: number, part, i) => (sum * 3 + weigh(part) + i) % modulus, value.length);
  if (typeof value === 'string')
    return Buffer.from(value).reduce((sum, byte) => (sum * 7 + byte) % modulus, 1);
  if (typeof value === 'object' && value !== null && 'n' in value) return Number(value.n);
  return 0;
}

function total(node: Projecting, value: unknown, key: string, look: LookUp): number {
  let sum = weigh(value) + node.salt;
  for (const way of node.looks) {
    const keyed = way.by === 'value' && sum % 2 === 0 ? slotKeys[sum % 3]! : keys[sum % keys.length]!;
    sum = (sum * 5 + weigh(look(way, way.by === 'key' ? key : keyed))) % modulus;
    // Some looks depend on what the former ones gave: dependencies come and go.
    if (sum % 4 === 0) break;
  }
  return sum;
}

function project(
  node: Projecting,
  name: string,
  value: unknown,
  key: string,
  look: LookUp,
  report: (problem: Problem) => void,
) {
  const n = total(node, value, key, look) % modulus;
  if (n % 7 === 0)
    report({
      severity: 'warning',
      reason: 'Seven',
      field: key,
      message: `${n}`,
      owner: { kind: name, namespace: '', name: key },
    });
  // Few distinct results, so that early cutoff happens; some entries have none.
  return n % 5 === 0 ? undefined : { n: n % 11 };
}

function emit(
  node: Projecting,
  name: string,
  value: unknown,
  key: string,
  look: LookUp,
  report: (problem: Problem) => void,
) {
  const n = total(node, value, key, look) % modulus;
  if (n % 9 === 0)
    report({
      severity: 'warning',
      reason: 'Nine',
      field: '',
      message: 'shared',
      owner: { kind: name, namespace: '', name: '' },
    });
  const outputs: [string, Item][] = [];
  if (n % 3 > 0) outputs.push([key, { n: n % 11 }]);
  if (n % 4 > 0) outputs.push([keys[n % keys.length]!, { n: n % 13 }]);
  if (n % 8 === 1) outputs.push(['x', { n: weigh(key) }]);
  return outputs;
}

function slotsFor(value: unknown, salt: number): readonly string[] {
  const n = weigh(value) + salt;
  if (n % 5 === 0) return [];
  return n % 3 === 0 ? [slotKeys[n % 3]!, slotKeys[(n >> 2) % 3]!] : [slotKeys[n % 3]!];
}

/** What a reader of the graph sees of everything, in the form of the oracle's answer. */
export function observe(built: Built, plan: readonly NodePlan[]): ReturnType<typeof evaluate> {
  const contents = plan.map((_, i): Content => {
    const collection = built.collections.get(i);
    if (collection === undefined) {
      const index = built.indexes.get(i)!;
      return new Map(
        slotKeys.flatMap((key) => (index.peek(key).length === 0 ? [] : [[key, index.peek(key)] as const])),
      );
    }
    return new Map(collection.keys().map((key) => [key, collection.peek(key)]));
  });
  const { problems } = built.graph;
  return {
    contents,
    problems: problems
      .keys()
      .map((key) => JSON.stringify(problems.peek(key)))
      .sort(),
  };
}

export type Step =
  | { readonly do: 'set'; readonly source: number; readonly key: string; readonly value: Item }
  | { readonly do: 'delete'; readonly source: number; readonly key: string }
  | {
      readonly do: 'replace';
      readonly source: number;
      readonly entries: readonly (readonly [string, Item])[];
    }
  | { readonly do: 'slice'; readonly entries: number }
  | { readonly do: 'turn' };

const items = fc.record({ n: fc.nat(40) });
const places = { source: fc.nat(1), key: fc.constantFrom(...keys) };

export const edits: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('set' as const), ...places, value: items }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), ...places }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('replace' as const),
      source: fc.nat(1),
      entries: fc.array(fc.tuple(fc.constantFrom(...keys), items), { maxLength: 6 }),
    }),
  },
);

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: edits },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('slice' as const), entries: fc.integer({ min: 1, max: 6 }) }),
    },
    { weight: 2, arbitrary: fc.constant({ do: 'turn' as const }) },
  ),
  { minLength: 1, maxLength: 25 },
);

/** Applies an edit to the graph and to a plain copy of the sources. */
export function applyEdit(step: Step, built: Built, plain: readonly Map<string, unknown>[]): void {
  if (step.do === 'slice' || step.do === 'turn') return;
  const source = built.sources[step.source]!;
  const copy = plain[step.source]!;
  if (step.do === 'set') {
    source.set(step.key, step.value);
    copy.set(step.key, step.value);
  } else if (step.do === 'delete') {
    source.delete(step.key);
    copy.delete(step.key);
  } else {
    source.replace(step.entries);
    copy.clear();
    for (const [key, value] of step.entries) copy.set(key, value);
  }
}

/** The overlay of a fork that does what the edits do. */
export function overlayOf(steps: readonly Step[], built: Built): readonly SourceEdit[] {
  return steps.flatMap((step): readonly SourceEdit[] => {
    if (step.do !== 'set' && step.do !== 'delete') return [];
    const collection = built.sources[step.source]!;
    return [{ collection, key: step.key, value: step.do === 'set' ? step.value : undefined }];
  });
}

export function yieldAfter(entries: number): () => boolean {
  let left = entries;
  return () => --left <= 0;
}
