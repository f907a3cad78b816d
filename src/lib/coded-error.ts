/**
 * An expected failure with a stable code (`HAPTIC_ERR_<AREA>_<WHAT>`), listed in docs/errors.md.
 * The only class hierarchy of this project: everything else is data and functions.
 */
export class CodedError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CodedError';
    this.code = code;
  }
}
