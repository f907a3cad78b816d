import type { ControllerPart } from '../../world/controller-runtime.ts';
import { eventsPart } from './events-part.ts';
import { logLevelPart } from './log-level-part.ts';
import { ownResourcesPart } from './own-resources-part.ts';
import { publishPart } from './publish-part.ts';
import { retainedPart } from './retained-part.ts';
import { statusPart } from './status-part.ts';
import { tracePart } from './trace-part.ts';
import { varsPart } from './vars-part.ts';

/** What works beside the pipeline of every controller, in order of start. */
export const controllerParts: readonly ControllerPart[] = [
  logLevelPart,
  tracePart,
  varsPart,
  ownResourcesPart,
  publishPart,
  retainedPart,
  statusPart,
  eventsPart,
];
