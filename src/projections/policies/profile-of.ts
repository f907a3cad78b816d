import { createHash } from 'node:crypto';
import { stableJson } from '../../lib/stable-json.ts';
import type { PolicyShape } from './policy-shape.ts';

/** A named `defaults` section and what it is made of. */
export interface ShapedProfile {
  /** `haptic-http-` and 16 hex digits of the shape. */
  readonly name: string;
  readonly shape: PolicyShape;
}

/**
 * The profile of a shape; none for the empty one, which the base library's own profile is for. Parts of shapes are written by strangers to each other, so the
 * digest is one for which nobody can make up a second shape, which would take the place of the first.
 */
export function profileOf(shape: PolicyShape): ShapedProfile | undefined {
  if (Object.keys(shape).length === 0) return undefined;
  const hash = createHash('sha256').update(stableJson(shape)).digest('hex');
  return { name: `haptic-http-${hash.slice(0, 16)}`, shape };
}
