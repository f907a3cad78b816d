/** Where the debug pages of a running controller are. */
export const debugOption = {
  value: 'URL',
  summary: "the controller's debug pages; in a cluster, behind kubectl port-forward",
  env: 'HAPTIC_DEBUG',
  default: 'http://127.0.0.1:8080/debug',
} as const;
