import { describe, expect, it } from 'vitest';
import {
  contentOf,
  type HttpText,
  newHttpEntry,
  onAccepted,
  onFetched,
  onOtherConfig,
  onRefused,
  trouble,
} from '../../../src/streams/http-entry.ts';
import { failedOutcome, textOutcome } from '../../fixtures/http-scene.ts';
import { digest } from '../../../src/lib/digest.ts';

const text = (words: string): HttpText => ({ text: words, digest: digest(words), bytes: words.length });
const shown = (words: string) => ({ kind: 'content', text: words, digest: digest(words) });
const fetched = onFetched(newHttpEntry, textOutcome('one'));
const accepted = onAccepted(fetched, text('one'));

describe('what is known of a URL', () => {
  it('is nothing at first: whoever reads it waits', () => {
    expect(contentOf(newHttpEntry)).toStrictEqual({ kind: 'waiting' });
    expect(contentOf(fetched)).toStrictEqual({ kind: 'waiting' });
  });

  it('is what was accepted, and stays so while something newer waits, fails or is refused', () => {
    expect(contentOf(accepted)).toStrictEqual(shown('one'));
    const newer = onFetched(accepted, textOutcome('two'));
    expect(contentOf(newer)).toStrictEqual(shown('one'));
    const failing = onFetched(newer, failedOutcome('answered 500'));
    expect(contentOf(failing)).toStrictEqual(shown('one'));
    expect(trouble(failing)?.message).toBe('answered 500');
    const refused = onRefused(newer, text('two'), 'bad line');
    expect(contentOf(refused)).toStrictEqual(shown('one'));
    expect(trouble(refused)?.message).toBe('bad line');
  });

  it('is a failure where nothing was ever accepted', () => {
    const failed = onFetched(newHttpEntry, failedOutcome('answered 404'));
    expect(contentOf(failed)).toStrictEqual({
      kind: 'failed',
      reason: 'FetchFailed',
      message: 'answered 404',
    });
    const refused = onRefused(fetched, text('one'), 'bad line');
    expect(contentOf(refused)).toStrictEqual({
      kind: 'failed',
      reason: 'ContentRefused',
      message: 'bad line',
    });
  });

  it('forgets what waited when the former text is back', () => {
    const back = onFetched(onFetched(accepted, textOutcome('two')), textOutcome('one'));
    expect(back.pending).toBeUndefined();
    expect(contentOf(back)).toStrictEqual(shown('one'));
  });

  it('does not try again what was refused, also after something else', () => {
    const refused = onRefused(onFetched(accepted, textOutcome('bad')), text('bad'), 'bad line');
    const same = onFetched(refused, textOutcome('bad'));
    expect(same.pending).toBeUndefined();
    expect(trouble(same)?.message).toBe('bad line');
    const between = onAccepted(onFetched(same, textOutcome('two')), text('two'));
    const again = onFetched(between, textOutcome('bad'));
    expect(again.pending).toBeUndefined();
    expect(trouble(again)).toMatchObject({
      reason: 'ContentRefused',
      message: 'the same content was refused before',
    });
  });

  it('applies a verdict to the text that was tried, when a newer one waits', () => {
    const newer = onFetched(onFetched(accepted, textOutcome('two')), textOutcome('three'));
    expect(contentOf(onAccepted(newer, text('two')))).toStrictEqual(shown('two'));
    expect(onAccepted(newer, text('two')).pending?.text).toBe('three');
    const refused = onRefused(newer, text('two'), 'bad line');
    expect(refused.pending?.text).toBe('three');
    expect(trouble(refused)).toBeUndefined();
  });

  it('keeps what to ask for the next time, of the newest text', () => {
    expect(onFetched(accepted, textOutcome('two')).validators).toStrictEqual({ etag: 'two' });
    expect(onFetched(accepted, { kind: 'unchanged' }).validators).toStrictEqual({ etag: 'one' });
  });

  it('gives what was refused another try under another configuration, fetched anew', () => {
    const refused = onRefused(onFetched(accepted, textOutcome('bad')), text('bad'), 'bad line');
    const renewed = onOtherConfig(refused);
    expect(renewed).toMatchObject({ refused: [], validators: {} });
    expect(onFetched(renewed, textOutcome('bad')).pending?.text).toBe('bad');
    expect(onOtherConfig(accepted)).toBe(accepted);
  });

  it('remembers a few refused texts only', () => {
    let entry = newHttpEntry;
    for (let i = 0; i < 20; i++)
      entry = onRefused(onFetched(entry, textOutcome(`bad ${i}`)), text(`bad ${i}`), 'bad line');
    expect(entry.refused).toHaveLength(8);
    expect(entry.refused.at(-1)).toBe(digest('bad 19'));
  });
});
