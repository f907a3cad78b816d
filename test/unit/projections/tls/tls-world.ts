import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { createGraph } from '../../../../src/collections/create-graph.ts';
import type { Collection, SourceCollection } from '../../../../src/collections/types.ts';
import { formatOwner } from '../../../../src/lib/owner.ts';
import type { Problem } from '../../../../src/lib/problem.ts';
import { createIngressProjections } from '../../../../src/projections/ingress/create-ingress-projections.ts';
import {
  createTlsProjections,
  type TlsProjections,
} from '../../../../src/projections/tls/create-tls-projections.ts';
import type { SecretRef } from '../../../../src/projections/tls/secret-ref.ts';
import { ingressClass, objectKey } from '../../../fixtures/kube-objects.ts';

/** Stores with the projections of certificates over them; the class `haptic` is there. */
export interface TlsWorld extends TlsProjections {
  readonly put: (...objects: readonly KubeObject[]) => void;
  readonly remove: (...objects: readonly KubeObject[]) => void;
  /** Entries of the crt-list as `file host …`, in order. */
  readonly lines: () => readonly string[];
  /** Problems as `Kind namespace/name reason field`, sorted. */
  readonly problemLines: () => readonly string[];
  readonly problems: () => readonly Problem[];
  readonly snapshot: () => unknown;
  /** What is waited for, as `key told`. */
  readonly waits: () => readonly string[];
  /** Says of these keys that their moment is as it is waited for, and of no others. */
  readonly tell: (...keys: readonly string[]) => void;
  /** How many entries ran again in the turn that `edit` makes, by collection; those that came to the same left out. */
  readonly changesOf: (edit: () => void) => Readonly<Record<string, number>>;
}

export function createTlsWorld({
  defaults = [],
  seed = 1,
  graceMs = 0,
}: {
  readonly defaults?: readonly SecretRef[];
  readonly seed?: number;
  readonly graceMs?: number;
} = {}): TlsWorld {
  const graph = createGraph({ checkPurity: { seed } });
  const source = (name: string) => graph.source<KubeObject>(name);
  const byKind: Readonly<Record<string, SourceCollection<KubeObject>>> = {
    Ingress: source('ingresses'),
    IngressClass: source('ingressclasses'),
    Secret: source('secrets'),
  };
  const store = (kind: string): SourceCollection<KubeObject> => {
    const found = byKind[kind];
    if (found === undefined) throw new Error(`no store for ${kind}`);
    return found;
  };
  const { tlsUses, trust, hostOwners } = createIngressProjections(graph, {
    secrets: { secrets: store('Secret') },
    ingresses: store('Ingress'),
    ingressClasses: store('IngressClass'),
    services: source('services'),
    endpointslices: source('endpointslices'),
  });
  const { collections: tls, waits } = createTlsProjections(
    graph,
    { uses: tlsUses, trust, hostOwners, secrets: store('Secret') },
    { defaultCertificates: defaults, certificateGraceMs: graceMs },
  );
  // Objects without rules and Services will do here.
  const problems = () =>
    entriesOf(graph.problems)
      .map(([, problem]) => problem)
      .filter(({ reason }) => reason !== 'NothingToServe' && reason !== 'BackendMissing');
  const edit = (
    objects: readonly KubeObject[],
    change: (to: SourceCollection<KubeObject>, o: KubeObject) => void,
  ) => {
    for (const object of objects) change(store(object.kind ?? ''), object);
    graph.advance();
  };
  const world: TlsWorld = {
    ...tls,
    put: (...objects) => edit(objects, (to, object) => to.set(objectKey(object), object)),
    remove: (...objects) => edit(objects, (to, object) => to.delete(objectKey(object))),
    lines: () => entriesOf(tls.certificates).map(([, { file, hosts }]) => [file, ...hosts].join(' ')),
    problemLines: () =>
      problems()
        .map(({ owner, reason, field }) => `${formatOwner(owner)} ${reason} ${field}`)
        .sort(),
    problems,
    snapshot: () => ({
      certificates: entriesOf(tls.certificates),
      listeners: entriesOf(tls.listeners),
      defaultCertificates: entriesOf(tls.defaultCertificates),
      tlsHosts: entriesOf(tls.tlsHosts),
      problems: problems()
        .map((problem) => JSON.stringify(problem))
        .sort(),
    }),
    waits: () => entriesOf(waits.deadlines).map(([key, { told }]) => `${key} ${told}`),
    tell: (...keys) => {
      waits.times.replace(keys.map((key) => [key, true]));
      graph.advance();
    },
    changesOf: (change) => {
      const counts: Record<string, number> = {};
      const subscriptions = [tls.certificates, tls.listeners, tls.tlsHosts].map((collection) =>
        (collection as Collection<unknown>).deltas$.subscribe((deltas) => {
          counts[collection.name] = (counts[collection.name] ?? 0) + deltas.length;
        }),
      );
      change();
      for (const subscription of subscriptions) subscription.unsubscribe();
      return counts;
    },
  };
  world.put(ingressClass());
  return world;
}

function entriesOf<V>(collection: Collection<V>): readonly (readonly [string, V])[] {
  return collection.keys().flatMap((key) => {
    const value = collection.peek(key);
    return value === undefined ? [] : [[key, value] as const];
  });
}
