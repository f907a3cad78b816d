import type { Owner } from '../lib/owner.ts';
import { redact } from '../lib/redact.ts';

/** Something to tell about an object. */
export interface EventFact {
  /** The same for the same thing about the same object. */
  readonly key: string;
  readonly about: Owner & { readonly apiVersion?: string };
  readonly type: 'Normal' | 'Warning';
  /** CamelCase constant. */
  readonly reason: string;
  /** What was being done when it was found. */
  readonly action: EventAction;
  /** At most {@link maxNote} bytes, without secrets. */
  readonly note: string;
  /** It holds until it ends, and is told again now and then as long as it does. */
  readonly lasting: boolean;
}

export type EventAction = 'Render' | 'Check' | 'Apply';

/** `happened`: at one moment. */
export type EventChange =
  | { readonly kind: 'begun' | 'happened'; readonly fact: EventFact }
  | { readonly kind: 'ended'; readonly key: string };

/** Kubernetes takes no longer note. */
export const maxNote = 1024;

export function eventFact(fact: Omit<EventFact, 'key'>): EventFact {
  const note = shortened(String(redact(fact.note)));
  const { kind, namespace, name } = fact.about;
  return { ...fact, note, key: JSON.stringify([kind, namespace, name, fact.type, fact.reason, note]) };
}

/** Cut between characters. */
function shortened(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxNote) return text;
  let end = maxNote - 3;
  // Not in the middle of a character: its later bytes begin with the bits 10.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString('utf8')}…`;
}
