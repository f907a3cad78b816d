import { type StatusPhase, statusPhases } from './declared.ts';

/** Field managers of statuses, as `metadata.managedFields` names them: one for each phase, and one for what is said of the configuration. */
export type StatusManager = `haptic-${StatusPhase}` | 'haptic-objects';

/** In order: of a field that several have something to say about, the last has it. */
export const statusManagers: readonly StatusManager[] = [
  ...statusPhases.map((phase) => `haptic-${phase}` as const),
  'haptic-objects',
];
