import type { Collection, Graph } from '../../collections/types.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Choice, MatchRule, MatchShape } from '../model.ts';
import { matchKey } from '../policies/bound-canaries.ts';
import { sharedOwner } from '../shared-owner.ts';
import type { Candidate, IngressRoute } from './choose-route.ts';

export interface Choices {
  /** By key. */
  readonly choices: Collection<Choice>;
  /** What frontends have to look at, in the order in which it counts. */
  readonly matchRules: Collection<MatchRule>;
  readonly candidates: Collection<Candidate>;
}

interface Shape extends MatchShape {
  readonly owner: Owner;
}

/** HAProxy takes 64 words a line, and a shape is at most five of them. */
const shapesOfRule = 10;
const ranks = { header: 1, pattern: 2, cookie: 3, share: 4 } as const;

/** Of the few routes whose requests may go to several backends: what decides, and where they may go. */
export function createChoices(
  graph: Graph,
  routes: Collection<IngressRoute>,
  overBound: Collection<true>,
): Choices {
  const choices = graph.flatMapEntries(
    'choices',
    routes,
    ({ choices: choice }, _key, reader) => {
      if (choice === undefined) return [];
      const { namespace } = choice.owner;
      const matches = choice.matches.filter(
        (match) => reader.read(overBound, matchKey(namespace, match)) !== true,
      );
      return [[choice.key, { ...choice, matches }] as const];
    },
    { reads: [overBound], ownerOf: ({ owner }) => owner },
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
      // Several values of one header are one shape.
      return new Map(shapes.map((shape) => [`${key} ${shape.kind} ${shape.name}`, shape] as const));
    },
    { ownerOf: ({ owner }) => owner },
  );
  const byShape = graph.groupEntriesBy(
    'choices.by-shape',
    used,
    ({ kind, name }) => `${ranks[kind]} ${name}`,
  );
  const shapes = graph.mapEntries(
    'choices.match-shapes',
    byShape,
    ([first], key): Shape | undefined =>
      first && { ...first, owner: { kind: 'Shape', namespace: '', name: key } },
  );
  const together = graph.groupEntriesBy('choices.together', shapes, () => 'all');
  const matchRules = graph.flatMapEntries('matchRules', together, (all) =>
    Array.from({ length: Math.ceil(all.length / shapesOfRule) }, (_, place) => {
      const some = all.slice(place * shapesOfRule, (place + 1) * shapesOfRule);
      const rule = {
        place,
        shapes: some.map(({ kind, name }) => ({ kind, name })),
        owner: sharedOwner(some, ''),
      };
      return [String(place), rule] as const;
    }),
  );
  return { choices, matchRules, candidates };
}
