import { tlsNames } from '../protocol/tls-names.ts';
import { type CliOptions, defineCommand } from './cli-command.ts';
import { kubeOptions } from './kube-options.ts';
import { outputOption } from './output-option.ts';

export const certificatesOptions = {
  dir: {
    value: 'DIR',
    summary: 'into DIR/issuer, DIR/server (for agents) and DIR/client (for the controller)',
  },
  namespace: { value: 'NS', summary: 'into Secrets of this namespace' },
  'issuer-secret': {
    value: 'NAME',
    summary: 'the authority with its key; mount it nowhere',
    default: 'haptic-agent-issuer',
  },
  'server-secret': { value: 'NAME', summary: 'for the agents', default: 'haptic-agent-tls' },
  'client-secret': { value: 'NAME', summary: 'for the controller', default: 'haptic-controller-tls' },
  'self-signed-secret': {
    value: 'NAME',
    summary:
      'in --namespace, for HAProxy: what it shows to clients for which there is no certificate, see docs/tls.md',
    otherwise: 'there is none',
  },
  'server-name': {
    value: 'NAME',
    summary: "DNS name in the agents' certificate",
    default: tlsNames.agent,
  },
  'client-name': {
    value: 'NAME',
    summary: "DNS name in the controller's certificate",
    default: tlsNames.controller,
  },
  'validity-days': {
    value: 'N',
    summary: '1 to 3650; below 90, a third of it is left at renewal',
    default: '365',
  },
  rotate: {
    summary: 'a new authority and new certificates now; refused while the last change is not an hour old',
  },
  output: outputOption,
  ...kubeOptions,
} as const satisfies CliOptions;

export const certificatesCommand = defineCommand({
  name: 'certificates',
  summary:
    'issues and renews the certificates between controller and agents, and the self-signed one of HAProxy',
  description:
    'Renews them 30 days before they end, and does nothing when nothing is due, so run it every hour. Nothing has to be restarted. ' +
    'Give either --dir or --namespace.',
  options: certificatesOptions,
  examples: [
    { what: 'Into Secrets, where the chart mounts them', line: 'haptic certificates --namespace haptic' },
    { what: 'Into a folder', line: 'haptic certificates --dir ./certificates' },
  ],
  load: async () => (await import('./certificates.ts')).runCertificates,
});
