import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Deployment, ReplicaSet } from '../../../src/sandbox/runtime/kinds.ts';
import {
  currentSet,
  planRollout,
  revisionAnnotation,
  revisionOf,
  templateHashLabel,
} from '../../../src/sandbox/runtime/plan-rollout.ts';

const deployment = (spec: Partial<Deployment['spec']> & { readonly image?: string } = {}): Deployment => {
  const { image = 'echo:1', ...rest } = spec;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'default', name: 'echo', uid: 'u1' },
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: 'echo' } },
      template: { metadata: { labels: { app: 'echo' } }, spec: { containers: [{ name: 'echo', image }] } },
      ...rest,
    },
  };
};

const withPods = (
  set: ReplicaSet,
  replicas: number,
  available = replicas,
  revision?: number,
): ReplicaSet => ({
  ...set,
  metadata: {
    ...set.metadata,
    ...(revision === undefined ? {} : { annotations: { [revisionAnnotation]: String(revision) } }),
  },
  spec: { ...set.spec, replicas },
  status: { replicas, readyReplicas: available, availableReplicas: available },
});

const setOf = (of: Deployment, replicas: number, available = replicas, revision = 1): ReplicaSet =>
  withPods(planRollout(of, [], () => 0).create!, replicas, available, revision);

const statusPods = (set: ReplicaSet) => set.status?.replicas ?? 0;
const scaled = (plan: ReturnType<typeof planRollout>): Record<string, number> =>
  Object.fromEntries(
    plan.scale.map(({ set, replicas }) => [set.spec.template.spec.containers[0]!.image ?? '', replicas]),
  );

