import type { Admission, AdmissionCause } from './admission.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { reviewVersion } from './parse-admission-review.ts';

type Decided = Extract<Admission, { kind: 'allowed' | 'denied' }>;

/** Longer ones are cut by API servers, and too many of them dropped. */
const longestWarning = 256;
const mostWarnings = 16;
const mostCauses = 20;

/** The answer as API servers read it. A denial has one sentence per fault, and each as a cause with its field. */
export function admissionReviewOf(request: AdmissionRequest, decided: Decided): object {
  const warnings = [...new Set(decided.warnings)].slice(0, mostWarnings).map(shortened);
  return {
    apiVersion: reviewVersion,
    kind: 'AdmissionReview',
    response: {
      uid: request.uid,
      allowed: decided.kind === 'allowed',
      ...(decided.kind === 'denied' ? { status: statusOf(request, decided.causes) } : {}),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
}

function statusOf({ group, kind, name }: AdmissionRequest, causes: readonly AdmissionCause[]) {
  const shown = causes.slice(0, mostCauses);
  const more = causes.length - shown.length;
  const sentences = shown.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`));
  return {
    code: 422,
    reason: 'Invalid',
    message: [...sentences, ...(more === 0 ? [] : [`and ${more} more`])].join('; '),
    details: {
      name,
      group,
      kind,
      // kubectl prints field and message with a colon in between.
      causes: shown.map(({ field, message }) => ({
        reason: 'FieldValueInvalid',
        field: field === '' ? 'object' : field,
        message,
      })),
    },
  };
}

function shortened(warning: string): string {
  const line = warning.replace(/\s+/g, ' ');
  return line.length <= longestWarning ? line : `${line.slice(0, longestWarning - 3)}...`;
}
