import { expect, it } from 'vitest';
import { localPeer } from '../../../src/gate/local-peer.ts';
import { makePlan } from '../../fixtures/make-plan.ts';

const peers = (name: string, ...names: readonly string[]) =>
  `\npeers ${name}\n${names.map((peer) => `    peer ${peer} 10.0.0.1:10000\n`).join('')}`;
const global = 'global\n    # peers of the others\n    maxconn 100\n';

it.each<[string, Readonly<Record<string, string>>, string | undefined]>([
  ['none', { global }, undefined],
  ['the first', { global, peers: peers('limits', 'haproxy-0', 'haproxy-1') }, 'haproxy-0'],
  ['one that all sections have', { a: peers('a', 'x', 'y'), b: peers('b', 'z', 'y') }, 'y'],
  ['also of one text', { all: global + peers('a', 'x', 'y') + peers('b', 'y') }, 'y'],
  ['none that only some have', { a: peers('a', 'x'), b: peers('b', 'y') }, undefined],
  ['none of an empty section', { a: peers('a') }, undefined],
  ['none of what HAProxy would expand', { a: peers('a', '"${HOSTNAME}"') }, undefined],
])('finds %s', (_, core, expected) => {
  expect(localPeer(makePlan({ core }))).toBe(expected);
});
