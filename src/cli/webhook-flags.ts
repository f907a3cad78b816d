/** The admission webhook of `haptic run`; it is on when one of the first three is given. */
export const webhookFlags = {
  'webhook-tls-dir': {
    value: 'DIR',
    summary: 'tls.crt, tls.key and ca.crt of the webhook, read again when they change',
    env: 'WEBHOOK_TLS_DIR',
    otherwise: 'issued by the controller itself, into the Secrets of --webhook-secret',
  },
  'webhook-service': {
    value: 'NAME',
    summary: 'Service in --namespace by which API servers reach the webhook',
    env: 'WEBHOOK_SERVICE_NAME',
  },
  'webhook-url': { value: 'URL', summary: 'https address of the webhook, in place of a Service' },
  'webhook-listen': { value: 'ADDR', summary: 'admission webhook, by HTTPS', default: ':9443' },
  'webhook-secret': {
    value: 'NAME',
    summary: "Secret of the webhook's certificate; the one of its authority has -issuer behind the name",
    default: 'haptic-webhook-tls',
  },
  'webhook-configuration': {
    value: 'NAME',
    summary: 'ValidatingWebhookConfiguration to keep as the watched resources want it',
    otherwise: 'none is written',
  },
  'webhook-failure-policy': {
    value: 'POLICY',
    summary: 'what becomes of objects while nobody can judge them',
    choices: ['Ignore', 'Fail'],
    default: 'Ignore',
  },
  'webhook-timeout': {
    value: 'DURATION',
    summary: 'how long an API server waits for an answer, from 1s to 30s',
    default: '10s',
  },
} as const;
