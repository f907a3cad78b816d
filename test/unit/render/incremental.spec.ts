import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesOf, valuesOf } from '../../../src/lib/ordered-map.ts';
import { digestOf } from '../../../src/lib/digest.ts';
import type { Bundle } from '../../../src/protocol/bundle.ts';
import { changedOwners } from '../../../src/protocol/changed-owners.ts';
import {
  noQuarantine,
  type Hold,
  type Outputs,
  type Provenance,
  type Quarantine,
} from '../../../src/protocol/provenance.ts';
import { emptyOrderedMap } from '../../../src/lib/ordered-map.ts';
import { briefly, createWorld, filesOf, type World, type WorldOptions } from './renderer-world.ts';

const pemOf = (label: string) => `-----BEGIN ${label}-----\nQUJD\n-----END ${label}-----\n`;

/** Every kind of effect, names that clash between fragments, lookups, refusals, ordered and unordered maps, files. */
const options: WorldOptions = {
  root: `global
{{#profile "p1"}}
mode http
{{/profile}}
{{#section "frontend http"}}
frontend http from p1
  bind :80
{{#forEach hosts as |h|}}
  acl {{sectionName h.name}} hdr(host) -- {{quoted h.host}}
{{/forEach}}
  default_backend x
{{/section}}
{{#forEach hosts as |h key|}}
{{#if h.warns}}{{warn "odd" field="name"}}{{/if}}
{{#if h.fails}}{{fail "no" field="fails"}}{{/if}}
{{mapEntry "maps/host.map" (mapKey h.host) (mapValue h.group)}}
{{mapEntry (concat "maps/" h.group ".map") (mapKey key) "v"}}
{{#file (concat "general/" h.group ".txt")}}{{quoted h.host}}
{{/file}}
{{/forEach}}
{{crtListEntry "list.txt" "default.pem"}}
{{#forEach hosts as |h|}}
{{#unless (includes h.host "$")}}
{{certificate (concat h.group ".pem") extraContext.chain extraContext.key}}
{{crtListEntry "list.txt" (concat h.group ".pem") h.host alpn=(concat "h2," h.group)}}
{{crtListEntry (concat h.group ".txt") (concat h.group ".pem")}}
{{/unless}}
{{/forEach}}
{{#forEach backends as |b|}}
{{#profile (concat "own-" b.kind)}}
timeout server {{b.timeout}}
{{/profile}}
{{#backend b.name profile=(concat "own-" b.kind)}}
{{#each (list "slices" "ns" b.name) as |s|}}
{{#each s.spec.endpoints as |e|}}{{server (concat s.metadata.name e.name) e.address 80 weight=e.weight}}{{/each}}
{{/each}}
{{#with (fetch "services" "ns" b.name) as |svc|}}http-request set-header x {{quoted svc.spec.text}}{{/with}}
{{/backend}}
{{/forEach}}
`,
  maps: {
    'regex.map': { template: '{{#forEach hosts as |h|}}\n^{{h.name}}$ {{h.group}}\n{{/forEach}}\n.* last\n' },
    'set.map': {
      template: '{{#forEach hosts as |h|}}\n{{h.group}} {{h.name}}\n{{/forEach}}\n',
      ordered: false,
    },
  },
  files: { 'list.txt': { template: 'start\n{{#forEach hosts as |h|}}{{h.name}},{{/forEach}}\nend\n' } },
  extraContext: { chain: pemOf('CERTIFICATE'), key: pemOf('PRIVATE KEY') },
  collections: ['hosts', 'backends'],
  resources: {
    slices: ['metadata.namespace', "metadata.labels['kubernetes.io/service-name']"],
    services: undefined,
  },
};

interface Edit {
  readonly source: 'hosts' | 'backends' | 'slices' | 'services';
  readonly key: string;
  readonly value: unknown;
}

const letter = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const ownerOf = (name: string) => ({ kind: 'Ingress', namespace: 'ns', name });
const orGone = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 3, nil: undefined });

const host = fc
  .record({
    name: fc.constantFrom('a', 'b', 'c c'),
    host: fc.constantFrom('x.example', 'y.example', '*.z', 'h"\\$', ''),
    group: fc.constantFrom('g1', 'g2'),
    warns: fc.boolean(),
    fails: fc.boolean(),
  })
  .chain((value) => letter.map((owner) => ({ ...value, owner: ownerOf(owner) })));
