import type { Collection, Graph } from '../../collections/types.ts';
import type { Choice, MatchShape } from '../model.ts';
import type { Candidate, IngressRoute } from './choose-route.ts';

export interface Choices {
  /** By key. */
  readonly choices: Collection<Choice>;
  /** What frontends have to look at, in the order in which it counts. */
  readonly matchShapes: Collection<MatchShape>;
  readonly candidates: Collection<Candidate>;
}

const ranks = { header: 1, pattern: 2, cookie: 3, share: 4 } as const;

/** Of the few routes whose requests may go to several backends: what decides, and where they may go. */
export function createChoices(graph: Graph, routes: Collection<IngressRoute>): Choices {
  const choices = graph.flatMapEntries(
    'choices',
    routes,
    ({ choices: choice }) => (choice === undefined ? [] : [[choice.key, choice] as const]),
    { ownerOf: ({ owner }) => owner },
  );
  const candidates = graph.flatMapEntries(
    'candidates',
    routes,
    ({ choice = '', candidates: list = [] }) =>
      list.map((candidate, at) => [`${choice} ${at}`, candidate] as const),
    { ownerOf: ({ owner }) => owner },
  );
  const used = graph.flatMapEntries(
    'choices.shapes',
    choices,
    ({ key, matches, shares }) => {
      const shapes = [
        ...matches.map(({ kind, name }) => ({ kind, name })),
        ...shares.map((_, at) => ({ kind: 'share' as const, name: String(at) })),
      ];
      return shapes.map((shape) => [`${key} ${shape.kind} ${shape.name}`, shape] as const);
    },
    { ownerOf: ({ owner }) => owner },
  );
  const byShape = graph.groupEntriesBy(
    'choices.by-shape',
    used,
    ({ kind, name }) => `${ranks[kind]} ${name}`,
  );
  const matchShapes = graph.mapEntries(
    'matchShapes',
    byShape,
    ([first], key): MatchShape | undefined =>
      first && { ...first, owner: { kind: 'Shape', namespace: '', name: key } },
  );
  return { choices, matchShapes, candidates };
}
