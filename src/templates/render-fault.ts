import { CodedError } from '../lib/coded-error.ts';
import { isRecord } from '../lib/is-record.ts';

/** Why one run of a template gave nothing. */
export interface RenderFault {
  /** `template:line:column`. */
  readonly place: string;
  readonly message: string;
  /** Field of the item, as far as it shows in the expression. */
  readonly field: string;
  readonly reason: string;
}

/** `HAPTIC_ERR_TEMPLATE_RENDER`: the fault is its cause. */
export function renderError(fault: RenderFault): CodedError {
  return new CodedError('HAPTIC_ERR_TEMPLATE_RENDER', `${fault.place}: ${fault.message}`, { cause: fault });
}

/** The fault behind a `HAPTIC_ERR_TEMPLATE_RENDER`; undefined for any other error. */
export function renderFaultOf(error: unknown): RenderFault | undefined {
  if (!(error instanceof CodedError) || error.code !== 'HAPTIC_ERR_TEMPLATE_RENDER') return undefined;
  return isRecord(error.cause) ? (error.cause as unknown as RenderFault) : undefined;
}
