import { getEntry } from '../lib/ordered-map.ts';
import type { Keyword, Plan } from '../protocol/plan.ts';
import { mergeKeywords, parseKeywords } from './server-keywords.ts';

/** What a backend takes over from its profile and a runtime command has to be told. */
export interface ProfileFacts {
  readonly balance?: string;
  readonly hashType?: string;
  /** `unknown`: there is a `default-server` line with words that only HAProxy can read. */
  readonly defaultServer: readonly Keyword[] | 'unknown';
}

/** Plans have few profiles, and thousands of backends that ask for them. */
const known = new WeakMap<Plan['profiles'], Map<string, ProfileFacts>>();

const none: ProfileFacts = { defaultServer: [] };

/**
 * Reads the three inherited directives off a profile's own text and the profiles it says `from`. A profile is generated and
 * a few lines long; this is not a reader of haproxy.cfg.
 */
export function profileFacts({ profiles }: Pick<Plan, 'profiles'>, name: string): ProfileFacts {
  const facts = known.get(profiles) ?? new Map<string, ProfileFacts>();
  known.set(profiles, facts);
  const found = facts.get(name) ?? factsOf(profiles, name, 0);
  facts.set(name, found);
  return found;
}

function factsOf(profiles: Plan['profiles'], name: string, depth: number): ProfileFacts {
  const profile = name === '' || depth > 8 ? undefined : getEntry(profiles, name);
  if (profile === undefined) return none;
  const parent = /^\s*defaults\s+\S+\s+from\s+(\S+)/.exec(profile.text)?.[1];
  const from = parent === undefined ? none : factsOf(profiles, parent, depth + 1);
  const balance = lastValue(profile.text, 'balance') ?? from.balance;
  const hashType = lastValue(profile.text, 'hash-type') ?? from.hashType;
  let defaultServer = from.defaultServer;
  for (const words of valuesOf(profile.text, 'default-server')) {
    const keywords = parseKeywords(words.split(/\s+/).filter((word) => word !== ''));
    defaultServer =
      keywords === undefined || defaultServer === 'unknown'
        ? 'unknown'
        : mergeKeywords(defaultServer, keywords);
  }
  return {
    ...(balance === undefined ? {} : { balance }),
    ...(hashType === undefined ? {} : { hashType }),
    defaultServer,
  };
}

function lastValue(text: string, directive: string): string | undefined {
  return valuesOf(text, directive).at(-1);
}

function valuesOf(text: string, directive: string): string[] {
  const lines = text.matchAll(new RegExp(`^[ \\t]*${directive}[ \\t]+([^#\\n]*)`, 'gm'));
  return [...lines].map((match) => (match[1] ?? '').trim());
}
