import { Gauge, Registry } from 'prom-client';
import { Subject } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { createGraph } from '../../../src/collections/create-graph.ts';
import type { Collection } from '../../../src/collections/types.ts';
import type { Deadline } from '../../../src/projections/deadline.ts';
import { recordCertificates } from '../../../src/sinks/record-certificates.ts';

const ends = (seconds: number): Deadline => ({ when: { at: seconds * 1000 }, told: 'passed' });

/** A configuration at work whose facts wait for what `set` says. */
function world() {
  const graph = createGraph();
  const source = graph.source<Deadline>('waits');
  const deadlines = graph.mapEntries('deadlines', source, (deadline) => deadline);
  return {
    deadlines,
    set: (entries: Readonly<Record<string, Deadline | undefined>>) => {
      for (const [key, deadline] of Object.entries(entries))
        if (deadline === undefined) source.delete(key);
        else source.set(key, deadline);
      graph.advance();
    },
  };
}

describe('the certificate that ends first', () => {
  let deadlines$: Subject<Collection<Deadline>>;
  let certificateExpiry: Gauge;
  const told = async () => (await certificateExpiry.get()).values[0]?.value;
  beforeEach(() => {
    deadlines$ = new Subject();
    certificateExpiry = new Gauge({ name: 'x', help: 'x', registers: [new Registry()] });
  });
  const record = () =>
    recordCertificates(deadlines$, { certificateExpiry }, (error) => {
      throw error;
    });

  it('is told of those that are there and those that come, and the next one when it is renewed or gone', async () => {
    const { deadlines, set } = world();
    set({ a: ends(300), b: ends(200) });
    record();
    deadlines$.next(deadlines);
    expect(await told()).toBe(200);
    set({ c: ends(100) });
    expect(await told()).toBe(100);
    set({ c: ends(900) });
    expect(await told()).toBe(200);
    set({ a: undefined, b: undefined });
    expect(await told()).toBe(900);
    set({ c: undefined });
    expect(await told()).toBe(0);
  });

  it('is none of the other moments that are waited for', async () => {
    const { deadlines, set } = world();
    set({
      begins: { when: { at: 1_000 }, told: 'ahead' },
      grace: { when: { after: 5_000 }, told: 'passed' },
      ends: ends(500),
    });
    record();
    deadlines$.next(deadlines);
    expect(await told()).toBe(500);
  });

  it('is that of the configuration at work', async () => {
    const [former, next] = [world(), world()];
    former.set({ a: ends(100) });
    next.set({ a: ends(700) });
    const running = record();
    deadlines$.next(former.deadlines);
    deadlines$.next(next.deadlines);
    expect(await told()).toBe(700);
    former.set({ a: ends(50) });
    expect(await told()).toBe(700);
    running.unsubscribe();
    next.set({ a: ends(600) });
    expect(await told()).toBe(700);
  });
});
