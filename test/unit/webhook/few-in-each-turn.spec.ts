import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { fewInEachTurn } from '../../../src/webhook/few-in-each-turn.ts';

it('does few in each turn, in order, and none twice', async () => {
  const done: number[] = [];
  const begin = fewInEachTurn((one: number) => done.push(one));
  const all = Array.from({ length: 40 }, (_, at) => at);
  for (const one of all) begin(one);
  expect(done).toEqual([]);
  const counts: number[] = [];
  for (let at = 0; at < 4; at++) {
    await turn();
    counts.push(done.length);
  }
  expect(counts.at(-1)).toBe(40);
  for (const [at, count] of counts.entries()) expect(count - (counts[at - 1] ?? 0)).toBeLessThanOrEqual(16);
  expect(done).toEqual(all);
  begin(40);
  await turn();
  await turn();
  expect(done.at(-1)).toBe(40);
});
