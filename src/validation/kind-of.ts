/** Kinds whose names cannot be told from their plurals: more than one word. */
const compound: Readonly<Record<string, string>> = {
  backendtlspolicies: 'BackendTLSPolicy',
  certificatesigningrequests: 'CertificateSigningRequest',
  clusterrolebindings: 'ClusterRoleBinding',
  clusterroles: 'ClusterRole',
  configmaps: 'ConfigMap',
  cronjobs: 'CronJob',
  customresourcedefinitions: 'CustomResourceDefinition',
  daemonsets: 'DaemonSet',
  endpoints: 'Endpoints',
  endpointslices: 'EndpointSlice',
  gatewayclasses: 'GatewayClass',
  grpcroutes: 'GRPCRoute',
  haproxycfgs: 'HAProxyCfg',
  haproxycrtlistfiles: 'HAProxyCRTListFile',
  haproxygeneralfiles: 'HAProxyGeneralFile',
  haproxymapfiles: 'HAProxyMapFile',
  haproxytemplateconfigs: 'HAProxyTemplateConfig',
  haproxytemplatelibraries: 'HAProxyTemplateLibrary',
  horizontalpodautoscalers: 'HorizontalPodAutoscaler',
  httproutes: 'HTTPRoute',
  ingressclasses: 'IngressClass',
  limitranges: 'LimitRange',
  networkpolicies: 'NetworkPolicy',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  persistentvolumes: 'PersistentVolume',
  poddisruptionbudgets: 'PodDisruptionBudget',
  podtemplates: 'PodTemplate',
  priorityclasses: 'PriorityClass',
  referencegrants: 'ReferenceGrant',
  replicasets: 'ReplicaSet',
  replicationcontrollers: 'ReplicationController',
  resourcequotas: 'ResourceQuota',
  rolebindings: 'RoleBinding',
  serviceaccounts: 'ServiceAccount',
  statefulsets: 'StatefulSet',
  storageclasses: 'StorageClass',
  tcproutes: 'TCPRoute',
  tlsroutes: 'TLSRoute',
  udproutes: 'UDPRoute',
  validatingwebhookconfigurations: 'ValidatingWebhookConfiguration',
};

/**
 * The kind of a plural resource name, without asking an API: `ingresses` → `Ingress`. Of names that are not built in, one word
 * in the singular is assumed: `widgets` → `Widget`.
 */
export function kindOf(plural: string): string {
  const known = compound[plural];
  if (known !== undefined) return known;
  const singular = plural
    .replace(/ies$/, 'y')
    .replace(/(s|x|z|ch|sh)es$/, '$1')
    .replace(/(?<!s)s$/, '');
  return `${singular.charAt(0).toUpperCase()}${singular.slice(1)}`;
}
