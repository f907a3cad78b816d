import { Registry } from 'prom-client';
import { Subject } from 'rxjs';
import { expect, it } from 'vitest';
import type { CheckpointReport } from '../../../../src/sinks/retained/keep-checkpoints.ts';
import { recordRetained } from '../../../../src/sinks/retained/record-retained.ts';
import type { RecoveryState } from '../../../../src/sinks/retained/recovery-state.ts';
import { createRetainedMetrics } from '../../../../src/sinks/retained/retained-metrics.ts';

function scene() {
  const registry = new Registry();
  const report$ = new Subject<CheckpointReport>();
  const recovery$ = new Subject<RecoveryState>();
  const lines: string[] = [];
  const errors: unknown[] = [];
  const say = (level: string) => (_fields: object, message: string) => void lines.push(`${level} ${message}`);
  const running = recordRetained(
    { report$, recovery$ },
    createRetainedMetrics(registry),
    { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') },
    (error) => errors.push(error),
  );
  return { registry, report$, recovery$, running, errors, take: () => lines.splice(0) };
}

it('tells once why renders are not retained, as long as it is the same', async () => {
  const { report$, take, registry, running } = scene();
  report$.next({ kind: 'failed', message: '403' });
  report$.next({ kind: 'failed', message: '403' });
  report$.next({ kind: 'failed', message: '500' });
  expect(take()).toEqual([
    'warn the render could not be retained',
    'debug retaining still fails',
    'warn the render could not be retained',
  ]);
  const config = { name: 'web-retained-1', uid: 'u', planID: '1', checksum: 'c' };
  report$.next({ kind: 'written', config, tookMs: 1 });
  report$.next({ kind: 'kept', configs: [config] });
  report$.next({ kind: 'removed', names: ['web-retained-0'] });
  report$.next({ kind: 'too_large', planId: '2' });
  report$.next({ kind: 'failed', message: '500' });
  expect(take()).toEqual([
    'info render is retained',
    'debug retained renders',
    'debug retained renders',
    'warn a render is too large to be retained',
    'warn the render could not be retained',
  ]);
  const metrics = await registry.metrics();
  for (const line of ['{result="failed"} 4', '{result="written"} 1', '{result="too_large"} 1'])
    expect(metrics).toContain(`haptic_retained_checkpoints_total${line}`);
  running.unsubscribe();
  expect(report$.observed).toBe(false);
});

it('tells that pods have what is retained for as long as it is so, and hands errors on', async () => {
  const { recovery$, take, registry, errors } = scene();
  const active = async () => /^haptic_retained_config_active (\d)$/m.exec(await registry.metrics())?.[1];
  expect(await active()).toBe('0');
  recovery$.next({ kind: 'off' });
  recovery$.next({ kind: 'pending', error: 'bad' });
  recovery$.next({ kind: 'active', error: 'bad', planId: '1', name: 'n', given: [], pods: 1 });
  expect(await active()).toBe('1');
  recovery$.next({ kind: 'unavailable', error: 'bad', reason: 'NoIntent', message: 'm' });
  expect(await active()).toBe('0');
  recovery$.next({ kind: 'off' });
  expect(take()).toEqual([
    'debug there is no render of its own',
    'warn nothing new can be rendered: HAProxy pods have a retained render',
    'error nothing new can be rendered, and new HAProxy pods get nothing',
    'info retained renders are not needed any more',
  ]);
  recovery$.error('a bug');
  expect(errors).toEqual(['a bug']);
});
