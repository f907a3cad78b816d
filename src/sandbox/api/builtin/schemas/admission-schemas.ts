/** Admission webhooks. In the notation of `parseSchemaTable`. */
export const admissionSchemas = `
admreg.ValidatingWebhookConfiguration # Whom the API asks whether objects may get in.
  1 metadata meta.ObjectMeta
  2 webhooks admreg.ValidatingWebhook[name] patch=merge key=name
admreg.ValidatingWebhook # One webhook, with what it is asked about.
  1 name! string # Qualified name, unique within the configuration.
  2 clientConfig! admreg.WebhookClientConfig # How it is reached.
  3 rules admreg.RuleWithOperations[] # What it is asked about.
  4 failurePolicy string # Ignore or Fail: what becomes of a request that it does not answer.
  9 matchPolicy string
  5 namespaceSelector meta.LabelSelector
  10 objectSelector meta.LabelSelector
  6 sideEffects! string
  7 timeoutSeconds int32? # How long an answer is waited for.
  8 admissionReviewVersions! string[]
  11 matchConditions admreg.MatchCondition[name] patch=merge key=name
admreg.WebhookClientConfig
  3 url string # https address of the webhook.
  1 service admreg.ServiceReference # A Service in front of it.
  2 caBundle bytes # PEM of the authorities that its certificate may be of.
admreg.ServiceReference
  1 namespace! string
  2 name! string
  3 path string?
  4 port int32?
admreg.RuleWithOperations
  1 operations string[]
  2.1 apiGroups string[]
  2.2 apiVersions string[]
  2.3 resources string[]
  2.4 scope string?
admreg.MatchCondition
  1 name! string
  2 expression! string
`;