describe('the first ReplicaSet', () => {
  test('has the template, a selector of its own and the Deployment as controller', () => {
    const { create, scale, remove, revision } = planRollout(deployment(), [], () => 0);
    expect(revision).toBe(1);
    expect({ scale, remove }).toStrictEqual({ scale: [], remove: [] });
    const hash = create!.metadata.labels![templateHashLabel]!;
    expect(hash).toMatch(/^[0-9a-f]{10}$/);
    expect(create!.metadata).toStrictEqual({
      namespace: 'default',
      name: `echo-${hash}`,
      labels: { app: 'echo', [templateHashLabel]: hash },
      annotations: { [revisionAnnotation]: '1' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          name: 'echo',
          uid: 'u1',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    expect(create!.spec.replicas).toBe(4);
    expect(create!.spec.selector).toStrictEqual({ matchLabels: { app: 'echo', [templateHashLabel]: hash } });
    expect(create!.spec.template.metadata!.labels).toStrictEqual({ app: 'echo', [templateHashLabel]: hash });
  });

  test('has one pod when the Deployment does not say how many', () => {
    const { replicas: _, ...spec } = deployment().spec;
    expect(planRollout({ ...deployment(), spec }, [], () => 0).create!.spec.replicas).toBe(1);
  });

  test('is found again whatever the order of the template fields, and whatever of them is null', () => {
    const set = setOf(deployment(), 4);
    const { metadata, spec } = deployment().spec.template;
    const withNull = { ...metadata, creationTimestamp: null } as unknown as NonNullable<typeof metadata>;
    const turned = deployment({ template: { spec, metadata: withNull } });
    expect(currentSet(turned, [set])).toBe(set);
  });
});

describe('scaling', () => {
  test.each([
    [2, 4],
    [4, 9],
    [9, 0],
  ])('%i to %i changes the one ReplicaSet', (from, to) => {
    const set = setOf(deployment(), from);
    const plan = planRollout(deployment({ replicas: to }), [set], statusPods);
    expect(plan.create).toBeUndefined();
    expect(plan.scale).toStrictEqual([{ set, replicas: to }]);
  });

  test('is nothing when the number is right', () => {
    expect(planRollout(deployment(), [setOf(deployment(), 4, 1)], statusPods).scale).toStrictEqual([]);
  });

  test('goes on while the rollout is paused, which starts no new template', () => {
    const set = setOf(deployment(), 2);
    const paused = deployment({ paused: true, image: 'echo:2' });
    expect(planRollout(paused, [set], statusPods)).toMatchObject({ create: undefined, scale: [] });
    expect(scaled(planRollout(deployment({ paused: true }), [set], statusPods))).toStrictEqual({
      'echo:1': 4,
    });
  });
});

describe('a new template', () => {
  const next = deployment({ image: 'echo:2' });

  test('starts with as many pods as may be above the wish', () => {
    const plan = planRollout(next, [setOf(deployment(), 4)], statusPods);
    expect(plan.create!.spec.replicas).toBe(1);
    expect(plan.revision).toBe(2);
    expect(plan.create!.metadata.annotations![revisionAnnotation]).toBe('2');
    // 25 % of four pods may be missing.
    expect(scaled(plan)).toStrictEqual({ 'echo:1': 3 });
  });

  test('takes old pods away only as new ones become available', () => {
    const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
    const to = deployment({ image: 'echo:2', strategy });
    const old = setOf(deployment(), 4);
    expect(scaled(planRollout(to, [old, setOf(to, 1, 0, 2)], statusPods))).toStrictEqual({});
    expect(scaled(planRollout(to, [old, setOf(to, 1, 1, 2)], statusPods))).toStrictEqual({ 'echo:1': 3 });
  });

  test('removes old pods that serve nobody first', () => {
    const sick = deployment({ image: 'echo:sick' });
    const sets = [setOf(sick, 2, 0, 1), setOf(deployment(), 4, 4, 2), setOf(next, 1, 1, 3)];
    expect(scaled(planRollout(next, sets, statusPods))).toStrictEqual({ 'echo:sick': 0, 'echo:1': 2 });
  });

  test('with Recreate waits until the last old pod is gone', () => {
    const to = deployment({ image: 'echo:2', strategy: { type: 'Recreate' } });
    const old = setOf(deployment(), 4);
    const first = planRollout(to, [old], statusPods);
    expect(first.create!.spec.replicas).toBe(0);
    expect(scaled(first)).toStrictEqual({ 'echo:1': 0 });
    const emptied = withPods(old, 0);
    const stillEnding = planRollout(to, [emptied, setOf(to, 0, 0, 2)], (set) => (set === emptied ? 1 : 0));
    expect(stillEnding.scale).toStrictEqual([]);
    expect(scaled(planRollout(to, [emptied, setOf(to, 0, 0, 2)], () => 0))).toStrictEqual({ 'echo:2': 4 });
  });

  test('that was there before becomes the newest revision', () => {
    const sets = [setOf(deployment(), 0, 0, 1), setOf(next, 4, 4, 2)];
    const plan = planRollout(deployment(), sets, statusPods);
    expect(plan.create).toBeUndefined();
    expect(plan.revision).toBe(3);
  });

  test('forgets empty ReplicaSets beyond the history limit, oldest first', () => {
    const olds = [1, 2, 3].map((n) => setOf(deployment({ image: `echo:old${n}` }), 0, 0, n));
    const plan = planRollout(
      deployment({ revisionHistoryLimit: 1 }),
      [...olds, setOf(deployment(), 4, 4, 4)],
      statusPods,
    );
    expect(plan.remove.map(revisionOf)).toStrictEqual([1, 2]);
  });
});

test('any rollout ends with all pods on the new template, within its limits at every step', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 0, max: 12 }),
      fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom('0%', '25%', '100%')),
      fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom('0%', '25%', '100%')),
      (before, replicas, maxSurge, maxUnavailable) => {
        const to = deployment({
          image: 'echo:2',
          replicas,
          strategy: { rollingUpdate: { maxSurge, maxUnavailable } },
        });
        let sets = [setOf(deployment(), before)];
        for (let step = 0; ; step++) {
          expect(step).toBeLessThan(100);
          const plan = planRollout(to, sets, statusPods);
          if (plan.create === undefined && plan.scale.length === 0) break;
          const replicasNow = new Map(plan.scale.map(({ set, replicas: n }) => [set.metadata.name, n]));
          sets = [
            ...sets.map((set) => ({
              ...set,
              spec: { ...set.spec, replicas: replicasNow.get(set.metadata.name) ?? set.spec.replicas! },
            })),
            ...(plan.create === undefined ? [] : [plan.create]),
          ];
          const total = sets.reduce((sum, set) => sum + set.spec.replicas!, 0);
          const surge =
            typeof maxSurge === 'number'
              ? maxSurge
              : Math.ceil((Number(maxSurge.slice(0, -1)) / 100) * replicas);
          expect(total).toBeLessThanOrEqual(Math.max(before, replicas + surge));
          // Every pod that is wished for becomes available before the next look.
          sets = sets.map((set) => withPods(set, set.spec.replicas!));
        }
        expect(currentSet(to, sets)!.spec.replicas).toBe(replicas);
        expect(sets.reduce((sum, set) => sum + set.spec.replicas!, 0)).toBe(replicas);
      },
    ),
  );
});
