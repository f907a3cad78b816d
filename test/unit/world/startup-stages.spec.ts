import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createStartupStages } from '../../../src/world/startup-stages.ts';

describe('createStartupStages', () => {
  it('tells each stage once, with the time since the start', () => {
    const lines: string[] = [];
    let clock = 1_000;
    const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) });
    const stages = createStartupStages(log, () => clock);
    stages.mark('setup');
    clock += 20.4;
    stages.mark('config');
    clock += 100;
    stages.mark('config');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { level: 30, stage: 'setup', afterMs: 0, msg: 'start-up stage reached' },
      { level: 30, stage: 'config', afterMs: 20, msg: 'start-up stage reached' },
    ]);
    expect(stages.reached()).toEqual({ setup: 0, config: 20 });
  });
});
