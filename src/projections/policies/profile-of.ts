import { digest } from '../../lib/digest.ts';
import { stableJson } from '../../lib/stable-json.ts';
import type { PolicyShape } from './policy-shape.ts';

/** A named `defaults` section and what it is made of. */
export interface ShapedProfile {
  /** `haptic-http-` and 8 hex digits of the shape. */
  readonly name: string;
  readonly shape: PolicyShape;
}

/** The profile of a shape; none for the empty one, which the base library's own profile is for. */
export function profileOf(shape: PolicyShape): ShapedProfile | undefined {
  if (Object.keys(shape).length === 0) return undefined;
  return { name: `haptic-http-${digest(stableJson(shape)).slice(0, 8)}`, shape };
}
