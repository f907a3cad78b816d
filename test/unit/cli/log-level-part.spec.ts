import { pino } from 'pino';
import { Subject } from 'rxjs';
import { expect, it } from 'vitest';
import type { World } from '../../../src/world/build-world.ts';
import type { ControllerRuntime } from '../../../src/world/controller-runtime.ts';
import { logLevelPart } from '../../../src/cli/controller/log-level-part.ts';

function start(level: string) {
  const lines: string[] = [];
  const log = pino({ level, base: null }, { write: (line: string) => void lines.push(line) });
  const world$ = new Subject<World>();
  const fatal: unknown[] = [];
  const subscription = logLevelPart({
    world$,
    log,
    onFatal: (error: unknown) => void fatal.push(error),
  } as unknown as ControllerRuntime);
  const configure = (wanted: string) =>
    world$.next({ config: { logging: { level: wanted } } } as unknown as World);
  return { log, lines, world$, fatal, subscription, configure };
}

it('logs at the level of the configuration, and again as started where there is none', () => {
  const { log, configure } = start('info');
  const levels = ['', 'DEBUG', 'debug', 'WARN', '', 'trace'].map((level) => {
    configure(level);
    return log.level;
  });
  expect(levels).toStrictEqual(['info', 'debug', 'debug', 'warn', 'info', 'trace']);
});

it('says so once for each change', () => {
  const { lines, configure } = start('info');
  for (const level of ['', 'INFO', 'debug', 'DEBUG', 'warn']) configure(level);
  expect(lines.map((line) => (JSON.parse(line) as { level: unknown }).level)).toHaveLength(2);
  expect(lines[1]).toContain('the log goes on at another level');
});

it('ends with the controller, and passes a fault on', () => {
  const { log, configure, subscription, world$, fatal } = start('info');
  world$.error(new Error('bug'));
  expect(fatal).toHaveLength(1);
  subscription.unsubscribe();
  configure('debug');
  expect(log.level).toBe('info');
});
