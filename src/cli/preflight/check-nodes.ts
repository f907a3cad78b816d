import type { KubeObject } from '../../api/kube-object.ts';
import { describeFailure } from '../../kube/kube-failure.ts';
import type { Finding } from '../finding.ts';
import { record, records } from '../fields.ts';
import { hostPortsOf } from './host-ports-of.ts';
import type { Manifest } from './manifest.ts';
import type { Cluster } from './preflight-facts.ts';
import { quantity } from './quantity.ts';
import { type Workload, workloadsOf } from './workload.ts';

const check = 'nodes';
type Fields = Readonly<Record<string, unknown>>;

interface Request {
  readonly cpu: number;
  /** Bytes. */
  readonly memory: number;
}

/** Is there a node for each pod: one that its selector takes, whose taints it bears, and that is large enough when empty? */
export async function checkNodes(
  { kube }: Cluster,
  manifests: readonly Manifest[],
  signal: () => AbortSignal,
): Promise<readonly Finding[]> {
  const nodes: KubeObject[] = [];
  for await (const page of kube.list({ apiVersion: 'v1', resources: 'nodes' }, { signal: signal() })) {
    if (!page.ok)
      return [
        { check, status: 'skipped', message: `they cannot be listed: ${describeFailure(page.failure)}` },
      ];
    nodes.push(...page.value.items);
  }
  if (nodes.length === 0)
    return [
      { check, status: 'warning', message: 'the cluster has no node yet', advice: 'pods will wait for one' },
    ];
  const workloads = workloadsOf(manifests);
  const findings = workloads.flatMap((workload) => judge(workload, nodes));
  if (findings.length > 0) return findings;
  const message = `there is room on ${nodes.length} nodes (${platformsOf(nodes).join(', ')})`;
  return [{ check, status: 'ok', message }, ...platformFindings(workloads, nodes)];
}

/** An image is of some platforms, and who schedules knows nothing of that. */
function platformFindings(workloads: readonly Workload[], nodes: readonly KubeObject[]): readonly Finding[] {
  const mixed = workloads
    .map(({ name, template }) => ({ name, platforms: platformsOf(nodesFor(template.spec, nodes)) }))
    .filter(({ platforms }) => platforms.length > 1);
  const [first] = mixed;
  if (first === undefined) return [];
  return [
    {
      check,
      status: 'warning',
      message: `${mixed.map(({ name }) => name).join(', ')} may get nodes of ${first.platforms.join(', ')}: the image must be of all of these`,
      advice: 'use an image of all of them, or set nodeSelector: kubernetes.io/os and kubernetes.io/arch',
    },
  ];
}

/** Nodes that a pod's selector takes, and whose taints it bears. */
function nodesFor(spec: Fields, nodes: readonly KubeObject[]): readonly KubeObject[] {
  return nodes.filter(
    (node) =>
      matches(record(spec['nodeSelector']), node.metadata.labels ?? {}) &&
      isBorne(records(record(node['spec'])['taints']), spec),
  );
}

/** `linux/amd64`, each once. */
function platformsOf(nodes: readonly KubeObject[]): readonly string[] {
  return [...new Set(nodes.map(platformOf))].sort();
}

function judge(workload: Workload, nodes: readonly KubeObject[]): readonly Finding[] {
  const { name, template } = workload;
  const failed = (message: string, advice: string): readonly Finding[] => [
    { check, status: 'failed', message: `${name}: ${message}`, advice },
  ];
  const selected = nodes.filter((node) =>
    matches(record(template.spec['nodeSelector']), node.metadata.labels ?? {}),
  );
  if (selected.length === 0)
    return failed(
      `no node has the labels of its nodeSelector (${pairs(record(template.spec['nodeSelector']))})`,
      `label a node, or change nodeSelector; platforms here: ${platformsOf(nodes).join(', ')}`,
    );
  const borne = selected.filter((node) => isBorne(records(record(node['spec'])['taints']), template.spec));
  if (borne.length === 0)
    return failed(
      'every node that it could take is tainted or closed',
      'give it tolerations, or uncordon a node',
    );
  const wanted = requestOf(template.spec);
  const large = borne.filter((node) => {
    const allocatable = record(record(node['status'])['allocatable']);
    return (
      (quantity(allocatable['cpu']) ?? Infinity) >= wanted.cpu &&
      (quantity(allocatable['memory']) ?? Infinity) >= wanted.memory
    );
  });
  if (large.length === 0)
    return failed(
      `no node is large enough for a pod of ${wanted.cpu} CPUs and ${Math.ceil(wanted.memory / 2 ** 20)} MiB`,
      'lower resources.requests, or add a larger node',
    );
  const ports = hostPortsOf(template.spec);
  if (ports.length > 0 && workload.replicas !== 'nodes' && workload.replicas > large.length)
    return failed(
      `${workload.replicas} pods want host ports ${ports.join(', ')}, and ${large.length} nodes can take one each`,
      'lower the replicas, or make it a DaemonSet',
    );
  return [];
}

/** Containers that run side by side, or the largest that runs before them. */
function requestOf(spec: Fields): Request {
  const sum = { cpu: 0, memory: 0 };
  const most = { cpu: 0, memory: 0 };
  const add = (container: Fields, to: typeof sum): void => {
    const requests = record(record(container['resources'])['requests']);
    to.cpu += quantity(requests['cpu']) ?? 0;
    to.memory += quantity(requests['memory']) ?? 0;
  };
  for (const container of records(spec['containers'])) add(container, sum);
  for (const container of records(spec['initContainers']))
    if (container['restartPolicy'] === 'Always') add(container, sum);
    else {
      const own = { cpu: 0, memory: 0 };
      add(container, own);
      most.cpu = Math.max(most.cpu, own.cpu);
      most.memory = Math.max(most.memory, own.memory);
    }
  return { cpu: Math.max(sum.cpu, most.cpu), memory: Math.max(sum.memory, most.memory) };
}

function isBorne(taints: readonly Fields[], spec: Fields): boolean {
  const tolerations = records(spec['tolerations']);
  return taints
    .filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute')
    .every((taint) =>
      tolerations.some(
        ({ key, operator, value, effect }) =>
          (effect === undefined || effect === '' || effect === taint['effect']) &&
          (operator === 'Exists'
            ? key === undefined || key === '' || key === taint['key']
            : key === taint['key'] && (value ?? '') === (taint['value'] ?? '')),
      ),
    );
}

function matches(selector: Fields, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}

function platformOf({ metadata, status }: KubeObject): string {
  const { architecture, operatingSystem } = record(record(status)['nodeInfo']);
  const word = (label: string, told: unknown) =>
    metadata.labels?.[`kubernetes.io/${label}`] ?? (typeof told === 'string' ? told : 'unknown');
  return `${word('os', operatingSystem)}/${word('arch', architecture)}`;
}

function pairs(selector: Fields): string {
  return Object.entries(selector)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(', ');
}
