import type { RuntimeCommand } from './command.ts';
import { type DeleteOutcome, deleteOutcome } from './delete-outcome.ts';
import { deleteCommand, deleteKey, type DeleteTarget } from './pending-delete.ts';

/** A first try for each of some targets that goes along with other commands. */
export interface FirstDeletes {
  readonly commands: readonly RuntimeCommand[];
  /** By `deleteKey`: what HAProxy said so far. */
  readonly outcomes: ReadonlyMap<string, DeleteOutcome>;
}

/** Servers go before their backends. Whatever HAProxy says to it refuses nothing: what is still in use is tried again later. */
export function firstDeletes(targets: readonly DeleteTarget[]): FirstDeletes {
  const outcomes = new Map<string, DeleteOutcome>();
  const ordered = [...targets].sort((a, b) => Number(a.kind === 'backend') - Number(b.kind === 'backend'));
  const commands = ordered.map((target) => ({
    text: deleteCommand(target),
    success: 'any' as const,
    heard: (reply: string) => outcomes.set(deleteKey(target), deleteOutcome(reply)),
  }));
  return { commands, outcomes };
}
