import type { ControllerPart } from '../../world/controller-runtime.ts';

/** What works beside the pipeline of every controller, in order of start. */
export const controllerParts: readonly ControllerPart[] = [];
