import type { StructuralSchema } from '../structural-schema.ts';
import { fieldSchemas } from './field-schemas.ts';

const { duration, path } = fieldSchemas;

/** `spec.dataplane`. */
export const dataplaneSchema = {
  type: 'object',
  description: 'Where the files of HAProxy lie and how the pods are reached.',
  default: {},
  properties: {
    port: {
      type: 'integer',
      format: 'int32',
      description: 'Port on which the agent beside each HAProxy listens.',
      minimum: 1,
      maximum: 65535,
      default: 5555,
    },
    mapsDir: { ...path, description: 'Folder of map files.', default: '/etc/haproxy/maps' },
    sslCertsDir: {
      ...path,
      description: 'Folder of certificates and crt-lists.',
      default: '/etc/haproxy/ssl',
    },
    generalStorageDir: { ...path, description: 'Folder of other files.', default: '/etc/haproxy/general' },
    configFile: { ...path, description: 'The configuration file.', default: '/etc/haproxy/haproxy.cfg' },
    minDeploymentInterval: {
      ...duration,
      description:
        'Least time between two reloads of one HAProxy. The controller does not look at it: agents are started with it, by their flag --reload-interval-min. Changes that need no reload never wait.',
      default: '2s',
    },
    reloadVerificationTimeout: {
      ...duration,
      description:
        'Longest time for a reload to prove itself, 60s at most. The controller does not look at it: agents are started with it, by their flag --reload-timeout.',
      default: '60s',
    },
    driftPreventionInterval: {
      ...duration,
      description:
        'Time after which a pod that had nothing to do is compared with what it should have. "0": never.',
      default: '60s',
    },
    syncTimeout: {
      ...duration,
      description: 'Longest attempt to bring one pod to a render. "0": no limit of its own.',
      default: '2m',
    },
    deploymentTimeout: {
      ...duration,
      description:
        'Longest attempt that may keep a newer render waiting; a render that not every pod runs by then is overdue. "0": no limit.',
      default: '30s',
    },
    configPublishInterval: {
      ...duration,
      description: 'Least time between two updates of the published HAProxyCfg and its companions.',
      default: '10s',
    },
  },
  // The API server asks them of objects as they are, with what is said in them alone.
  'x-kubernetes-validations': [
    {
      rule: "!has(self.reloadVerificationTimeout) || (self.reloadVerificationTimeout != '0' && duration(self.reloadVerificationTimeout) > duration('0s') && duration(self.reloadVerificationTimeout) <= duration('60s'))",
      message: 'reloadVerificationTimeout must be more than 0 and 60s at most',
      fieldPath: '.reloadVerificationTimeout',
    },
    {
      rule: "!has(self.minDeploymentInterval) || self.minDeploymentInterval == '0' || duration(self.minDeploymentInterval) <= duration('60s')",
      message: 'minDeploymentInterval must be 60s at most',
      fieldPath: '.minDeploymentInterval',
    },
  ],
} as const satisfies StructuralSchema;
