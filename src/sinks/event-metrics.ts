import { Counter, type Registry } from 'prom-client';

/** Metrics of Events about objects. */
export interface EventMetrics {
  readonly events: Counter<'result'>;
}

export function createEventMetrics(registry: Registry): EventMetrics {
  return {
    events: new Counter({
      name: 'haptic_events_total',
      help: 'Events about objects by what became of them: created, repeated, failed, or dropped since there were too many or the object is gone.',
      labelNames: ['result'],
      registers: [registry],
    }),
  };
}
