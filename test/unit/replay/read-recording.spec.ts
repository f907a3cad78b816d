import { expect, test } from 'vitest';
import { checkWhole } from '../../../src/config/schema-checks.ts';
import { readRecording } from '../../../src/replay/read-recording.ts';

const begin = {
  at: 0,
  kind: 'begin',
  format: 'haptic-recording/1',
  version: '0.1.0',
  startedAt: '2026-11-30T08:00:00.000Z',
  capabilities: { version: '3.4.7' },
};
const spec = {
  podSelector: { matchLabels: { app: 'haproxy' } },
  watchedResources: {},
  haproxyConfig: { template: 'global' },
};
// Every field has its default, as in what is recorded.
const whole = checkWhole(structuredClone(spec));
const config = { at: 1, kind: 'config', config: whole.ok ? whole.config : {} };
const synced = { at: 2, kind: 'synced' };
const fleet = { at: 9, kind: 'fleet', pods: [] };
const end = { at: 10, kind: 'end', reason: 'as asked' };
const text = (...lines: readonly unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

test('a whole recording is read in order, without what only frames it', () => {
  expect(readRecording(text(begin, config, synced, fleet, end))).toStrictEqual({
    begin: {
      kind: 'begin',
      format: begin.format,
      version: begin.version,
      startedAt: begin.startedAt,
      capabilities: begin.capabilities,
    },
    entries: [config, synced, fleet],
    duration: 10,
    notes: [],
  });
});

test('one that was cut is read as far as it goes, and says so', () => {
  const complete = text(begin, config, synced, fleet);
  expect(readRecording(complete).notes).toStrictEqual(['the recording has no end: it was cut']);
  const { entries, notes } = readRecording(complete.slice(0, -10));
  expect(entries).toStrictEqual([config, synced]);
  expect(notes).toStrictEqual([
    'the recording was cut within line 4',
    'the recording has no end: it was cut',
  ]);
});

test('what is read on demand is not in it, and a note says so', () => {
  const secrets = { apiVersion: 'v1', resources: 'secrets', indexBy: ['metadata.name'], store: 'on-demand' };
  const onDemand = { ...config, config: { ...spec, watchedResources: { secrets } } };
  expect(readRecording(text(begin, onDemand, synced, end)).notes).toStrictEqual([
    'of secrets it has references alone: what is made of their contents, as certificates, is missing in each render',
  ]);
});

test('a field that came after the recording has its default, and one that is wrong is named', () => {
  const older = { ...config, config: spec };
  expect(readRecording(text(begin, older, synced)).entries[0]).toStrictEqual(config);
  const wrong = { ...config, config: { ...spec, haproxyConfig: { template: 7 } } };
  expect(() => readRecording(text(begin, wrong, synced))).toThrow(
    'line 2: config.haproxyConfig.template must be string',
  );
});

test.each([
  ['nothing at all', '', 'its first line does not begin one'],
  ['something else', 'hello\n', 'its first line does not begin one'],
  ['an archive', '\u0000\u0001\u0002\n{}\n', 'its first line does not begin one'],
  [
    'a later format',
    text({ ...begin, format: 'haptic-recording/2' }),
    'it is of the format haptic-recording/2, and this program reads haptic-recording/1',
  ],
  ['no configuration', text(begin, synced), 'there is no configuration in it'],
  ['an early end', text(begin, config), 'it was cut before the objects of the cluster were whole'],
  ['garbage within', `${text(begin, config)}{\n${text(synced)}`, 'line 3 is no object'],
  ['a line without time', text(begin, config, { kind: 'synced' }), 'line 3 has no time'],
  ['time that runs back', text(begin, synced, config), 'line 3: its time is before that of the line before'],
  ['an unknown kind', text(begin, { at: 1, kind: 'toString' }), 'line 2 is of no known kind: "toString"'],
  ['a line without content', text(begin, { at: 1, kind: 'edit' }), 'line 2: "edit" is missing'],
])('%s is refused', (_what, content, words) => {
  expect(() => readRecording(content)).toThrow(
    expect.objectContaining({
      code: 'HAPTIC_ERR_REPLAY_RECORDING',
      message: expect.stringContaining(words) as string,
    }),
  );
});
