import type { ApplyConflict, ApplyError, ApplyResult, MissingFiles } from '../../protocol/wire.ts';

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

export type ErrorStage = 'startup' | 'request' | 'manifest' | 'parts' | 'write' | 'internal';

const statuses = {
  startup: 503,
  write: 500,
  internal: 500,
  request: 400,
  manifest: 400,
  parts: 400,
} as const;

export function refusal(stage: ErrorStage, message: string): ApplyAnswer {
  return { status: statuses[stage], body: { stage, message } };
}
