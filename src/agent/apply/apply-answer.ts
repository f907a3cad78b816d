import {
  type ApplyConflict,
  type ApplyError,
  type ApplyResult,
  type MissingFiles,
  softStopCode,
} from '../../protocol/wire.ts';

/** What the HTTP layer answers to an apply. */
export type ApplyAnswer =
  | {
      readonly status: 200;
      readonly body: ApplyResult;
      /** HAProxy itself said no to the files. Not part of the wire. */
      readonly refused?: boolean;
      /** What is left to do under the lock when it has been answered. Never rejects. Not part of the wire. */
      readonly afterwards?: () => Promise<void>;
    }
  | { readonly status: 409; readonly body: ApplyConflict | MissingFiles }
  | { readonly status: 400 | 500 | 503; readonly body: ApplyError };

export type ErrorStage = 'startup' | 'soft_stop' | 'request' | 'manifest' | 'parts' | 'write' | 'internal';

const statuses = {
  startup: 503,
  soft_stop: 503,
  write: 500,
  internal: 500,
  request: 400,
  manifest: 400,
  parts: 400,
} as const;

export function refusal(stage: ErrorStage, message: string): ApplyAnswer {
  return { status: statuses[stage], body: { stage, message } };
}

/** HAProxy is about to end, or does: nothing reaches it any more. */
export const refusedForSoftStop: ApplyAnswer = {
  status: statuses.soft_stop,
  body: {
    stage: 'soft_stop',
    code: softStopCode,
    message: 'HAProxy ends: it takes nothing more, and must not be reloaded',
  },
};
