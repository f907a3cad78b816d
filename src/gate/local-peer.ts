import { valuesOf } from '../lib/ordered-map.ts';
import type { Plan } from '../protocol/plan.ts';

const peersSection = /^[ \t]*peers[ \t]/m;
const peerLine = /^[ \t]*peer[ \t]+([\w.-]+)[ \t]/gm;

/**
 * A name for the process that checks a plan (`haproxy -L`): one that every `peers` section with `peer` lines has. HAProxy takes a section out, with a warning, where
 * it finds no peer of its own name; pods have theirs, the checking process has none. Undefined: there is no such section, or no name that all of them have.
 */
export function localPeer(plan: Plan): string | undefined {
  let common: readonly string[] | undefined;
  for (const { kind, text } of valuesOf(plan.sections)) {
    if (kind !== 'core' || !peersSection.test(text)) continue;
    for (const part of text.split(peersSection).slice(1)) {
      const names = Array.from(part.matchAll(peerLine), ([, name = '']) => name);
      if (names.length > 0) common = common?.filter((name) => names.includes(name)) ?? names;
    }
  }
  return common?.[0];
}
