import type { ResourceType } from '../resource-type.ts';
import { appsTypes } from './apps-types.ts';
import { coreTypes } from './core-types.ts';
import { networkTypes } from './network-types.ts';
import { reviewTypes } from './review-types.ts';
import { supportTypes } from './support-types.ts';

/** Every kind this API knows without a CRD. */
export function builtinTypes(): readonly ResourceType[] {
  return [...coreTypes(), ...appsTypes(), ...networkTypes(), ...supportTypes(), ...reviewTypes()];
}
