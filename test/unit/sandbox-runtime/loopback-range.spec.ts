import net from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { claimLoopbackRange, type LoopbackRange } from '../../../src/sandbox/runtime/loopback-range.ts';

const held: LoopbackRange[] = [];
const claim = async (random?: () => number) => {
  const range = await claimLoopbackRange(random);
  held.push(range);
  return range;
};
afterEach(async () => {
  await Promise.all(held.splice(0).map((range) => range.release()));
});

const prefixOf = (address: string) => address.split('.').slice(0, 2).join('.');

test('two sandboxes that want the same range get different ones', async () => {
  const [a, b] = [await claim(() => 0.5), await claim(() => 0.5)];
  expect(prefixOf(a.take())).not.toBe(prefixOf(b.take()));
});

test('a released range can be claimed again', async () => {
  const first = await claimLoopbackRange(() => 0.75);
  const prefix = prefixOf(first.take());
  await first.release();
  const second = await claim(() => 0.75);
  expect(prefixOf(second.take())).toBe(prefix);
});

test('addresses are distinct, valid and can be listened on', async () => {
  const range = await claim();
  const addresses = Array.from({ length: 1000 }, () => range.take());
  expect(new Set(addresses).size).toBe(1000);
  expect(
    addresses.every((address) => net.isIPv4(address) && !address.endsWith('.0') && !address.endsWith('.255')),
  ).toBe(true);
  const server = net.createServer();
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(0, addresses[999], resolve),
  );
  await new Promise((resolve) => server.close(resolve));
});

test('a returned address is used again only when all others were', async () => {
  const range = await claim();
  const first = range.take();
  range.give(first);
  const rest = Array.from({ length: 250 * 250 - 1 }, () => range.take());
  expect(rest).not.toContain(first);
  expect(range.take()).toBe(first);
  expect(() => range.take()).toThrow(/in use/);
});
