/** Where the objects of this project live in the API. */
export const apiGroup = {
  group: 'haproxy-haptic.org',
  version: 'v1alpha1',
  apiVersion: 'haproxy-haptic.org/v1alpha1',
  /** `spec.controller` of IngressClasses and `spec.controllerName` of GatewayClasses that are served. */
  controllerName: 'haproxy-haptic.org/controller',
} as const;
