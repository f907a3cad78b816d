import type { RuntimeCommand } from './command.ts';
import { type DeleteOutcome, deleteOutcome } from './delete-outcome.ts';
import { deleteCommand, deleteKey, type DeleteTarget, leavingBackends } from './pending-delete.ts';

/** A first try for each of some targets that goes along with other commands. */
export interface FirstDeletes {
  readonly commands: readonly RuntimeCommand[];
  /** By `deleteKey`: what HAProxy said so far. */
  readonly outcomes: ReadonlyMap<string, DeleteOutcome>;
}

/** Backends that go, and their servers, have none: they wait for requests that wait in them. Whatever HAProxy says to it refuses nothing: what is still in use is tried again later. */
export function firstDeletes(targets: readonly DeleteTarget[]): FirstDeletes {
  const outcomes = new Map<string, DeleteOutcome>();
  const leaving = leavingBackends(targets);
  const tried = targets.filter(({ backend }) => !leaving.has(backend));
  const commands = tried.map((target) => ({
    text: deleteCommand(target),
    success: 'any' as const,
    heard: (reply: string) => outcomes.set(deleteKey(target), deleteOutcome(reply)),
  }));
  return { commands, outcomes };
}
