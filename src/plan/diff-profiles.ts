import { diffOrderedMaps, getEntry, valuesOf } from '../lib/ordered-map.ts';
import type { Plan } from '../protocol/plan.ts';
import type { DiffContext } from './diff-context.ts';

/**
 * Rule R1 for profiles: HAProxy reads a `defaults` section only at start. One that nobody uses any more may go without a
 * reload: the worker keeps it, to no effect, so that it may come back as well.
 */
export function diffProfiles({ worker, profiles, next, draft }: DiffContext): void {
  for (const { key, before, after } of diffOrderedMaps(worker.profiles, next.profiles)) {
    if (before === undefined) {
      const isLoaded = after !== undefined && getEntry(profiles, key)?.text === after.text;
      if (!isLoaded) draft.reload(`profile ${key}: new, and HAProxy reads profiles only at start`);
      else if (mayBeInherited(next, key))
        draft.reload(`profile ${key}: is back, and sections after it may inherit from it by position`);
    } else if (after === undefined) {
      const user = userOf(next, key);
      if (user !== undefined) draft.reload(`profile ${key}: removed, but backend ${user} uses it`);
      else if (mayBeInherited(worker, key))
        draft.reload(`profile ${key}: removed, and sections after it may inherit from it by position`);
    } else if (before.text !== after.text)
      draft.reload(`profile ${key}: changed, and HAProxy reads profiles only at start`);
  }
}

function userOf(plan: Plan, profile: string): string | undefined {
  for (const backend of valuesOf(plan.backends)) if (backend.profile === profile) return backend.name;
  return undefined;
}

/** A proxy without `from` takes the last `defaults` section above it, whatever its name. */
function mayBeInherited(plan: Plan, profile: string): boolean {
  let below = false;
  for (const section of valuesOf(plan.sections)) {
    if (section.kind === 'profile') below = section.name === profile;
    else if (
      below &&
      (section.kind === 'core'
        ? hasProxyWithoutFrom(section.text)
        : (getEntry(plan.backends, section.name)?.profile ?? '') === '')
    )
      return true;
  }
  return false;
}

/** Whether a proxy of this text says not where it inherits from. HAProxy takes quotes and backslashes out of words first. */
function hasProxyWithoutFrom(text: string): boolean {
  return text.split('\n').some((line) => {
    const [keyword = '', , from] = line
      .replaceAll(/["'\\]/g, '')
      .trim()
      .split(/\s+/);
    return ['frontend', 'backend', 'listen'].includes(keyword) && from !== 'from';
  });
}
