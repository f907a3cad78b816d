import type { StructuralSchema } from '../structural-schema.ts';
import { fieldSchemas } from './field-schemas.ts';

const { duration, objectName } = fieldSchemas;

/** Of the Lease, where nothing is said. */
const lease = { leaseDuration: '15s', renewDeadline: '10s', retryPeriod: '2s' } as const;

/** In a rule, which the API server asks of objects as they are: with what is said in them alone. */
function durationOf(field: keyof typeof lease): string {
  return `duration(has(self.${field}) ? self.${field} : '${lease[field]}')`;
}

/** `spec.controller`. */
export const controllerSchema = {
  type: 'object',
  description: 'The controller itself: which replica writes, and what it publishes.',
  default: {},
  properties: {
    leaderElection: {
      type: 'object',
      description: 'One replica of the controller writes to HAProxy pods and to objects; a Lease says which.',
      default: {},
      properties: {
        enabled: {
          type: 'boolean',
          description: 'Whether replicas elect a leader. Without, there must be one replica at most.',
          default: true,
        },
        leaseName: {
          ...objectName,
          description: 'Name of the Lease, in the namespace of the controller.',
          default: 'haptic-leader',
        },
        leaseDuration: {
          ...duration,
          description:
            'How long other replicas wait after the last renewal before they take over. A duration such as "15s".',
          default: lease.leaseDuration,
        },
        renewDeadline: {
          ...duration,
          description: 'How long the leader tries to renew before it stands down. Less than leaseDuration.',
          default: lease.renewDeadline,
        },
        retryPeriod: {
          ...duration,
          description: 'Time between attempts to acquire or renew. Less than renewDeadline.',
          default: lease.retryPeriod,
        },
      },
      'x-kubernetes-validations': [
        {
          rule: `${durationOf('leaseDuration')} > ${durationOf('renewDeadline')}`,
          message: 'leaseDuration must be longer than renewDeadline',
          fieldPath: '.leaseDuration',
        },
        {
          rule: `${durationOf('renewDeadline')} > ${durationOf('retryPeriod')}`,
          message: 'renewDeadline must be longer than retryPeriod',
          fieldPath: '.renewDeadline',
        },
        {
          rule: "!has(self.retryPeriod) || (self.retryPeriod != '0' && duration(self.retryPeriod) > duration('0s'))",
          message: 'retryPeriod must be longer than 0',
          fieldPath: '.retryPeriod',
        },
      ],
    },
    publishService: {
      type: 'object',
      description:
        'The Service of the HAProxy pods, whose addresses are published in the status of every Ingress that is served: those of its load balancer, else its externalIPs. It must be among watchedResources.services. Without it, and without publishAddresses, no address is published.',
      required: ['namespace', 'name'],
      properties: {
        namespace: { ...objectName, description: 'Namespace of the Service.' },
        name: { ...objectName, description: 'Name of the Service.' },
      },
    },
    publishAddresses: {
      type: 'array',
      description:
        'IP addresses and host names that are published in the status of every Ingress that is served, in place of those of publishService.',
      maxItems: 64,
      items: { type: 'string', minLength: 1, maxLength: 253 },
      default: [],
    },
    zone: {
      type: 'string',
      description:
        'The zone that all HAProxy pods of this configuration are in, as nodes are labelled (topology.kubernetes.io/zone). Endpoints are then chosen by their hints for it. Without it, hints have no effect.',
      pattern: '^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$',
      maxLength: 63,
    },
    snippetAnnotations: {
      type: 'boolean',
      description:
        "Whether annotations in HAProxy's own language are taken (haproxy-haptic.org/config-backend). Whoever may write an Ingress or a Service can then do whatever HAProxy can: read what other namespaces are sent, and answer for them.",
      default: false,
    },
    policyBounds: {
      type: 'object',
      description:
        'How much annotations of the objects of one namespace may make of the configuration that all share. What older objects ask for goes first; beyond that, settings have no effect, and routes that restrict are closed.',
      default: {},
      properties: {
        profiles: {
          type: 'integer',
          description:
            'Different combinations of settings that HAProxy takes from its configuration only (docs/policies.md). Routes that say the same are one.',
          minimum: 1,
          maximum: 100_000,
          default: 100,
        },
        matches: {
          type: 'integer',
          description: 'Different headers and cookies that canaries go by. Frontends look at each of them.',
          minimum: 1,
          maximum: 10_000,
          default: 20,
        },
      },
    },
    externalNames: {
      type: 'object',
      description:
        'What Services of type ExternalName may name. HAProxy resolves names when requests come, and judges the addresses that it is about to connect to.',
      default: {},
      properties: {
        enabled: {
          type: 'boolean',
          description: 'Whether such Services are served.',
          default: true,
        },
        allowedNames: {
          type: 'array',
          description:
            'Names that may resolve to private addresses, and be inside of the cluster: "db.example.com", or "*.example.com" for every name below. Whoever writes their DNS records is trusted.',
          maxItems: 256,
          items: {
            type: 'string',
            pattern: '^(\\*\\.)?[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$',
            maxLength: 253,
          },
          default: [],
        },
        allowedNetworks: {
          type: 'array',
          description:
            'Networks that any name may resolve to, such as "10.20.0.0/16", besides those that are public. One that is refused otherwise (loopback, link-local, services of clouds for their machines) has to be here itself, or with a longer prefix.',
          maxItems: 256,
          items: { type: 'string', pattern: '^[0-9a-fA-F:.]+/[0-9]{1,3}$', maxLength: 64 },
          default: [],
        },
        clusterDomain: {
          type: 'string',
          description:
            'DNS domain of the cluster. Names below it lead past the borders of namespaces, and are refused.',
          pattern: '^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$',
          maxLength: 253,
          default: 'cluster.local',
        },
      },
    },
    defaultSSLCertificate: {
      type: 'object',
      description:
        'The Secret, with tls.crt and tls.key, of the certificate for clients that name no host, or one without a certificate of its own. It must be among watchedResources.secrets.',
      required: ['namespace', 'name'],
      properties: {
        namespace: { ...objectName, description: 'Namespace of the Secret.' },
        name: { ...objectName, description: 'Name of the Secret.' },
      },
    },
    selfSignedCertificate: {
      type: 'object',
      description:
        'The Secret of the certificate that is shown in place of defaultSSLCertificate as long as that is not set, or cannot be served: the one that haptic certificates keeps. Without either, such clients are refused.',
      required: ['namespace', 'name'],
      properties: {
        namespace: { ...objectName, description: 'Namespace of the Secret.' },
        name: { ...objectName, description: 'Name of the Secret.' },
      },
    },
    certificateGracePeriod: {
      ...duration,
      description:
        'For how long a certificate is served on when its Secret is gone, or empty: it may be on its way to be made anew. 0s: not at all.',
      default: '1m',
    },
    configPublishing: {
      type: 'object',
      description: 'HAProxyCfg and its companions, which show what was rendered.',
      default: {},
      properties: {
        enabled: {
          type: 'boolean',
          description: 'Whether renders are published. Without, what was published is removed.',
          default: true,
        },
        compressionThreshold: {
          type: 'integer',
          format: 'int64',
          description:
            'Bytes from which the text of a published file is compressed (zstd, then base64). 0: never compressed.',
          minimum: 0,
          maximum: 1_073_741_824,
          default: 1_048_576,
        },
      },
    },
  },
} as const satisfies StructuralSchema;
