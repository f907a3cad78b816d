import type { BareHaproxy } from './bare-haproxy.ts';

/** Microseconds of HAProxy's CPU time for each of `count` actions, one after the other, after a few that are not counted. */
export async function cpuUsEach(
  haproxy: BareHaproxy,
  count: number,
  act: () => Promise<unknown>,
): Promise<number> {
  for (let i = 0; i < 5; i++) await act();
  const before = await haproxy.cpuUs();
  for (let i = 0; i < count; i++) await act();
  return ((await haproxy.cpuUs()) - before) / count;
}
