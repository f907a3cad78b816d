import { type Observable, catchError, defer, map, throwError, timeout } from 'rxjs';
import { errorMessage } from '../lib/error-message.ts';
import type { Plan } from '../protocol/plan.ts';
import { createSlots } from '../operators/create-slots.ts';
import type { AskSocket } from './ask-socket.ts';
import type { HaproxyMessage } from './parse-haproxy-output.ts';
import {
  maxAnswerBytes,
  parseValidatorAnswer,
  validatorRequest,
  type ValidatorFiles,
} from './validator-protocol.ts';

/** A program that judges renders besides HAProxy. */
export interface Validator {
  readonly name: string;
  /** What it says of a plan, one list, then completion. Errors when it could not be asked, which is no consent. */
  check(plan: Plan): Observable<readonly HaproxyMessage[]>;
}

export interface ValidatorOptions extends ValidatorFiles {
  readonly name: string;
  readonly socketPath: string;
  readonly timeoutMs: number;
  /** Questions at the same time; further ones wait, and their time runs from when they are asked. */
  readonly maxConnections: number;
}

export function createValidator(options: ValidatorOptions, ask: AskSocket): Validator {
  const { name, socketPath, timeoutMs, maxConnections } = options;
  const slots = createSlots({ total: maxConnections, suspects: maxConnections });
  return {
    name,
    check: (plan) =>
      slots
        .run(
          defer(() => ask(socketPath, validatorRequest(plan, options), maxAnswerBytes)).pipe(
            timeout({ first: timeoutMs }),
          ),
        )
        .pipe(
          map((line) => parseValidatorAnswer(line, plan, name)),
          catchError((error: unknown) =>
            throwError(() => new Error(`validator ${name}: ${wordsOf(error, timeoutMs)}`, { cause: error })),
          ),
        ),
  };
}

function wordsOf(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${timeoutMs} ms`;
  return errorMessage(error);
}
