import { describe, expect, it } from 'vitest';
import { orderedMapFrom } from '../../../src/lib/ordered-map.ts';
import type { Bundle } from '../../../src/protocol/bundle.ts';
import { emptyQuarantine } from '../../../src/gate/quarantine-state.ts';
import { tapShape } from '../../../src/sinks/tap-shape.ts';
import { makePlan } from '../../fixtures/make-plan.ts';

const plan = makePlan({
  core: { global: 'global\n' },
  profiles: { std: ['mode http'] },
  backends: { b: {} },
  maps: { 'maps/host.map': { entries: [['a.example', 'a']] } },
  files: { 'ssl/a.pem': { kind: 'cert', text: '-----BEGIN PRIVATE KEY-----' } },
});
const problem = {
  severity: 'error' as const,
  reason: 'R',
  field: 'f',
  message: 'm',
  owner: { kind: 'K', namespace: '', name: 'n' },
};
const bundle: Bundle = { plan, revision: 3, problems: Array.from({ length: 150 }, () => problem) };

describe('tapShape', () => {
  it('shows sizes and digests of a bundle, never content', () => {
    const shown = JSON.stringify(tapShape.bundle(bundle));
    expect(JSON.parse(shown)).toMatchObject({
      revision: 3,
      planId: plan.id,
      backends: 1,
      maps: { 'maps/host.map': 1 },
      problemCount: 150,
    });
    expect(shown).toContain('ssl/a.pem');
    expect(shown).not.toContain('PRIVATE KEY');
    expect(shown).not.toContain('a.example');
  });

  it('bounds the problems shown with a render, and passes a rejection on whole', () => {
    const shown = tapShape.render({ kind: 'rendered', bundle, tookMs: 1 }) as {
      problems: unknown[];
      problemCount: number;
    };
    expect([shown.problems.length, shown.problemCount]).toEqual([100, 150]);
    const rejected = { kind: 'rejected' as const, message: 'no', problems: [problem] };
    expect(tapShape.render(rejected)).toEqual(rejected);
  });

  it('shows what a render declares, of objects their names alone', () => {
    const owner = { kind: 'Ingress', namespace: 'web', name: 'shop' };
    const said = { owner, place: 't:1:1' };
    const references = Array.from({ length: 150 }, (_, n) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: 'web',
      name: `s-${String(n).padStart(3, '0')}`,
    }));
    const [first] = references;
    if (first === undefined) throw new Error('a reference is expected');
    const declaring: Bundle = {
      ...bundle,
      resources: orderedMapFrom(
        references.map((reference) => [
          reference.name,
          { reference, object: { data: { key: 'c2VjcmV0' } }, createOnlyFields: [], ...said },
        ]),
      ),
      statusPatches: orderedMapFrom([
        ['a', { target: first, variants: { rendered: { phase: 'Ready' } }, ...said }],
      ]),
      events: orderedMapFrom([
        ['a', { about: first, type: 'Normal', reason: 'Seen', message: 'hello', ...said }],
      ]),
    };
    const shown = tapShape.render({ kind: 'rendered', bundle: declaring, tookMs: 1 });
    expect(shown).toMatchObject({
      resourcesCount: 150,
      statusPatchesCount: 1,
      statusPatches: [{ target: first, variants: { rendered: { phase: 'Ready' } }, owner }],
      eventsCount: 1,
      events: [{ about: first, type: 'Normal', reason: 'Seen', message: 'hello', owner }],
    });
    expect((shown as { resources: unknown[] }).resources).toStrictEqual(
      references.slice(0, 100).map((reference) => ({ reference, owner })),
    );
    expect(JSON.stringify(shown)).not.toContain('c2VjcmV0');
  });

  it('bounds what is shown of a verdict, and says how much there is', () => {
    const findings = Array.from({ length: 150 }, () => ({ message: 'm' }));
    const verdict = { planId: 'p', kind: 'refused' as const, findings, output: 'x'.repeat(1024 * 1024) };
    const shown = tapShape.verdict(verdict) as { findings: unknown[]; output: string };
    expect(shown).toMatchObject({ planId: 'p', kind: 'refused', findingCount: 150 });
    expect([shown.findings.length, shown.output.length]).toEqual([100, 16 * 1024]);
    const warned = { planId: 'p', kind: 'accepted' as const, warnings: findings };
    expect(tapShape.verdict(warned)).toMatchObject({ warningCount: 150, warnings: findings.slice(0, 100) });
    const trial = { about: 'trial' as const, bundle, verdict, state: emptyQuarantine };
    expect(tapShape.trial(trial)).toMatchObject({ about: 'trial', verdict: shown, held: [] });
  });

  it('names the plans that the latch holds and has let out', () => {
    expect(
      tapShape.latch({
        mode: 'optimistic',
        pinned: false,
        newest: bundle,
        released: bundle,
        validatedPlanId: 'x',
      }),
    ).toEqual({
      mode: 'optimistic',
      pinned: false,
      newest: plan.id,
      released: plan.id,
      accepted: undefined,
      validated: 'x',
      refused: undefined,
    });
  });
});
