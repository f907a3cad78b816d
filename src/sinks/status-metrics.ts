import { Counter, Gauge, type Registry } from 'prom-client';

/** Metrics of the statuses of objects. */
export interface StatusMetrics {
  readonly writes: Counter<'result'>;
  readonly failing: Gauge;
}

export function createStatusMetrics(registry: Registry): StatusMetrics {
  const registers = [registry];
  return {
    writes: new Counter({
      name: 'haptic_status_writes_total',
      help: 'Requests that wrote the status of an object, by how they ended.',
      labelNames: ['result'],
      registers,
    }),
    failing: new Gauge({
      name: 'haptic_status_failing',
      help: 'Objects whose status could not be written at the last attempt.',
      registers,
    }),
  };
}
