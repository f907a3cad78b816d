import type { ApiObject } from '../api-object.ts';
import { getIn, isRecord, listOf, type JsonRecord } from '../json.ts';

/** What kube-apiserver fills in for a new Pod: policies, DNS, time-outs, and the phase it begins in. */
export function podDefaults(object: ApiObject, previous: ApiObject | undefined): ApiObject {
  const spec = podSpecDefaults(object['spec']);
  if (previous !== undefined) return { ...object, spec };
  return {
    ...object,
    spec,
    status: isRecord(object['status']) ? object['status'] : { phase: 'Pending', qosClass: 'BestEffort' },
  };
}

/** The same for a pod template. */
export function podSpecDefaults(spec: unknown): unknown {
  if (!isRecord(spec)) return spec;
  return {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    ...spec,
    ...(Array.isArray(spec['containers']) ? { containers: spec['containers'].map(containerDefaults) } : {}),
    ...(Array.isArray(spec['initContainers'])
      ? { initContainers: spec['initContainers'].map(containerDefaults) }
      : {}),
  };
}

function containerDefaults(container: unknown): unknown {
  if (!isRecord(container)) return container;
  const image = container['image'];
  const latest = typeof image !== 'string' || !/:[^/]+$/.test(image) || image.endsWith(':latest');
  return {
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: latest ? 'Always' : 'IfNotPresent',
    ...container,
    ...(Array.isArray(container['ports']) ? { ports: container['ports'].map(portDefaults) } : {}),
    ...probes(container),
  };
}

function portDefaults(port: unknown): unknown {
  return isRecord(port) ? { protocol: 'TCP', ...port } : port;
}

function probes(container: JsonRecord): JsonRecord {
  const names = ['livenessProbe', 'readinessProbe', 'startupProbe'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const probe = container[name];
      return isRecord(probe) ? [[name, probeDefaults(probe)]] : [];
    }),
  );
}

function probeDefaults(probe: JsonRecord): JsonRecord {
  const http = getIn(probe, ['httpGet']);
  return {
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
    ...probe,
    ...(isRecord(http) ? { httpGet: { path: '/', scheme: 'HTTP', ...http } } : {}),
  };
}

/** Names of all containers, joined, and their images: the wide columns of workloads. */
export function containerTexts(template: unknown): { readonly names: string; readonly images: string } {
  const containers = listOf(getIn(template, ['spec', 'containers'])).filter(isRecord);
  return {
    names: containers.map((container) => String(container['name'])).join(','),
    images: containers.map((container) => String(container['image'])).join(','),
  };
}