const backend = fc.record({
  name: fc.constantFrom('b1', 'b2', 'b3'),
  kind: fc.constantFrom('k1', 'k2'),
  timeout: fc.constantFrom('1s', '2s', '3 s'),
});
const slice = (name: string) =>
  fc.record({
    kind: fc.constant('EndpointSlice'),
    metadata: fc.record({
      name: fc.constant(name),
      namespace: fc.constant('ns'),
      labels: fc.record({ 'kubernetes.io/service-name': fc.constantFrom('b1', 'b2') }),
    }),
    spec: fc.record({
      endpoints: fc.uniqueArray(
        fc.record({
          name: fc.constantFrom('p1', 'p2', 'p3'),
          address: fc.constantFrom('10.0.0.1', 'fd00::1', 'not an address'),
          weight: fc.constantFrom(1, 2, 300),
        }),
        { maxLength: 3, selector: (endpoint) => endpoint.name },
      ),
    }),
  });
const service = fc.record({
  kind: fc.constant('Service'),
  metadata: fc.record({ name: fc.constantFrom('b1', 'b2'), namespace: fc.constant('ns') }),
  spec: fc.record({ text: fc.constantFrom('t', 'u%[x]', 'new\nline') }),
});

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ source: fc.constant('hosts' as const), key: letter, value: orGone(host) }),
  fc.record({ source: fc.constant('backends' as const), key: letter, value: orGone(backend) }),
  letter.chain((name) =>
    fc.record({
      source: fc.constant('slices' as const),
      key: fc.constant(`ns/${name}`),
      value: orGone(slice(name)),
    }),
  ),
  fc.record({
    source: fc.constant('services' as const),
    key: fc.constantFrom('ns/b1', 'ns/b2'),
    value: orGone(service),
  }),
);
const turns = fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 });

function write(world: World, { source, key, value }: Edit): void {
  const target = world.collections[source] ?? world.resources[source];
  if (target === undefined) throw new Error(`no source ${source}`);
  if (value === undefined) target.delete(key);
  else target.set(key, value);
}

/** Everything that a bundle says, but its revision. */
function contentOf(bundle: Bundle) {
  const { sections, backends, profiles, maps, crtLists } = bundle.plan;
  return {
    id: bundle.plan.id,
    files: filesOf(bundle),
    sections: [...entriesOf(sections)],
    backends: [...entriesOf(backends)],
    profiles: [...entriesOf(profiles)],
    crtLists: [...valuesOf(crtLists)].map((list) => [list.path, [...entriesOf(list.entries)]]),
    maps: [...valuesOf(maps)].map((map) => [map.path, map.ordered, [...entriesOf(map.entries)]]),
  };
}

/** What is valid on its own at every moment: refusals keep older output, so histories with them end differently. */
const isAcceptable = ({ source, value }: Edit): boolean => {
  if (value === undefined) return true;
  const text = JSON.stringify(value);
  if (source === 'hosts') return !/"fails":true|c c|"host":""/.test(text);
  if (source === 'backends') return !text.includes('3 s');
  if (source === 'slices') return !/not an address|300/.test(text);
  return !text.includes('new\\nline');
};

/** Some of the owners that changed since the accepted render, held at it; those held already stay as they are. */
function heldAt(bundle: Bundle, accepted: Bundle | undefined, isPicked: () => boolean): Quarantine {
  const at: Outputs = accepted?.provenance?.outputs ?? emptyOrderedMap();
  const { outputs, quarantine } = bundle.provenance as Provenance;
  const changed = [...changedOwners(at, outputs)].filter(([key]) => !quarantine.has(key) && isPicked());
  return new Map([
    ...[...quarantine].filter(isPicked),
    ...changed.map(([key, { owner }]): [string, Hold] => [key, { kind: 'pinned', owner, at }]),
  ]);
}

