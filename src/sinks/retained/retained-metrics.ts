import { Counter, Gauge, type Registry } from 'prom-client';

/** Metrics of renders that are kept for worse times. */
export interface RetainedMetrics {
  readonly active: Gauge;
  readonly checkpoints: Counter<'result'>;
}

export function createRetainedMetrics(registry: Registry): RetainedMetrics {
  const registers = [registry];
  return {
    active: new Gauge({
      name: 'haptic_retained_config_active',
      help: '1: nothing new can be rendered, and HAProxy pods have a retained render; new ones get it.',
      registers,
    }),
    checkpoints: new Counter({
      name: 'haptic_retained_checkpoints_total',
      help: 'Steps of keeping renders for a time when none can be made, by how they ended: written, removed, too_large, failed.',
      labelNames: ['result'],
      registers,
    }),
  };
}
