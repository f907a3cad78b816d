import type { FetchOutcome, HttpValidators } from '../lib/http/fetch-outcome.ts';
import type { HttpContent, HttpContentFailure } from '../protocol/http-content.ts';

export interface HttpText {
  readonly text: string;
  readonly digest: string;
  readonly bytes: number;
}

/** What is known of one URL. Immutable. */
export interface HttpEntry {
  /** Of what was fetched last, whatever became of it. */
  readonly validators: HttpValidators;
  /** What templates see. */
  readonly accepted?: HttpText;
  /** Fetched, and not tried yet. */
  readonly pending?: HttpText;
  /** Digests of contents that were refused, newest last. */
  readonly refused: readonly string[];
  /** Why what was fetched last is not in effect. */
  readonly refusal?: HttpContentFailure;
  /** Why the last fetch gave nothing. */
  readonly failure?: HttpContentFailure;
}

export const newHttpEntry: HttpEntry = { validators: {}, refused: [] };

const maxRefused = 8;

/** A round of fetches has ended. A content that is in effect or was refused before is no news; any other is to be tried. */
export function onFetched(entry: HttpEntry, outcome: FetchOutcome): HttpEntry {
  const { failure: _failure, ...rest } = entry;
  if (outcome.kind === 'failed') {
    const { reason, message } = outcome;
    return { ...entry, failure: { kind: 'failed', reason, message } };
  }
  if (outcome.kind === 'unchanged') return rest;
  const { text, digest, bytes, validators } = outcome;
  if (rest.pending?.digest === digest || (rest.refusal !== undefined && rest.refused.at(-1) === digest))
    return { ...rest, validators };
  const { pending: _pending, refusal: _refusal, ...former } = rest;
  if (former.accepted?.digest === digest) return { ...former, validators };
  if (former.refused.includes(digest))
    return {
      ...former,
      validators,
      refusal: { kind: 'failed', reason: 'ContentRefused', message: 'the same content was refused before' },
    };
  return { ...former, validators, pending: { text, digest, bytes } };
}

/** A content was tried and is in effect from now on, also when a newer one waits meanwhile. */
export function onAccepted(entry: HttpEntry, accepted: HttpText): HttpEntry {
  if (entry.pending?.digest !== accepted.digest) return { ...entry, accepted };
  const { pending: _pending, refusal: _refusal, ...rest } = entry;
  return { ...rest, accepted };
}

/** A content was tried and must not be in effect: what was accepted before stays. */
export function onRefused(entry: HttpEntry, tried: HttpText, message: string): HttpEntry {
  const refused = [...entry.refused.filter((one) => one !== tried.digest), tried.digest].slice(-maxRefused);
  if (entry.pending?.digest !== tried.digest) return { ...entry, refused };
  const { pending: _pending, ...rest } = entry;
  return { ...rest, refused, refusal: { kind: 'failed', reason: 'ContentRefused', message } };
}

/** Under another configuration everything is worth another try: what was refused is to be fetched again. */
export function onOtherConfig(entry: HttpEntry): HttpEntry {
  if (entry.refused.length === 0) return entry;
  const { refusal: _refusal, ...rest } = entry;
  return { ...rest, validators: entry.refusal === undefined ? entry.validators : {}, refused: [] };
}

/** What templates see of it. */
export function contentOf(entry: HttpEntry): HttpContent {
  const { accepted, pending, refusal, failure } = entry;
  if (accepted !== undefined) return textContent(accepted);
  return (pending === undefined ? (refusal ?? failure) : undefined) ?? { kind: 'waiting' };
}

export function textContent({ text, digest }: HttpText): HttpContent {
  return { kind: 'content', text, digest };
}

/** Of the texts that are held. */
export function bytesOf({ accepted, pending }: HttpEntry): number {
  return (accepted?.bytes ?? 0) + (pending?.bytes ?? 0);
}

/** Why templates do not see what the URL says now; undefined when they do, or soon will. */
export function trouble(entry: HttpEntry): HttpContentFailure | undefined {
  return entry.failure ?? entry.refusal;
}
