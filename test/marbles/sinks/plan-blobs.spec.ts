import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/protocol/plan.ts';
import { createPlanBlobs } from '../../../src/sinks/plan-blobs.ts';
import { makePlan } from '../../fixtures/make-plan.ts';

const plan = (maxconn: number): Plan => makePlan({ core: { global: `global\n  maxconn ${maxconn}\n` } });
const one = plan(1);

/** Encoding is promise-ful: it has no place on a marble diagram. */
function scene() {
  const calls: { readonly id: string; readonly signal: AbortSignal; answer: (blob?: Uint8Array) => void }[] =
    [];
  const blobs = createPlanBlobs(
    (wanted, signal) =>
      new Promise((resolve) => calls.push({ id: wanted.id, signal, answer: (blob) => resolve(blob) })),
  );
  return { blobs, calls };
}

describe('plan blobs', () => {
  it('are encoded once, however many pods wait for one', async () => {
    const { blobs, calls } = scene();
    const waiting = Promise.all(Array.from({ length: 64 }, () => firstValueFrom(blobs.encode(one))));
    expect(calls).toHaveLength(1);
    expect(blobs.peek(one)).toBeUndefined();
    const blob = new Uint8Array([1]);
    calls[0]?.answer(blob);
    expect(new Set(await waiting)).toEqual(new Set([blob]));
    expect(blobs.peek(one)).toBe(blob);
    expect(await firstValueFrom(blobs.encode(one))).toBe(blob);
    expect(calls).toHaveLength(1);
  });

  it('that are too large are remembered as that', async () => {
    const { blobs, calls } = scene();
    const first = firstValueFrom(blobs.encode(one));
    calls[0]?.answer(undefined);
    expect(await first).toBeUndefined();
    expect(await firstValueFrom(blobs.encode(one))).toBeUndefined();
    expect(calls).toHaveLength(1);
  });

  it('are given up when nobody waits any more, and begun anew for the next', () => {
    const { blobs, calls } = scene();
    const [a, b] = [blobs.encode(one).subscribe(), blobs.encode(one).subscribe()];
    a.unsubscribe();
    expect(calls[0]?.signal.aborted).toBe(false);
    b.unsubscribe();
    expect(calls[0]?.signal.aborted).toBe(true);
    blobs.encode(one).subscribe().unsubscribe();
    expect(calls).toHaveLength(2);
  });

  it('of older plans are let go', async () => {
    const { blobs, calls } = scene();
    const plans = [1, 2, 3, 4].map(plan);
    for (const [index, wanted] of plans.entries()) {
      const encoded = firstValueFrom(blobs.encode(wanted));
      calls[index]?.answer(new Uint8Array([index]));
      await encoded;
    }
    expect(plans.map((wanted) => blobs.peek(wanted)?.[0])).toEqual([undefined, 1, 2, 3]);
  });
});
