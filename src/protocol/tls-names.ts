/** DNS names by which controller and agents know each other's certificates, unless told otherwise. */
export const tlsNames = {
  agent: 'haptic-agent-tls.haptic.svc',
  controller: 'haptic-controller-tls.haptic.svc',
} as const;
