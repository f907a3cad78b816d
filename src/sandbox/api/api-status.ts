import { CodedError } from '../../lib/coded-error.ts';
import { isRecord } from './json.ts';

/** One field that is wrong: `field` is a path such as `spec.rules[0].host`. */
export interface Cause {
  readonly reason:
    | 'FieldValueInvalid'
    | 'FieldValueRequired'
    | 'FieldValueNotSupported'
    | 'FieldValueDuplicate'
    | 'FieldValueForbidden'
    | 'FieldValueTooLong'
    | 'FieldManagerConflict'
    | 'ResourceVersionTooLarge';
  readonly message: string;
  readonly field: string;
}

/** The `Status` object with which a Kubernetes API answers a request that it did not carry out. */
export interface ApiStatus {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: 'Failure';
  readonly message: string;
  readonly reason: string;
  readonly code: number;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly causes?: readonly Cause[];
    readonly retryAfterSeconds?: number;
  };
}

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

export function apiStatus(
  code: number,
  message: string,
  extra: Pick<ApiStatus, 'details'> & { readonly reason?: string } = {},
): ApiStatus {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: extra.reason ?? reasons[code] ?? '',
    ...(extra.details === undefined ? {} : { details: extra.details }),
    code,
  };
}

/** An error that carries the Status to answer with (see `statusOf`). */
export function apiError(
  code: number,
  message: string,
  extra: Pick<ApiStatus, 'details'> & { readonly reason?: string } = {},
): CodedError {
  return new CodedError('HAPTIC_ERR_SANDBOX_API', message, { cause: apiStatus(code, message, extra) });
}

/** The Status an error stands for; anything that is not an `apiError` is an internal error (500). */
export function statusOf(error: unknown): ApiStatus {
  if (error instanceof CodedError && isStatus(error.cause)) return error.cause;
  return apiStatus(500, `Internal error occurred: ${error instanceof Error ? error.message : 'unknown'}`);
}

function isStatus(value: unknown): value is ApiStatus {
  return isRecord(value) && value['kind'] === 'Status' && typeof value['code'] === 'number';
}
