import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Metrics of the admission webhook. Names end in a unit or `_total`; labels are bounded by what is watched. */
export interface WebhookMetrics {
  readonly requests: Counter<'gvk' | 'result'>;
  readonly requestSeconds: Histogram<'result'>;
  readonly validations: Counter<'gvk' | 'result'>;
  readonly checks: Counter<'scope'>;
  readonly running: Gauge;
  readonly waiting: Gauge;
  readonly certificateExpiry: Gauge;
  readonly certificateRotations: Counter;
}

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createWebhookMetrics(registry: Registry): WebhookMetrics {
  const registers = [registry];
  return {
    requests: new Counter({
      name: 'haptic_webhook_requests_total',
      help: 'Admission requests answered, by kind and by what was answered; invalid: no admission request at all.',
      labelNames: ['gvk', 'result'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'haptic_webhook_request_duration_seconds',
      help: 'Time of an admission request, from its body to the answer, waiting for its turn included.',
      labelNames: ['result'],
      buckets: seconds,
      registers,
    }),
    validations: new Counter({
      name: 'haptic_webhook_validation_total',
      help: 'Objects that were validated on admission, by kind and result; unregistered: of a kind that is not watched.',
      labelNames: ['gvk', 'result'],
      registers,
    }),
    checks: new Counter({
      name: 'haptic_webhook_checks_total',
      help: 'Validated objects by what HAProxy was asked about: none, known (accepted in the same form before), reduced, full.',
      labelNames: ['scope'],
      registers,
    }),
    running: new Gauge({
      name: 'haptic_webhook_requests_running',
      help: 'Admission requests that are worked on.',
      registers,
    }),
    waiting: new Gauge({
      name: 'haptic_webhook_requests_waiting',
      help: 'Admission requests that wait for their turn.',
      registers,
    }),
    certificateExpiry: new Gauge({
      name: 'haptic_webhook_cert_expiry_timestamp_seconds',
      help: 'When the certificate of the webhook ends, seconds of the Unix clock.',
      registers,
    }),
    certificateRotations: new Counter({
      name: 'haptic_webhook_cert_rotations_total',
      help: 'Times that the certificate of the webhook was exchanged.',
      registers,
    }),
  };
}
