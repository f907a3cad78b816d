import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { noMeters } from '../../../src/agent/agent-meters.ts';
import { checkInvariants } from '../../../src/agent/apply/check-invariants.ts';
import { type AgentRecord, emptyRecord } from '../../../src/agent/state/agent-record.ts';

type Done = Parameters<typeof checkInvariants>[3];

const before: AgentRecord = { ...emptyRecord, generation: 4 };
const after: AgentRecord = { ...emptyRecord, generation: 5, applied: { id: 'p', proof: 'a:5' } };
const run = { results: [], outcome: 'ok' } as const;
const worker = { version: '3.4', full_version: '3.4.7', worker_pid: 7, worker_start_time_unix_micros: 1 };
const reload = { ok: true, worker, output: '', tookMs: 1 } as const;
const broken = (done: Done, record = after) => {
  const counted: string[] = [];
  const meters = { ...noMeters(), invariant: (name: string) => void counted.push(name) };
  const names = checkInvariants({ meters, log: pino({ level: 'silent' }) }, before, record, done);
  expect(counted).toEqual(names);
  return names;
};

describe('invariants', () => {
  it.each<[string, Done]>([
    ['runtime', { mode: 'runtime', run }],
    ['a reload', { mode: 'reload', reload }],
    ['operations that became a reload', { mode: 'reload', run, reload }],
    ['nothing', { mode: 'noop' }],
    ['files alone', { mode: 'file_only' }],
    ['a reload that is put off', { mode: 'scheduled', run }],
  ])('hold for %s', (_what, done) => {
    expect(broken(done)).toEqual([]);
  });

  it('are counted each by its name', () => {
    expect(broken({ mode: 'runtime', run, reload })).toEqual(['runtime_mode_does_not_reload']);
    expect(broken({ mode: 'reload' })).toEqual(['reload_mode_reloads']);
    expect(broken({ mode: 'noop', run })).toEqual(['noop_runs_no_ops']);
    expect(broken({ mode: 'noop' }, { ...after, generation: 4 })).toEqual(['generation_monotonic']);
    const journal = new Map([['a', { kind: 'created' as const }]]);
    expect(broken({ mode: 'noop' }, { ...after, journal, lkg: after.applied })).toEqual([
      'journal_only_while_diverged',
    ]);
    expect(broken({ mode: 'noop' }, { ...after, journal })).toEqual([]);
  });
});
