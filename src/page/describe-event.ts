import { fieldOf, textOf } from './field-of.ts';
import type { TapEvent } from './tap-event.ts';

/** How an event looks: `good` went well, `costly` took a reload or waits, `bad` was refused or failed. */
export type Tone = 'good' | 'costly' | 'bad' | 'plain';

export interface DescribedEvent {
  readonly tone: Tone;
  /** One line. */
  readonly words: string;
}

const tones: Readonly<Record<string, Tone>> = {
  accepted: 'good',
  applied: 'good',
  runtime: 'good',
  file_only: 'good',
  noop: 'good',
  optimistic: 'good',
  leading: 'good',
  revision: 'good',
  fetched: 'good',
  reload: 'costly',
  scheduled: 'costly',
  pessimistic: 'costly',
  standby: 'costly',
  unchecked: 'costly',
  degraded: 'costly',
  refused: 'bad',
  rejected: 'bad',
  failed: 'bad',
  reverted: 'bad',
};

/** What a value says at a glance, whichever tap it is of. */
export function describeEvent({ tap, value }: TapEvent): DescribedEvent {
  const of = (path: string) => textOf(fieldOf(value, path));
  switch (tap) {
    case 'deliveries': {
      const mode = of('kind') === 'acked' ? of('mode') : of('kind');
      return { tone: toneOf(mode), words: joined(of('pod.key'), mode, of('reasons[0]'), of('message')) };
    }
    case 'verdicts':
      return { tone: toneOf(of('kind')), words: joined(of('kind'), of('planId'), of('findings[0].message')) };
    case 'quarantine': {
      const count = Number(of('count'));
      return { tone: count === 0 ? 'good' : 'bad', words: count === 1 ? '1 object' : `${count} objects` };
    }
    case 'latch':
      return {
        tone: of('pinned') === 'true' ? 'bad' : toneOf(of('mode')),
        words: joined(of('mode'), of('released')),
      };
    case 'renders':
      return {
        tone: of('kind') === 'rejected' ? 'bad' : Number(of('problemCount')) > 0 ? 'costly' : 'plain',
        words: joined(of('planId'), of('message'), `${of('problemCount') || '0'} problems`),
      };
    case 'deployments': {
      const isWhole = of('converged') === of('pods');
      return {
        tone: of('overdue') === 'true' ? 'bad' : isWhole ? 'good' : 'costly',
        words: `${of('converged')} of ${of('pods')} pods`,
      };
    }
    case 'trace':
      return {
        tone: toneOf(of('verdict') || of('mode') || of('type')),
        words: joined(
          of('type'),
          of('id'),
          of('objects[0]'),
          of('pod'),
          of('mode'),
          of('verdict'),
          of('planId'),
        ),
      };
    default: {
      const kind = of('kind') || of('mode');
      return {
        tone: toneOf(kind),
        words: joined(kind, of('resource') || of('name') || of('object'), of('message')) || summary(value),
      };
    }
  }
}

function toneOf(word: string): Tone {
  return Object.hasOwn(tones, word) ? (tones[word] ?? 'plain') : 'plain';
}

function joined(...words: readonly string[]): string {
  return words.filter((word) => word !== '').join(' · ');
}

function summary(value: unknown): string {
  if (Array.isArray(value)) return `${value.length} items`;
  return JSON.stringify(value).slice(0, 80);
}
