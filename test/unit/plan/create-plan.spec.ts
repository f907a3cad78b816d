import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editOrderedMap, getEntry, orderedMapFrom } from '../../../src/lib/ordered-map.ts';
import { createPlan } from '../../../src/plan/create-plan.ts';
import { planSchemaVersion, type Plan } from '../../../src/protocol/plan.ts';
import { makeBackend, makePlan, type Sketch } from '../../fixtures/make-plan.ts';

const base: Sketch = {
  core: { global: 'global\n', frontend: 'frontend http\n  bind :80\n' },
  profiles: { std: ['timeout server 5s'] },
  backends: {
    one: { servers: [{ name: 'a', address: '10.0.0.1', port: 80 }] },
    two: { servers: [{ name: 'b', address: '10.0.0.2', port: 80, weight: 0 }] },
  },
  maps: { 'maps/host.map': { entries: [['shop.example.com', 'one']] } },
  files: { 'files/503.http': { text: 'gone' } },
};

describe('createPlan', () => {
  it('gives the same id to the same content', () => {
    expect(makePlan(base).id).toBe(makePlan(base).id);
    expect(makePlan(base).id).toMatch(/^[0-9a-f]{16}$/);
    expect(makePlan(base).schemaVersion).toBe(planSchemaVersion);
  });

  const one = base.backends?.['one'];
  const variants: Readonly<Record<string, Sketch>> = {
    'a changed core line': { ...base, core: { ...base.core, global: 'global\n  maxconn 10\n' } },
    'a renamed core section': {
      ...base,
      core: { globals: 'global\n', frontend: 'frontend http\n  bind :80\n' },
    },
    'a new server': {
      ...base,
      backends: {
        ...base.backends,
        one: { servers: [...(one?.servers ?? []), { name: 'c', address: '10.0.0.3', port: 80 }] },
      },
    },
    'a changed profile': { ...base, profiles: { std: ['timeout server 6s'] } },
    'a changed map value': { ...base, maps: { 'maps/host.map': { entries: [['shop.example.com', 'two']] } } },
    'a map that became ordered': {
      ...base,
      maps: { 'maps/host.map': { ordered: true, entries: [['shop.example.com', 'one']] } },
    },
    'a changed file': { ...base, files: { 'files/503.http': { text: 'back' } } },
    'a file that no longer reloads': {
      ...base,
      files: { 'files/503.http': { text: 'gone', reloadOnChange: false } },
    },
    'a file of another kind': { ...base, files: { 'files/503.http': { text: 'gone', kind: 'ca' } } },
    'a moved file': { ...base, files: { 'files/504.http': { text: 'gone' } } },
    'a removed backend': { ...base, backends: { one: one ?? {} } },
  };

  it.each(Object.entries(variants))('gives another id for %s', (_name, sketch) => {
    expect(makePlan(sketch).id).not.toBe(makePlan(base).id);
  });

  it('sees typed data that the bytes do not show', () => {
    const plan = makePlan(base);
    const backend = getEntry(plan.backends, 'one')!;
    const structural = editOrderedMap(plan.backends, [['one', { ...backend, shape: 'structural' as const }]]);
    expect(createPlan({ ...plan, backends: structural }, plan).id).not.toBe(plan.id);
  });

  it('does not depend on owners or templates', () => {
    const plan = makePlan(base);
    const owner = { kind: 'Ingress', namespace: 'other', name: 'thief' };
    const section = getEntry(plan.sections, '3 one')!;
    const sections = editOrderedMap(plan.sections, [['3 one', { ...section, owner, template: 'x:9:9' }]]);
    expect(createPlan({ ...plan, sections }, plan).id).toBe(plan.id);
  });

  it('tells a boundary that moved between two sections', () => {
    const plan = makePlan({ core: { a: 'global\n', b: '  maxconn 1\n' } });
    const other = makePlan({ core: { a: 'global\n  maxconn 1\n', b: '' } });
    expect(getEntry(plan.files, 'haproxy.cfg')?.digest).toBe(getEntry(other.files, 'haproxy.cfg')?.digest);
    expect(plan.id).not.toBe(other.id);
  });

  it('is the same with a previous plan that it did not make', () => {
    const plan = makePlan(base);
    const stranger: Plan = { ...plan };
    expect(createPlan(makePlan(base), stranger).id).toBe(plan.id);
  });

  it('is the same incrementally and from scratch, whatever the edits', () => {
    const edit = fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      servers: fc.option(fc.array(fc.nat(3), { maxLength: 3 })),
    });
    fc.assert(
      fc.property(fc.array(fc.array(edit, { maxLength: 4 }), { maxLength: 8 }), (turns) => {
        let current = makePlan(base);
        const model = new Map(Object.entries(base.backends ?? {}));
        for (const turn of turns) {
          const edits = turn.map(({ name, servers }) => {
            const sketch = servers && {
              servers: [...new Set(servers)].map((n) => ({
                name: `s${n}`,
                address: `10.0.0.${n}`,
                port: 80,
              })),
            };
            if (sketch === null) model.delete(name);
            else model.set(name, sketch);
            return [name, sketch === null ? undefined : makeBackend(name, sketch)] as const;
          });
          const backends = editOrderedMap(current.backends, edits);
          current = createPlan({ ...current, backends }, current);
        }
        const scratch = orderedMapFrom(
          [...model].map(([name, sketch]) => [name, makeBackend(name, sketch)] as const),
        );
        expect(createPlan({ ...current, backends: scratch }).id).toBe(current.id);
      }),
      { numRuns: 300 },
    );
  });
});
