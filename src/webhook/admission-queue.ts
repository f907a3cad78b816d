import { CodedError } from '../lib/coded-error.ts';
import { createSlots } from '../operators/create-slots.ts';
import { defer, firstValueFrom } from 'rxjs';
import { untilAborted } from './until-aborted.ts';

export interface AdmissionQueueOptions {
  /** Requests that are worked on at once. */
  readonly concurrent: number;
  /** Requests that may wait; further ones are turned away at once. */
  readonly waiting: number;
}

export interface AdmissionQueue {
  /**
   * Runs the work when it is its turn, in order of arrival; gives up when the time is over, waiting included, or nobody asks any more.
   *
   * @throws CodedError `HAPTIC_ERR_WEBHOOK_OVERDUE` when the time is over, `HAPTIC_ERR_WEBHOOK_BUSY` when too many wait
   */
  run<T>(work: (signal: AbortSignal) => Promise<T>, timeoutMs: number, gone?: AbortSignal): Promise<T>;
  /** Worked on, and waiting. */
  readonly size: { readonly running: number; readonly waiting: number };
}

/** Bounds what admission may take of the machine: rendering and checks share it with the controller's own. */
export function createAdmissionQueue({ concurrent, waiting }: AdmissionQueueOptions): AdmissionQueue {
  const slots = createSlots({ total: concurrent, suspects: concurrent });
  let running = 0;
  let present = 0;
  return {
    get size() {
      return { running, waiting: present - running };
    },
    async run(work, timeoutMs, gone) {
      if (present - running >= waiting && running >= concurrent)
        throw new CodedError('HAPTIC_ERR_WEBHOOK_BUSY', `${present - running} requests are waiting already`);
      if (timeoutMs <= 0) throw overdueError('it took all its time to come');
      const overdue = new AbortController();
      const timer = setTimeout(() => {
        const message = `no answer within ${timeoutMs} ms, waiting for other requests included`;
        overdue.abort(overdueError(message));
      }, timeoutMs);
      const signal = gone === undefined ? overdue.signal : AbortSignal.any([overdue.signal, gone]);
      present++;
      try {
        const begin = defer(async () => {
          running++;
          try {
            return await work(signal);
          } finally {
            running--;
          }
        });
        return await firstValueFrom(untilAborted(slots.run(begin), signal));
      } finally {
        present--;
        clearTimeout(timer);
      }
    },
  };
}

function overdueError(message: string): CodedError {
  return new CodedError('HAPTIC_ERR_WEBHOOK_OVERDUE', message);
}