describe('a bundle made in steps', () => {
  it('equals the bundle made from scratch, byte for byte, whatever the order of arrival', () => {
    fc.assert(
      fc.property(turns, fc.infiniteStream(fc.nat()), (history, order) => {
        const accepted = history.map((turn) => turn.filter(isAcceptable));
        const steps = createWorld(options);
        for (const turn of accepted) {
          for (const one of turn) write(steps, one);
          steps.render();
        }
        const last = new Map(accepted.flat().map((one) => [`${one.source} ${one.key}`, one]));
        const scratch = createWorld(options);
        const shuffled = [...last.values()]
          .map((one) => ({ one, rank: order.next().value as number }))
          .sort((a, b) => a.rank - b.rank);
        for (const { one } of shuffled) write(scratch, one);
        const [a, b] = [steps.render(), scratch.render()];
        expect(contentOf(a)).toStrictEqual(contentOf(b));
        expect(briefly(a.problems)).toStrictEqual(briefly(b.problems));
      }),
      { numRuns: 1000 },
    );
  }, 300_000);

  it('is whole after every turn, refusals included: digests, sizes and sections agree with the bytes', () => {
    fc.assert(
      fc.property(turns, (history) => {
        const world = createWorld(options);
        for (const turn of history) {
          for (const one of turn) write(world, one);
          const { plan } = world.render();
          const sections = [...valuesOf(plan.sections)];
          expect(filesOf({ plan, revision: 0, problems: [] })['haproxy.cfg']).toBe(
            sections.map((section) => section.text).join(''),
          );
          for (const file of valuesOf(plan.files)) {
            expect(file.digest).toBe(digestOf(file.content()));
            expect(file.size).toBe(Buffer.concat(file.content()).byteLength);
          }
          const named = sections
            .filter((section) => section.kind !== 'core')
            .map((s) => `${s.kind} ${s.name}`);
          expect(new Set(named).size).toBe(named.length);
          for (const backend of valuesOf(plan.backends))
            expect(sections.find((s) => s.kind === 'backend' && s.name === backend.name)?.text).toBe(
              backend.text,
            );
          for (const map of valuesOf(plan.maps)) {
            const lines = [...valuesOf(map.entries)];
            if (!map.ordered) expect(new Set(lines.map((line) => line.key)).size).toBe(lines.length);
          }
        }
      }),
      { numRuns: 300 },
    );
  }, 120_000);

  it('comes out the same when it is taken in in the smallest slices', () => {
    fc.assert(
      fc.property(turns, (history) => {
        const [whole, sliced] = [createWorld(options), createWorld(options)];
        for (const turn of history) {
          for (const one of turn) {
            write(whole, one);
            write(sliced, one);
          }
          while (sliced.graph.advance(() => true) === 'yielded');
          while (sliced.renderer.absorb(() => true) === 'yielded');
          expect(contentOf(sliced.renderer.bundle())).toStrictEqual(contentOf(whole.render()));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('equals scratch again after whoever was held is let go, and the accepted one while all that changed are held', () => {
    const act = fc.oneof(
      fc.record({
        kind: fc.constant('turn' as const),
        edits: fc.array(edit, { minLength: 1, maxLength: 4 }),
      }),
      fc.constant({ kind: 'accept' as const }),
      fc.record({ kind: fc.constant('hold' as const), pick: fc.infiniteStream(fc.boolean()) }),
      fc.record({ kind: fc.constant('try' as const), pick: fc.infiniteStream(fc.boolean()) }),
      fc.constant({ kind: 'hold-all' as const }),
    );
    fc.assert(
      fc.property(fc.array(act, { maxLength: 14 }), (acts) => {
        const world = createWorld(options);
        const scratch = createWorld(options);
        let accepted: Bundle | undefined;
        const { generation = {} } = world.render().provenance ?? {};
        const hold = (quarantine: Quarantine) => world.renderer.hold({ generation, quarantine });
        const some = (pick: Iterator<boolean>) =>
          heldAt(world.render(), accepted, () => pick.next().value === true);
        for (const one of acts) {
          if (one.kind === 'turn')
            for (const edited of one.edits.filter(isAcceptable))
              for (const w of [world, scratch]) write(w, edited);
          if (one.kind === 'accept') accepted = world.render();
          if (one.kind === 'hold') hold(some(one.pick));
          if (one.kind === 'try') {
            const before = world.render();
            const tried = before.provenance?.candidate(some(one.pick));
            const after = world.render();
            expect(contentOf(after)).toStrictEqual(contentOf(before));
            hold(tried?.provenance?.quarantine ?? noQuarantine);
            expect(contentOf(world.render())).toStrictEqual(contentOf(tried ?? before));
            hold(after.provenance?.quarantine ?? noQuarantine);
          }
          if (one.kind === 'hold-all') {
            hold(noQuarantine);
            hold(heldAt(world.render(), accepted, () => true));
            if (accepted?.provenance?.quarantine.size === 0)
              expect(contentOf(world.render())).toStrictEqual(contentOf(accepted));
          }
        }
        hold(noQuarantine);
        expect(contentOf(world.render())).toStrictEqual(contentOf(scratch.render()));
        expect(world.render().provenance?.withheld.size).toBe(0);
      }),
      { numRuns: 400 },
    );
  }, 120_000);

  it('is made by pure fragments: every body run twice, in shuffled order, gives the same', () => {
    fc.assert(
      fc.property(turns, fc.nat(), (history, seed) => {
        const world = createWorld({ ...options, graph: { checkPurity: { seed } } });
        for (const turn of history) {
          for (const one of turn) write(world, one);
          expect(() => world.render()).not.toThrow();
        }
      }),
      { numRuns: 50 },
    );
  });
});
