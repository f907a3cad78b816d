import type { TemplateConfig } from '../api/template-config.ts';
import { checkWhole } from '../config/schema-checks.ts';
import { CodedError } from '../lib/coded-error.ts';
import { isRecord } from '../lib/is-record.ts';
import { type RecordedValue, type RecordingEntry, recordingFormat } from '../sinks/recording.ts';

export interface Recording {
  readonly begin: Extract<RecordedValue, { readonly kind: 'begin' }>;
  /** In order of time, `begin` and `end` left out. */
  readonly entries: readonly RecordingEntry[];
  /** Milliseconds from the first to the last line. */
  readonly duration: number;
  /** What is missing or was left out of it, for people. */
  readonly notes: readonly string[];
}

/** Fields that a line of each kind cannot do without. */
const needed: Readonly<Record<Exclude<RecordedValue['kind'], 'begin'>, readonly string[]>> = {
  config: ['config'],
  edit: ['edit'],
  synced: [],
  optimistic: [],
  http: ['key'],
  fleet: ['pods'],
  leadership: ['leadership'],
  verdict: ['verdict'],
  delivery: ['report'],
  render: ['planId'],
  rejected: ['message'],
  end: ['reason'],
};

/**
 * The lines of a recording. One that was cut is read as far as it goes: a last line that is not whole is left out, and a note says so.
 *
 * @throws CodedError `HAPTIC_ERR_REPLAY_RECORDING` with the line that is wrong, or for a file that is no recording
 */
export function readRecording(text: string): Recording {
  const lines = text.split('\n');
  const notes: string[] = [];
  const last = lines.pop() ?? '';
  if (last.trim() !== '') {
    if (parsed(last) === undefined) notes.push(`the recording was cut within line ${lines.length + 1}`);
    else lines.push(last);
  }
  const [first, ...others] = lines
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== '');
  const begin = beginOf(first?.line ?? '');
  const entries: RecordingEntry[] = [];
  let end: string | undefined;
  let at = 0;
  for (const { line, number } of others) {
    const entry = entryOf(line, number);
    if (entry.at < at) throw wrong(`line ${number}: its time is before that of the line before`);
    at = entry.at;
    if (entry.kind === 'end') end = entry.reason;
    else entries.push(entry);
  }
  if (end === undefined) notes.push('the recording has no end: it was cut');
  if (!entries.some(({ kind }) => kind === 'config')) throw wrong('there is no configuration in it');
  if (!entries.some(({ kind }) => kind === 'synced'))
    throw wrong('it was cut before the objects of the cluster were whole');
  const partly = new Set(
    entries.flatMap((entry) => (entry.kind === 'config' ? readOnDemand(entry.config) : [])),
  );
  if (partly.size > 0)
    notes.push(
      `of ${[...partly].sort().join(', ')} it has references alone: what is made of their contents, as certificates, is missing in each render`,
    );
  return { begin, entries, duration: at, notes };
}

function readOnDemand({ watchedResources }: TemplateConfig): readonly string[] {
  return Object.keys(watchedResources).filter((name) => watchedResources[name]?.store === 'on-demand');
}

function beginOf(line: string): Recording['begin'] {
  const value = parsed(line);
  if (!isRecord(value) || value['kind'] !== 'begin' || typeof value['format'] !== 'string')
    throw wrong('its first line does not begin one');
  if (value['format'] !== recordingFormat)
    throw wrong(`it is of the format ${value['format']}, and this program reads ${recordingFormat}`);
  const { capabilities, version, startedAt } = value;
  return {
    kind: 'begin',
    format: recordingFormat,
    version: typeof version === 'string' ? version : 'unknown',
    startedAt: typeof startedAt === 'string' ? startedAt : '',
    capabilities: isRecord(capabilities) ? capabilities : {},
  };
}

function entryOf(line: string, number: number): RecordingEntry {
  const value = parsed(line);
  if (!isRecord(value)) throw wrong(`line ${number} is no object`);
  const { kind, at } = value;
  if (typeof at !== 'number' || !Number.isFinite(at) || at < 0)
    throw wrong(`line ${number} has no time ("at", milliseconds)`);
  const fields =
    typeof kind === 'string' && Object.hasOwn(needed, kind) ? needed[kind as keyof typeof needed] : undefined;
  if (fields === undefined) throw wrong(`line ${number} is of no known kind: ${JSON.stringify(kind)}`);
  const missing = fields.find((field) => value[field] === undefined);
  if (missing !== undefined) throw wrong(`line ${number}: "${missing}" is missing`);
  return (
    kind === 'config' ? { ...value, config: configOf(value['config'], number) } : value
  ) as RecordingEntry;
}

/** One that was recorded before a field came has its default. */
function configOf(config: unknown, number: number): TemplateConfig {
  const checked = checkWhole(config);
  if (checked.ok) return checked.config;
  const words = checked.errors.map(({ path, message }) => `${['config', ...path].join('.')} ${message}`);
  throw wrong(`line ${number}: ${words.slice(0, 3).join('; ')}`);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function wrong(what: string): CodedError {
  return new CodedError('HAPTIC_ERR_REPLAY_RECORDING', `this is no recording that can be replayed: ${what}`);
}
