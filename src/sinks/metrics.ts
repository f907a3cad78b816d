import { Counter, Gauge, Histogram, type Registry, collectDefaultMetrics } from 'prom-client';

/** Every metric of the controller, in one place. Names end in a unit or `_total`; labels are bounded. */
export interface Metrics {
  readonly buildInfo: Gauge<'version' | 'node_version'>;
  readonly reconciliations: Counter;
  readonly reconciliationSeconds: Histogram;
  readonly reconciliationErrors: Counter;
  readonly problems: Gauge<'severity'>;
  readonly validations: Counter<'result'>;
  readonly configPinned: Gauge;
  readonly applies: Counter<'pod' | 'mode'>;
  readonly applyFailures: Counter<'pod' | 'stage'>;
  readonly applySeconds: Histogram<'mode'>;
  readonly reloads: Counter;
  readonly runtimeOperations: Counter;
  readonly fleetSize: Gauge;
  readonly fleetConverged: Gauge;
  readonly resources: Gauge<'type'>;
  readonly watchDegraded: Gauge<'type'>;
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Registers the metrics, and Node's own (event-loop lag, memory), with the given registry. */
export function createMetrics(registry: Registry): Metrics {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    buildInfo: new Gauge({
      name: 'haptic_build_info',
      help: 'Version of the program, always 1.',
      labelNames: ['version', 'node_version'],
      registers,
    }),
    reconciliations: new Counter({
      name: 'haptic_reconciliation_total',
      help: 'Renders that came out, whether or not they changed anything.',
      registers,
    }),
    reconciliationSeconds: new Histogram({
      name: 'haptic_reconciliation_duration_seconds',
      help: 'Time of a render, from its start to the bundle.',
      buckets: seconds,
      registers,
    }),
    reconciliationErrors: new Counter({
      name: 'haptic_reconciliation_errors_total',
      help: 'Renders that failed as a whole; the former one stays in effect.',
      registers,
    }),
    problems: new Gauge({
      name: 'haptic_problems',
      help: 'Objects or fields that are not in effect (error) or not as written (warning).',
      labelNames: ['severity'],
      registers,
    }),
    validations: new Counter({
      name: 'haptic_validation_total',
      help: 'Checks of a render by HAProxy itself.',
      labelNames: ['result'],
      registers,
    }),
    configPinned: new Gauge({
      name: 'haptic_config_pinned',
      help: '1 while the fleet is kept on an older render because newer ones are refused.',
      registers,
    }),
    applies: new Counter({
      name: 'haptic_deploy_apply_total',
      help: 'Accepted deliveries to a pod by what they cost it.',
      labelNames: ['pod', 'mode'],
      registers,
    }),
    applyFailures: new Counter({
      name: 'haptic_apply_rejected_total',
      help: 'Failed deliveries to a pod.',
      labelNames: ['pod', 'stage'],
      registers,
    }),
    applySeconds: new Histogram({
      name: 'haptic_deployment_duration_seconds',
      help: 'Time of a delivery to one pod, from the diff to the acknowledgement.',
      labelNames: ['mode'],
      buckets: seconds,
      registers,
    }),
    reloads: new Counter({
      name: 'haptic_haproxy_reloads_total',
      help: 'Reloads of HAProxy that deliveries caused.',
      registers,
    }),
    runtimeOperations: new Counter({
      name: 'haptic_runtime_ops_total',
      help: 'Operations run in a live HAProxy worker.',
      registers,
    }),
    fleetSize: new Gauge({
      name: 'haptic_haproxy_fleet_size',
      help: 'HAProxy pods that are delivered to.',
      registers,
    }),
    fleetConverged: new Gauge({
      name: 'haptic_haproxy_fleet_converged',
      help: 'HAProxy pods that run the released render.',
      registers,
    }),
    resources: new Gauge({
      name: 'haptic_resource_count',
      help: 'Objects held of a watched resource.',
      labelNames: ['type'],
      registers,
    }),
    watchDegraded: new Gauge({
      name: 'haptic_watch_degraded',
      help: '1 while nothing new arrives of a watched resource; the objects held stay in effect.',
      labelNames: ['type'],
      registers,
    }),
  };
}
