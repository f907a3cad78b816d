import type { KubeObject } from '../api/kube-object.ts';
import type { TemplateConfig } from '../api/template-config.ts';
import { parseLabelSelector, type LabelRequirement } from '../lib/label-selector.ts';
import { watchSpecOf } from '../streams/watch-spec.ts';

/** How API servers reach the webhook. */
export type WebhookAddress =
  | { readonly kind: 'service'; readonly namespace: string; readonly name: string; readonly port: number }
  | { readonly kind: 'url'; readonly url: string };

export interface WebhookConfigurationOptions {
  /** Of the ValidatingWebhookConfiguration. */
  readonly name: string;
  readonly address: WebhookAddress;
  /** PEM of the authorities that may have issued the webhook's certificate. */
  readonly authorities: string;
  /** `Ignore`: what cannot be decided is let in, and the quarantine is the guard. */
  readonly failurePolicy: 'Ignore' | 'Fail';
  readonly timeoutSeconds: number;
  /** Also for HAProxyTemplateConfig and HAProxyTemplateLibrary. */
  readonly withConfigurationKinds: boolean;
}

const path = '/validate';
/** Seconds, the most that API servers wait: validationTests of a configuration run, and it is rendered and checked as a whole. */
const configurationTimeout = 30;
const operations = ['CREATE', 'UPDATE', 'DELETE'];

/** Kinds by which the product itself is configured. */
export const configurationGroup = 'haproxy-haptic.org';
/** Name of the webhook for them. */
export const configurationWebhook = `configuration.${configurationGroup}`;
export const configurationResources = ['haproxytemplateconfigs', 'haproxytemplatelibraries'] as const;

/**
 * The ValidatingWebhookConfiguration for a configuration: one webhook for each entry of `watchedResources` with
 * `enableValidationWebhook`, with its selectors, so that API servers do not even ask about what is not watched; and one for the
 * configuration kinds. `sideEffects: None`, so dry runs are asked about too.
 */
export function webhookConfigurationOf(
  config: Pick<TemplateConfig, 'watchedResources' | 'watchedResourcesIgnoreFields' | 'dataplane'>,
  options: WebhookConfigurationOptions,
): KubeObject {
  const common = {
    admissionReviewVersions: ['v1'],
    clientConfig: {
      ...clientAddress(options.address),
      caBundle: Buffer.from(options.authorities).toString('base64'),
    },
    failurePolicy: options.failurePolicy,
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    timeoutSeconds: options.timeoutSeconds,
  };
  const watched = Object.entries(config.watchedResources)
    .filter(([, { enableValidationWebhook }]) => enableValidationWebhook === true)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, resource], index) => {
      const { apiVersions, resources, labelSelector, namespaces, namespaceSelector } = watchSpecOf(
        name,
        resource,
        config,
      );
      const groups = apiVersions.map(groupAndVersion);
      return {
        name: `${labelOf(name, index)}.watched.${configurationGroup}`,
        ...common,
        rules: [...new Set(groups.map(([group]) => group))].map((group) => ({
          apiGroups: [group],
          apiVersions: groups.filter(([other]) => other === group).map(([, version]) => version),
          resources: [resources],
          operations,
          scope: '*',
        })),
        ...selector('objectSelector', labelSelector),
        ...(namespaces === undefined
          ? selector('namespaceSelector', namespaceSelector ?? '')
          : { namespaceSelector: { matchExpressions: [named(namespaces)] } }),
      };
    });
  const own = {
    name: configurationWebhook,
    ...common,
    timeoutSeconds: Math.max(options.timeoutSeconds, configurationTimeout),
    rules: [
      {
        apiGroups: [configurationGroup],
        apiVersions: ['v1alpha1'],
        resources: configurationResources,
        operations,
        scope: '*',
      },
    ],
  };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: {
      name: options.name,
      // Not who manages it: a chart that made it says that, and would have to fight for its label.
      labels: { 'app.kubernetes.io/part-of': 'haptic' },
    },
    webhooks: [...watched, ...(options.withConfigurationKinds ? [own] : [])],
  };
}

function clientAddress(address: WebhookAddress) {
  if (address.kind === 'url') return { url: address.url };
  const { namespace, name, port } = address;
  return { service: { namespace, name, port, path } };
}

function groupAndVersion(apiVersion: string): readonly [group: string, version: string] {
  const [first = '', second] = apiVersion.split('/');
  return second === undefined ? ['', first] : [first, second];
}

function named(values: readonly string[]) {
  return { key: 'kubernetes.io/metadata.name', operator: 'In', values };
}

/** What a selector object cannot say (`a > 1`) is left out: the webhook looks again. */
function selector(field: 'objectSelector' | 'namespaceSelector', text: string) {
  const expressions = parseLabelSelector(text, field)
    .requirements.filter(({ operator }) => operator !== 'Gt' && operator !== 'Lt')
    .map(expressionOf);
  return expressions.length === 0 ? {} : { [field]: { matchExpressions: expressions } };
}

function expressionOf({ key, operator, values }: LabelRequirement) {
  return { key, operator, ...(values.length === 0 ? {} : { values }) };
}

/** Names in `watchedResources` may have any letters, those of webhooks not. */
function labelOf(name: string, index: number): string {
  const label = name.toLowerCase().replace(/[^a-z0-9-]+/g, '-');
  return /^[a-z0-9]([a-z0-9-]{0,60}[a-z0-9])?$/.test(label) && label === name
    ? label
    : `w${index}-${label}`.slice(0, 60).replace(/-+$/, '');
}
