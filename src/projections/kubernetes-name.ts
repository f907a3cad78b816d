const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const portName = /^(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const domain = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/;

/**
 * The grammars of Kubernetes names (DNS-1123 label and subdomain, IANA service name). None admits `_`, white space or
 * a character that HAProxy reads as syntax; proxy names rely on that.
 */
export const kubernetesName = {
  label: (value: unknown): value is string => typeof value === 'string' && label.test(value),
  portName: (value: unknown): value is string => typeof value === 'string' && portName.test(value),
  /** A subdomain that DNS can hold: labels of at most 63 characters. */
  domain: (value: unknown): value is string =>
    typeof value === 'string' && value.length <= 253 && domain.test(value),
  subdomain: (value: unknown): value is string =>
    typeof value === 'string' && value.length <= 253 && subdomain.test(value),
};
