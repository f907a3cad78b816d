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

const none: ProfileFacts = { defaultServer: [] };

/**
 * Reads the three inherited directives off a profile's own text and the profiles it says `from`. A profile is generated and
 * a few lines long; this is not a reader of haproxy.cfg.
 */
export function profileFacts(plan: Plan, name: string, depth = 0): ProfileFacts {
  const profile = name === '' || depth > 8 ? undefined : getEntry(plan.profiles, name);
  if (profile === undefined) return none;
  const parent = /^\s*defaults\s+\S+\s+from\s+(\S+)/.exec(profile.text)?.[1];
  const from = parent === undefined ? none : profileFacts(plan, parent, depth + 1);
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
